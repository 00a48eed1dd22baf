// Accessible names, in the order that the specification gives: labelledby, label, the element's own way, content, title.

function nameOf(element, role) {
  return attempt(() => computeName(element, role), '');
}

function computeName(element, role) {
  const referred = referredText(element, 'aria-labelledby');
  if (referred) return referred;
  const label = clean(attribute(element, 'aria-label'), LIMITS.name);
  if (label) return label;
  const own = ownName(element, role);
  if (own) return own;
  if (NAMED_BY_CONTENT.has(role)) {
    const content = contentText(element, LIMITS.name);
    if (content) return content;
  }
  return clean(attribute(element, 'title') || attribute(element, 'aria-placeholder') || attribute(element, 'placeholder') || attribute(element, 'data-tooltip'), LIMITS.name);
}

function referredText(element, name) {
  const ids = attribute(element, name);
  if (!ids) return '';
  const texts = ids.split(/\s+/).slice(0, 8).map((id) => {
    const other = elementById(element, id);
    if (!other) return '';
    return clean(attribute(other, 'aria-label'), LIMITS.name) || contentText(other, LIMITS.name, true);
  });
  return clean(texts.join(' '), LIMITS.name);
}

function ownName(element, role) {
  const tag = localName(element);
  if (tag === 'input' && ['button', 'submit', 'reset'].includes(element.type)) {
    return clean(element.value, LIMITS.name) || labelsOf(element) || { submit: 'Submit', reset: 'Reset', button: '' }[element.type];
  }
  if (tag === 'input' || tag === 'select' || tag === 'textarea' || tag === 'progress' || tag === 'meter' || tag === 'output') return labelsOf(element) || (tag === 'input' ? clean(attribute(element, 'alt'), LIMITS.name) : '');
  if (tag === 'img' || tag === 'area') return clean(attribute(element, 'alt'), LIMITS.name);
  if (tag === 'svg') return svgTitle(element);
  if (tag === 'fieldset') return firstText(element, 'legend');
  if (tag === 'table') return firstText(element, 'caption');
  if (tag === 'iframe') return clean(attribute(element, 'title') || attribute(element, 'name'), LIMITS.name);
  if (tag === 'button' || NAMED_BY_CONTENT.has(role)) return '';
  return labelsOf(element);
}

function labelsOf(element) {
  const labels = attempt(() => element.labels, null);
  if (!labels || !labels.length) return '';
  return clean([...labels].slice(0, 3).map((label) => contentText(label, LIMITS.name, true, element)).join(' '), LIMITS.name);
}

function svgTitle(element) {
  for (let child = firstChild(element); child; child = nextSibling(child)) {
    if (nodeType(child) === ELEMENT && localName(child) === 'title') return clean(child.textContent, LIMITS.name);
  }
  return '';
}

function firstText(element, tag) {
  for (let child = firstChild(element); child; child = nextSibling(child)) {
    if (nodeType(child) === ELEMENT && localName(child) === tag) return contentText(child, LIMITS.name);
  }
  return '';
}

// Text of an element as it is laid out, with the names of pictures, without what is not drawn.
function contentText(element, limit, evenHidden = false, without = null) {
  const parts = [];
  const state = { left: limit * 3, nodes: 400 };
  gather(element, parts, state, evenHidden && !isRendered(element), without, 0);
  return clean(parts.join(''), limit);
}

function gather(node, parts, state, evenHidden, without, depth) {
  if (state.left <= 0 || depth > 60) return;
  for (const child of composedChildren(node)) {
    if (state.left <= 0 || (state.nodes -= 1) < 0) return;
    const type = nodeType(child);
    if (type === TEXT) {
      parts.push(child.data.slice(0, 2000));
      state.left -= Math.min(child.data.trim().length, 2000);
    } else if (type === ELEMENT && child !== without) gatherElement(child, parts, state, evenHidden, without, depth);
  }
}

function gatherElement(child, parts, state, evenHidden, without, depth) {
  const tag = localName(child);
  if (SKIPPED.has(tag) || (!evenHidden && !isDrawn(child))) return;
  const label = attribute(child, 'aria-label');
  if (label && tag !== 'select') {
    parts.push(` ${label} `);
    state.left -= label.length;
  } else if (tag === 'img') parts.push(` ${attribute(child, 'alt') ?? ''} `);
  else if (tag === 'svg') parts.push(` ${svgTitle(child)} `);
  else if (tag === 'input' || tag === 'textarea' || tag === 'select') parts.push(' ');
  else {
    const apart = !/^(inline|contents|ruby)$/.test(getComputedStyle(child).display);
    if (apart) parts.push(' ');
    gather(child, parts, state, evenHidden, without, depth + 1);
    if (apart) parts.push(' ');
  }
}

// Something to tell an unnamed element by: its id, class, data or picture.
function hintOf(element) {
  return oneWord(hintWords(element));
}

// A hint stands outside of quotes, so it must not read like a sentence, nor like a ref: it begins with a mark.
const oneWord = (text) => text.replace(/[\s"'[\]()=]+/g, '_');

function hintWords(element) {
  const id = attribute(element, 'id');
  if (id && id.length < 30 && !/\d{4,}/.test(id)) return `#${clean(id, 30)}`;
  const source = attribute(element, 'src') || attempt(() => attribute(query(element, 'img[src]'), 'src'), '');
  const file = source && !source.startsWith('data:') ? source.split(/[?#]/)[0].split('/').pop() : '';
  if (file) return `/${clean(file, 30)}`;
  const classes = (attribute(element, 'class') ?? '').split(/\s+/).filter((word) => word && word.length < 24 && !/\d{3,}|__|^(css|sc)-/.test(word));
  if (classes.length > 0) return `.${clean(classes.slice(0, 2).join('.'), 40)}`;
  const inner = attempt(() => attribute(query(element, 'svg[class],i[class],span[class],use[href]'), 'class'), '');
  return inner ? `.${clean(inner.trim().split(/\s+/).slice(0, 2).join('.'), 40)}` : '';
}
