// Opens the search: "/", the sidebar's box, and on a phone a button in the header. What is needed to search, 250 kB, is loaded then.
"use strict";
{
  const here = document.currentScript.src.replace(/search\.js.*$/, "");
  const dialog = document.getElementById("search");
  const panel = document.querySelector(".search-panel");
  const input = panel.querySelector("input");
  const box = document.querySelector(".sidebar-search");

  const script = (name) =>
    new Promise((resolve, reject) => {
      const element = document.createElement("script");
      element.src = here + name;
      element.onload = resolve;
      element.onerror = reject;
      document.head.append(element);
    });

  // Classic scripts, one after the other: from file:// neither modules nor fetch work.
  let loading;
  const load = () => {
    loading ||= ["vendor/minisearch/minisearch.js", "search-engine.js", "search-index.js", "search-ui.js"]
      .reduce((before, name) => before.then(() => script(name)), Promise.resolve())
      .then(() => SearchUI.start(panel, dialog));
    return loading;
  };

  const style = () => {
    if (document.querySelector("link[href$='search.css']")) return;
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = `${here}search.css`;
    // Unseen until it has its looks, but not for long.
    const show = () => (dialog.style.opacity = "");
    dialog.style.opacity = "0";
    link.onload = link.onerror = show;
    setTimeout(show, 500);
    document.head.append(link);
  };

  const open = (query = "") => {
    if (dialog.open) return;
    style();
    dialog.showModal();
    if (query) input.value = query;
    input.focus();
    input.select();
    load();
  };

  if (dialog) {
    // The sidebar's box opens the dialog when it is clicked or typed into; Tab passes over it as over any box.
    box.setAttribute("aria-haspopup", "dialog");
    box.addEventListener("click", () => open(box.value));
    box.addEventListener("keydown", (event) => {
      // The key goes to the dialog's box, which has the focus by then.
      if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey && !event.isComposing && event.keyCode !== 229) open(box.value);
    });
    const moved = (event) => {
      if (event.isComposing) return;
      open(box.value);
      box.value = "";
    };
    box.addEventListener("input", moved);
    box.addEventListener("compositionend", moved);
    dialog.querySelector(".search-close").addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

    // A narrow screen hides the sidebar's box.
    const button = document.createElement("button");
    button.type = "button";
    button.className = "search-open";
    button.setAttribute("aria-label", box.getAttribute("aria-label"));
    button.setAttribute("aria-haspopup", "dialog");
    button.innerHTML =
      '<svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round"><circle cx="10.5" cy="10.5" r="6.5"/><path d="m15.5 15.5 5 5"/></svg>';
    button.addEventListener("click", () => open());
    document.querySelector(".mobile-header .header-right").prepend(button);
  } else {
    input.value = new URLSearchParams(location.search).get("q") || "";
    load();
  }

  // Before Sphinx's own shortcut, which would put the focus into the sidebar's box.
  addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "/" || event.altKey || event.ctrlKey || event.metaKey) return;
      if (/^(?:input|textarea|select|button)$/i.test(event.target.nodeName) || event.target.isContentEditable) return;
      event.preventDefault();
      event.stopPropagation();
      if (dialog) open();
      else input.focus();
    },
    true,
  );
}
