// From a ref or a selector to one element, where it is, and what lies over it.

const problem = (kind, details) => ({ problem: { kind, ...details } });

// The element that `target` names, or a thrown problem that says what became of it.
function locate(target) {
  const number = /^e(\d+)$/.exec(target);
  return number ? byRef(Number(number[1])) : bySelector(target);
}

function byRef(number) {
  const element = refs.elements.get(number)?.deref();
  if (element && isConnected(element)) return { element };
  if (number < refs.base) throw problem('earlier_page', {});
  if (number >= refs.next) throw problem('never_given', { next: refs.next });
  const [role, name] = refs.last.get(number) ?? ['', ''];
  throw problem('removed', { role, name, now: replacements(role, name) });
}

// Elements of today with the role and the name of one that is gone.
function replacements(role, name) {
  if (!role) return [];
  const same = [];
  eachEntry(entriesOf(bodyOf(document) ?? rootElement(document), { whole: true }).list, (entry) => {
    if (entry.e && entry.r === role && (entry.n ?? '') === name && same.length < 5) same.push(brief(entry));
  });
  return same;
}

const brief = (entry) => ({ r: entry.r, n: entry.n, e: entry.e, x: entry.x, v: entry.v, s: entry.s, l: entry.l });

function eachEntry(list, look, above = []) {
  for (const entry of list) {
    look(entry, above);
    if (entry.t) for (const cell of entry.t) eachEntry(cell, look, [...above, entry]);
    if (entry.k) eachEntry(entry.k, look, [...above, entry]);
  }
}

function bySelector(selector) {
  const found = allMatches(selector);
  if (found.length === 0) throw problem('none', { near: nearTo(selector) });
  if (found.length === 1) return { element: found[0] };
  const drawn = found.filter((element) => isRendered(element, { visibilityProperty: true }) && boxOf(element).width > 0);
  if (drawn.length === 1) return { element: drawn[0] };
  const first = (drawn.length > 0 ? drawn : found).slice(0, 5);
  throw problem('many', { count: found.length, drawn: drawn.length, first: first.map(introduce) });
}

const MATCHES_MAX = 1000;
function allMatches(selector) {
  const found = [];
  for (const root of allRoots()) {
    let matched;
    try {
      matched = root.querySelectorAll(selector);
    } catch {
      throw problem('bad_selector', {});
    }
    for (const element of matched) if (found.push(element) >= MATCHES_MAX) return found;
  }
  return found;
}

function introduce(element) {
  const role = roleOf(element);
  const name = nameOf(element, role) || contentText(element, 60);
  const number = refOf(element);
  rememberRef(number, role, name);
  return { r: role || plainTag(element), n: cut(name, 60) || undefined, e: number, x: name ? undefined : hintOf(element) || undefined };
}

// Elements whose id, class, name or label shares a word with a selector that matched nothing.
function nearTo(selector) {
  const words = (selector.match(/[a-z0-9]{3,}/gi) ?? []).map((word) => word.toLowerCase()).filter((word) => !['div', 'span', 'input', 'button', 'type', 'name', 'class', 'nth', 'child', 'first', 'last', 'not', 'href'].includes(word));
  if (words.length === 0) return [];
  const near = [];
  const candidates = attempt(() => document.querySelectorAll('a[href],button,input:not([type=hidden]),select,textarea,[role],[id],[onclick],[contenteditable]'), []);
  for (let at = 0; at < Math.min(candidates.length, 3000) && near.length < 5; at += 1) {
    const element = candidates[at];
    const said = `${attribute(element, 'id') ?? ''} ${attribute(element, 'class') ?? ''} ${attribute(element, 'name') ?? ''} ${attribute(element, 'aria-label') ?? ''} ${attribute(element, 'placeholder') ?? ''} ${attribute(element, 'data-testid') ?? ''}`.toLowerCase();
    const acts = INTERACTIVE.has(roleOf(element)) && isRendered(element);
    if (acts && (words.some((word) => said.includes(word)) || words.some((word) => nameOf(element, roleOf(element)).toLowerCase().includes(word)))) near.push(introduce(element));
  }
  return near;
}

// The element drawn on top at a point, through open shadow roots.
function topmostAt(x, y) {
  let hit = document.elementFromPoint(x, y);
  for (let steps = 0; hit && steps < 50; steps += 1) {
    const shadow = shadowOf(hit);
    const inner = shadow ? shadow.elementFromPoint(x, y) : null;
    if (!inner || inner === hit) break;
    hit = inner;
  }
  return hit;
}

function takesClicksOf(hit, element) {
  if (!hit) return false;
  if (holds(element, hit)) return true;
  const label = attempt(() => closest(hit, 'label'), null);
  if (label && (label.control === element || contains(label, element))) return true;
  if (holds(hit, element) && (getComputedStyle(element).pointerEvents === 'none' || OVERLAID.has(roleOf(element)) || getComputedStyle(element).display === 'contents')) return hit !== bodyOf(document) && hit !== rootElement(document);
  return false;
}

