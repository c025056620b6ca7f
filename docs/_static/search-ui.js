// Shows results while a reader types, in the dialog of every page and on the search page. search.js loads it with the index.
"use strict";

const SearchUI = (() => {
  const root = document.documentElement.dataset.content_root || "./";
  const { texts, topics } = SEARCH_INDEX;
  const KINDS = ["", "question", "example", "myth", "error", "term"];

  const make = (name, className, ...children) => {
    const element = document.createElement(name);
    if (className) element.className = className;
    element.append(...children);
    return element;
  };
  const marked = (parts) => parts.map(({ text, hit }) => (hit ? make("mark", "", text) : text));
  const say = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

  const start = (panel, dialog) => {
    const engine = new SearchEngine.Engine(SEARCH_INDEX);
    const [form, filters, status, list] = ["form", ".search-filters", ".search-status", "ol"].map((name) => panel.querySelector(name));
    const input = form.querySelector("input");
    const given = new URLSearchParams(dialog ? "" : location.search);
    const state = { kind: KINDS.includes(given.get("kind")) ? given.get("kind") : "", topic: given.get("topic") in topics ? given.get("topic") : "" };
    let found;

    const address = () => {
      const query = new URLSearchParams({ q: input.value.trim() });
      for (const name of ["kind", "topic"]) if (state[name]) query.set(name, state[name]);
      return `?${query}`;
    };

    // Filters: kinds as buttons, with their counts; topics as a list to choose from
    const buttons = KINDS.map((kind) => {
      const button = make("button", "", "");
      button.type = "button";
      button.addEventListener("click", () => {
        state.kind = kind;
        show();
      });
      return button;
    });
    const choice = make("select", "");
    choice.setAttribute("aria-label", texts.topic);
    choice.addEventListener("change", () => {
      state.topic = choice.value;
      show();
    });
    const kinds = make("div", "search-kinds", ...buttons);
    kinds.setAttribute("role", "group");
    kinds.setAttribute("aria-label", texts.kind);
    filters.append(kinds, choice);

    const showFilters = () => {
      filters.hidden = !found.counts[""];
      KINDS.forEach((kind, i) => {
        buttons[i].replaceChildren(texts[`kind_${kind || "all"}`], make("span", "count", String(found.counts[kind])));
        buttons[i].setAttribute("aria-pressed", String(state.kind === kind));
        buttons[i].disabled = !found.counts[kind] && state.kind !== kind;
      });
      const names = Object.keys(topics).filter((name) => found.topics[name] || name === state.topic);
      choice.replaceChildren(
        new Option(texts.all_topics, ""),
        ...names.map((name) => new Option(`${topics[name]} (${found.topics[name] || 0})`, name)),
      );
      choice.value = state.topic;
    };

    const line = ({ page, record, url, title, section, excerpt, code }) => {
      const link = make("a", "", make("span", "result-title", ...marked(title)));
      link.href = root + url;
      const facts = [texts[`label_${page.kind}`], topics[page.topic], page.facts].filter(Boolean);
      link.append(make("span", "result-facts", facts.join(" · ")));
      if (section.length) {
        const label = texts[`label_${record.kind}`];
        link.append(make("span", `result-section ${record.kind}`, ...(label ? [make("span", "result-label", label), " "] : []), ...marked(section)));
      }
      if (excerpt.length) link.append(make("span", code ? "result-excerpt code" : "result-excerpt", ...marked(excerpt)));
      return make("li", "", link);
    };

    const message = () => {
      const { total, missing, weak } = found, query = input.value.trim();
      if (!total && !found.counts[""]) return say(texts.nothing, { query });
      if (!total) return texts.nothing_here;
      const nearest = missing.length ? say(texts.missing, { words: missing.map((word) => say(texts.quoted, { word })).join(texts.comma) }) : "";
      if (weak) return `${say(texts.uncovered, { query })} ${texts.nearest}`;
      const count = say(total === 1 ? texts.one : texts.many, { count: total });
      return nearest ? `${count} ${nearest}` : count;
    };

    const show = () => {
      const query = input.value.trim();
      if (query) {
        found = engine.search(query, state);
        list.replaceChildren(...found.results.map(line));
        showFilters();
        status.textContent = message();
        status.classList.toggle("weak", found.weak);
        if (dialog) {
          const all = make("a", "search-all", texts.all_results);
          all.href = form.action.replace(/\?.*$/, "") + address();
          status.append(" ", all);
        }
      } else {
        found = undefined;
        list.replaceChildren();
        filters.hidden = true;
        status.textContent = "";
      }
      if (!dialog) keep();
    };

    // The search page's address, and its switcher, follow what is typed.
    const keep = () => {
      const query = input.value.trim() ? address() : location.pathname;
      try {
        history.replaceState(null, "", query);
      } catch {
        // From file:// some browsers forbid it.
      }
      for (const link of document.querySelectorAll(".languages a")) link.search = input.value.trim() ? address() : "";
    };

    const links = () => [...list.querySelectorAll("a")];
    const remember = () => localStorage.setItem("sphinx_highlight_terms", found.words.join(" ").toLowerCase());

    input.addEventListener("input", (event) => event.isComposing || show());
    input.addEventListener("compositionend", show);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const [first] = links();
      if (!dialog) {
        show();
        // A phone's keyboard would hide the results.
        if (matchMedia("(pointer: coarse)").matches) input.blur();
      } else if (first) first.click();
    });
    // Where the reader goes, the words are marked until Escape (Sphinx's sphinx_highlight.js).
    for (const name of ["click", "auxclick"]) list.addEventListener(name, (event) => event.target.closest("a") && remember());
    list.addEventListener("click", (event) => {
      // A link to another place on this page does not leave it.
      const link = event.target.closest("a");
      if (dialog && link && link.pathname === location.pathname) dialog.close();
    });

    panel.addEventListener("keydown", (event) => {
      if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
      const all = links(), at = all.indexOf(document.activeElement);
      if (event.key === "ArrowDown" && (at >= 0 || event.target === input)) {
        event.preventDefault();
        all[Math.min(at + 1, all.length - 1)]?.focus();
      } else if (event.key === "ArrowUp" && at >= 0) {
        event.preventDefault();
        (all[at - 1] || input).focus();
      } else if (event.key === "Escape") {
        // A search box would only empty itself.
        event.preventDefault();
        if (dialog) dialog.close();
        else input.focus();
      } else if (at >= 0 && event.key.length === 1 && event.key !== " ") input.focus(); // and the key goes there
    });

    show();
  };

  return { start };
})();
