// A narrow screen hides the sidebar and the contents in drawers, which labels open with the mouse. Here the labels' icons become
// buttons, for the keyboard and for screen readers.
for (const label of document.querySelectorAll(".nav-overlay-icon, .toc-overlay-icon")) {
  const box = document.getElementById(label.htmlFor);
  const drawer = document.querySelector(box.id === "__toc" ? ".toc-drawer" : ".sidebar-drawer");
  const button = label.firstElementChild;
  const tell = () => button.setAttribute("aria-expanded", box.checked);
  button.setAttribute("role", "button");
  button.setAttribute("aria-label", box.getAttribute("aria-label"));
  button.tabIndex = 0;
  tell();
  box.addEventListener("change", tell);
  button.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    box.click();
    if (box.checked) [...drawer.querySelectorAll("a")].find((link) => link.checkVisibility())?.focus();
  });
  drawer.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !box.checked || !button.checkVisibility()) return;
    box.click();
    button.focus();
  });
}
