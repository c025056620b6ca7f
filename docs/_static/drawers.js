// The drawers of a narrow screen are opened by checkboxes. Space ticks these by itself; here are Enter, and Escape to close.
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.matches(".sidebar-toggle")) event.target.click();
  if (event.key === "Escape")
    for (const box of document.querySelectorAll(".sidebar-toggle:checked")) {
      box.click();
      box.focus();
    }
});
