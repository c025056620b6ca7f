// Side by side: the other language below each text, where the reader has asked for it. docs/_ext/side_by_side.py writes the keys and the texts.
"use strict";
{
  const button = document.querySelector(".both-languages");
  const status = button.parentElement.querySelector("[role=status]");
  const key = "pytorch-interview:side-by-side";
  const plain = (element) => element.textContent.replace(/[^\p{L}\p{N}]+/gu, "").toLowerCase();

  // Where a browser keeps nothing for this site, the switch holds for the page.
  const recall = () => {
    try { return localStorage.getItem(key) === "on" } catch { return false }
  };
  const remember = (on) => {
    try { localStorage.setItem(key, on ? "on" : "off") } catch { /* see above */ }
  };

  const load = () => new Promise((resolve, reject) => {
    if (window.sideBySide) return resolve(window.sideBySide);
    const script = document.createElement("script");
    script.src = button.dataset.source;
    script.onload = () => resolve(window.sideBySide);
    script.onerror = () => { script.remove(); reject(new Error(`${script.src} can't be loaded`)) };
    document.head.append(script);
  });

  const hide = () => document.querySelectorAll("article .side").forEach((text) => text.remove());

  const show = (texts) => {
    hide();
    for (const element of document.querySelectorAll('article [class*="side-"]')) {
      const name = [...element.classList].find((name) => name.startsWith("side-") && name.slice(5) in texts);
      // A figure's caption has its key twice; the text goes inside.
      if (!name || element.querySelector(`.${name}`)) continue;
      const text = document.createElement("span");
      text.className = "side";
      text.lang = button.dataset.lang;
      text.innerHTML = texts[name.slice(5)];
      // Numbers, names and code are the same in both languages.
      if (plain(text) !== plain(element)) element.append(text);
    }
  };

  const turn = async (on) => {
    button.setAttribute("aria-pressed", on);
    status.textContent = "";
    if (!on) return hide();
    try {
      const texts = await load();
      if (button.getAttribute("aria-pressed") === "true") show(texts);
    } catch {
      button.setAttribute("aria-pressed", false);
      status.textContent = button.dataset.failed;
    }
  };

  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    remember(on);
    turn(on);
  });
  // Another tab has switched it.
  addEventListener("storage", (event) => event.key === key && turn(recall()));
  button.hidden = false;
  if (recall()) {
    turn(true).then(() => location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView());
  }
}
