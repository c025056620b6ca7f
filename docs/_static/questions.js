// The form above the list of questions: by words, topic, level and frequency. Its state is in the address, so that a list can be sent.
"use strict";
{
  const form = document.querySelector(".question-filter");
  const status = form?.querySelector("[role=status]");
  const entries = form ? [...document.querySelectorAll("ul.questions > li")] : [];
  const names = ["words", "topic", "level", "asked"];
  const bare = (text) => text.normalize("NFKC").toLowerCase().replace(/[\s_]+/g, "");

  const apply = () => {
    const words = form.elements.words.value.split(/\s+/).map(bare).filter(Boolean);
    const classes = ["topic", "level", "asked"].filter((name) => form.elements[name].value).map((name) => `${name}-${form.elements[name].value}`);
    let count = 0;
    for (const entry of entries) {
      const text = bare(entry.querySelector("a").textContent);
      entry.hidden = !classes.every((name) => entry.classList.contains(name)) || !words.every((word) => text.includes(word));
      if (!entry.hidden) count++;
    }
    for (const list of document.querySelectorAll("ul.questions")) {
      list.hidden = !list.querySelector("li:not([hidden])");
      const heading = list.previousElementSibling;
      if (heading?.classList.contains("list-heading")) heading.hidden = list.hidden;
    }
    const narrowed = words.length + classes.length > 0;
    form.querySelector("button").hidden = !narrowed;
    status.textContent = narrowed ? form.dataset.count.replace("{count}", count).replace("{total}", entries.length) : "";
  };

  const keep = () => {
    const query = new URLSearchParams();
    for (const name of names) if (form.elements[name].value.trim()) query.set(name, form.elements[name].value.trim());
    try {
      history.replaceState(null, "", (query.size ? `?${query}` : location.pathname) + location.hash);
    } catch {
      // From file:// some browsers forbid it.
    }
    for (const link of document.querySelectorAll(".languages a")) link.search = query.size ? `?${query}` : "";
  };

  if (form) {
    const given = new URLSearchParams(location.search);
    for (const name of names) {
      const field = form.elements[name], value = given.get(name) || "";
      if (field.nodeName !== "SELECT" || [...field.options].some((option) => option.value === value)) field.value = value;
    }
    form.hidden = false;
    form.addEventListener("input", () => {
      apply();
      keep();
    });
    form.addEventListener("reset", () => setTimeout(() => {
      for (const name of names) form.elements[name].value = "";
      apply();
      keep();
    }));
    form.addEventListener("submit", (event) => event.preventDefault());
    apply();
    if (names.some((name) => given.get(name))) keep();
  }
}