const POINTS = [[0.5, 0.5], [0.5, 0.25], [0.5, 0.75], [0.2, 0.5], [0.8, 0.5], [0.1, 0.1], [0.9, 0.9], [0.9, 0.1], [0.1, 0.9]];

// A point of the element that takes its clicks, or the first point and what lies over it.
function aim(element) {
  const boxes = [...boxesOf(element)].filter((box) => box.width > 0 && box.height > 0).slice(0, 6);
  if (boxes.length === 0) return null;
  let first = null;
  for (const box of boxes) {
    const seen = { left: Math.max(box.left, 0), top: Math.max(box.top, 0), right: Math.min(box.right, innerWidth), bottom: Math.min(box.bottom, innerHeight) };
    if (seen.right <= seen.left || seen.bottom <= seen.top) continue;
    for (const [across, down] of POINTS) {
      const point = { x: seen.left + (seen.right - seen.left) * across, y: seen.top + (seen.bottom - seen.top) * down };
      const hit = topmostAt(point.x, point.y);
      first ??= { point, over: hit, rect: around(point, seen) };
      if (takesClicksOf(hit, element)) return { point, over: null, rect: around(point, seen) };
    }
  }
  return first;
}

// The largest part of a box whose middle is the point.
function around(point, box) {
  const across = Math.min(point.x - box.left, box.right - point.x);
  const down = Math.min(point.y - box.top, box.bottom - point.y);
  return { x: point.x - across, y: point.y - down, width: 2 * across, height: 2 * down };
}

// The element whose place stands for another: the label of a field that is drawn by its label.
function standIn(element) {
  const role = roleOf(element);
  if (!OVERLAID.has(role)) return element;
  const box = boxOf(element);
  if (box.width > 4 && box.height > 4 && isRendered(element, { visibilityProperty: true }) && ownHiding(element, getComputedStyle(element)) !== 'clipped') return element;
  const label = [...(attempt(() => element.labels, null) ?? [])].find((one) => boxOf(one).width > 4);
  return label ?? element;
}

function isWhollySeen(box) {
  return box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
}

// { target, scroll? } → where an element is and what it is. It is scrolled into view unless `scroll` is false.
function resolve(argument) {
  const { element } = locate(argument.target);
  const place = standIn(element);
  let aimed = attempt(() => aim(place), null);
  if (argument.scroll !== false && (!aimed || aimed.over !== null || !isWhollySeen(boxOf(place)))) {
    attempt(() => place.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' }));
    aimed = attempt(() => aim(place), null);
  }
  const box = boxOf(place);
  return { ...about(element), rect: aimed?.rect ?? { x: box.x, y: box.y, width: box.width, height: box.height }, in_view: zoneOf(box) === 0 && aimed !== null, covered_by: aimed?.over ? coverName(aimed.over, element) : null };
}

// The name of what lies over an element: the nearest thing with a role around it that does not hold that element too.
function coverName(element, below = null) {
  let at = element;
  for (let steps = 0; at && steps < 6; steps += 1, at = composedParent(at)) {
    if (!isElement(at) || (below && holds(at, below))) break;
    const role = roleOf(at);
    if (role) {
      const { r, n, e, x } = introduce(at);
      return [r, n ? quote(n) : '', `[e${e}]`, n ? '' : x].filter(Boolean).join(' ');
    }
  }
  const said = contentText(element, 60);
  return [localName(element), said ? quote(said) : hintOf(element), `[e${refOf(element)}]`].filter(Boolean).join(' ');
}

function about(element) {
  const role = roleOf(element);
  const name = nameOf(element, role);
  const number = refOf(element);
  rememberRef(number, role, name);
  const tag = localName(element);
  const editable = EDITABLE.has(role) && !['color', 'slider'].includes(role) && tag !== 'select' && (tag === 'input' || tag === 'textarea' || element.isContentEditable === true);
  const link = attempt(() => closest(element, 'a[href],area[href]'), null);
  return {
    ref: number, role, name, tag, kind: kindOf(element), editable, disabled: isDisabled(element), readonly: isReadOnly(element),
    origin: location.origin === 'null' ? self.origin : location.origin, href: link ? clean(link.href, 500) : null,
    visible: isRendered(element, { visibilityProperty: true }), secret: isPassword(element),
  };
}

function kindOf(element) {
  const tag = localName(element);
  if (tag === 'input') return element.type;
  if (tag === 'select') return element.multiple ? 'select-multiple' : 'select';
  if (tag === 'textarea') return 'textarea';
  return element.isContentEditable ? 'contenteditable' : '';
}

// { x, y } → what is drawn on top there; for frames above another.
function at_point(argument) {
  const hit = topmostAt(argument.x, argument.y);
  if (!hit) return { frame: false, name: null };
  return { frame: roleOf(hit) === 'frame', name: coverName(hit) };
}
