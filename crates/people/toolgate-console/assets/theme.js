// Runs before the page is painted, so that it is never first shown in the other colours.
(() => {
  const chosen = localStorage.getItem("toolgate-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
