// Secrets out of pictures: whatever holds one gets no ink while a picture is taken.

const covered = new Map();
const COVERED_MAX = 200;

// { hide } → how many elements were covered. Password fields and whatever shows one of the values.
function blur_secrets(argument) {
  conceal(argument.hide);
  const found = new Set();
  for (const root of allRoots()) {
    for (const field of root.querySelectorAll('input,textarea,select,[contenteditable]')) if (holdsSecret(field)) found.add(field);
    if (concealed.length > 0) textSecrets(root, found);
  }
  for (const element of [...found].slice(0, COVERED_MAX)) cover(element);
  return { covered: covered.size };
}

function holdsSecret(field) {
  if (isPassword(field)) return true;
  const value = String(field.value ?? '');
  return concealed.some((secret) => value.includes(secret));
}

// Text may be split over nodes: the smallest element that holds all of a value is covered.
function textSecrets(root, found) {
  const top = root === document ? bodyOf(document) : root;
  if (!top) return;
  const walker = document.createTreeWalker(top, NodeFilter.SHOW_ELEMENT);
  for (let node = root === document ? top : walker.nextNode(), seen = 0; node && seen < LIMITS.nodes; seen += 1) {
    const said = node.textContent ?? '';
    const secret = said.length < 2000000 && concealed.some((value) => said.includes(value));
    if (secret && ![...node.children].some((child) => concealed.some((value) => (child.textContent ?? '').includes(value)))) found.add(node);
    node = secret ? walker.nextNode() : nextOutside(walker);
  }
}

// The next node that is not inside the current one.
function nextOutside(walker) {
  for (let next = walker.nextSibling(); ; next = walker.nextSibling()) {
    if (next) return next;
    if (!walker.parentNode()) return null;
  }
}

function cover(element) {
  if (covered.has(element) || !element.style) return;
  covered.set(element, attribute(element, 'style'));
  const style = element.style;
  for (const [name, value] of [['color', 'transparent'], ['-webkit-text-fill-color', 'transparent'], ['text-shadow', 'none'], ['caret-color', 'transparent'], ['background', '#888'], ['fill', '#888'], ['transition', 'none']]) style.setProperty(name, value, 'important');
}

function unblur_secrets() {
  for (const [element, style] of covered) {
    if (style === null) element.removeAttribute('style');
    else element.setAttribute('style', style);
  }
  covered.clear();
  return { covered: 0 };
}
