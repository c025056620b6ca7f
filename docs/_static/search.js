// What Sphinx's search page lacks. It runs before the search does.
"use strict";
{
  // Chinese is searched in pairs of characters; what is highlighted is what the reader typed.
  const parse = Search._parseQuery;
  Search._parseQuery = (query) => {
    const parsed = parse(query);
    const typed = query.toLowerCase().match(/[\u3400-\u9fff]+|[^\s\u3400-\u9fff]+/g) || [];
    localStorage.setItem("sphinx_highlight_terms", typed.join(" "));
    parsed[3] = new Set(typed);
    return parsed;
  };
  // The question comes before the pages that list it, an example in between, a definition last. First of all comes the question that has the
  // query among its keywords (spaces and case aside), or in its name.
  const bare = (text) => text.normalize("NFKC").toLowerCase().replace(/[\s_.()-]+/g, "");
  const query = bare(new URLSearchParams(location.search).get("q") || "");
  const named = (page) => query.length > 2 && bare(page.split("/").pop()).includes(query);
  const keyed = (page) => (KEYWORDS[page] || []).some((word) => bare(word) === query);
  Scorer.score = ([page, , , , score]) =>
    score + (page.endsWith("index") ? -10 : page === "glossary" ? -20 : page.startsWith("questions/") ? 3 : 0) + (keyed(page) ? 15 : 0) + (named(page) ? 15 : 0);
  // A page opened from disk may not read others: no excerpts there.
  if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
  // The switcher keeps the query.
  for (const link of document.querySelectorAll(".languages a")) link.search = location.search;
}
