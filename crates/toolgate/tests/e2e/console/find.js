// Finds what a person means by what stands on the page. Put before every script that a test runs.
const plain = (text) => (text || "").replace(/[\u2066-\u2069\u200e\u200f]/g, "").replace(/\s+/g, " ").trim().toLowerCase();
const visible = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
const named = (element) => {
  const by = element.getAttribute("aria-labelledby");
  if (by) return by.split(/\s+/).map((id) => document.getElementById(id)?.textContent || "").join(" ");
  return element.getAttribute("aria-label") || element.innerText || element.value || element.title || "";
};
// The nearest to what was said: the same, then what begins like it, then what holds it. Among equals the shortest,
// so that a link in a row comes before the row.
const best = (elements, name, of) => {
  const wanted = plain(name);
  const found = [];
  for (const element of elements) {
    const text = plain(of(element));
    const rank = text === wanted ? 0 : text.startsWith(wanted) ? 1 : text.includes(wanted) ? 2 : 3;
    if (rank < 3 && visible(element)) found.push({ element, key: [rank, rank === 0 ? 0 : text.length] });
  }
  found.sort((one, two) => one.key[0] - two.key[0] || one.key[1] - two.key[1]);
  return found.length ? found[0].element : null;
};
const CONTROLS = "a[href], button, summary, input[type=submit], input[type=button], [role=button], [role=tab], [role=menuitem]";
// What only the keyboard presses, and nobody sees, is not clicked.
const clickable = (within) => [...(within || document).querySelectorAll(CONTROLS)].filter((one) => one.tabIndex >= 0);
const control = (name, within) => best(clickable(within), name, named);
const FIELDS = "input:not([type=hidden]):not([type=submit]), select, textarea";
const labelled = (element) => [...(element.labels || [])].map((label) => label.textContent).join(" ") || named(element);
const field = (name, within) => best((within || document).querySelectorAll(FIELDS), name, labelled);
// The smallest part of the page that says this and has such a control in it.
const part = (text, wants) => {
  const wanted = plain(text);
  const parts = [...document.querySelectorAll("tr, li, article, fieldset, form, section, details, dl, div")];
  const fitting = parts.filter((part) => plain(part.innerText).includes(wanted) && wants(part));
  fitting.sort((one, two) => one.innerText.length - two.innerText.length);
  return fitting[0] || null;
};
