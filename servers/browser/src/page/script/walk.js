// The walk over the composed tree that turns a page into entries: what is named, can be acted on or gives structure.
//
// An entry: r role, n name, e ref, i identity, l level, v value, s states, x extra, z zone, k children, t cells of a row,
// b behind a modal dialog, m how many nodes were not walked.

function newTour(root, options) {
  const total = elementsNamed(document, '*').length;
  return {
    nodes: 0, entries: 0, characters: 0, hidden: 0, undrawn: 0, full: false,
    deadline: performance.now() + (options.milliseconds ?? LIMITS.milliseconds),
    large: total > LIMITS.large && !options.whole,
    deferred: [], focused: activeElement(), modal: options.whole ? null : modalDialog(), total,
  };
}

// The dialog that takes all input, if one does.
function modalDialog() {
  const dialogs = [...attempt(() => document.querySelectorAll('dialog:modal,[aria-modal="true"]'), [])].slice(-20).reverse();
  return dialogs.find((dialog) => {
    const box = boxOf(dialog);
    if (box.width < 20 || box.height < 20 || !isRendered(dialog, { opacityProperty: true, visibilityProperty: true }) || zoneOf(box) !== 0) return false;
    return attempt(() => matches(dialog, ':modal'), false) || holds(dialog, topmostAt((Math.max(box.left, 0) + Math.min(box.right, innerWidth)) / 2, (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2));
  }) ?? null;
}

function spend(tour) {
  if (tour.full) return false;
  tour.nodes += 1;
  if (tour.nodes > LIMITS.nodes || tour.entries > LIMITS.entries || tour.characters > LIMITS.characters) tour.full = true;
  else if (tour.nodes > 1000 && tour.nodes % 32 === 0 && performance.now() > tour.deadline) tour.full = true;
  return !tour.full;
}

const newBuilder = () => ({ list: [], text: '', owner: null, style: null });

function push(tour, builder, entry) {
  tour.entries += 1;
  tour.characters += (entry.n?.length ?? 0) + (entry.v?.length ?? 0) + (entry.x?.length ?? 0) + 30;
  builder.list.push(entry);
  return entry;
}

// Ends a run of text: it becomes one entry, or a note that it is hidden.
function flush(tour, builder, at) {
  const { text, owner, style } = builder;
  builder.text = '';
  if (!text || at.silent) return;
  const line = clean(text, LIMITS.text);
  if (!/[^|·•\s]/.test(line)) return;
  const words = line.split(' ').length;
  const reason = at.hiding || (words > 3 || line.length > 24 ? attempt(() => textHiding(owner, style), '') : '');
  if (reason) return noteHidden(tour, builder, owner, line, reason);
  push(tour, builder, { r: 'text', n: line, i: identityOf(owner), z: zoneOf(boxOf(owner)), ...behind(at) });
}

const behind = (at) => (at.behind ? { b: 1 } : {});

function noteHidden(tour, builder, owner, text, reason) {
  if (tour.hidden >= LIMITS.hidden || text.split(' ').length < 4) return;
  tour.hidden += 1;
  push(tour, builder, { r: 'hidden', n: cut(text, 160), x: reason, i: identityOf(owner), z: 0 });
}

function walkChildren(tour, node, style, builder, at) {
  if (at.depth > LIMITS.depth) return void (isElement(node) && leaveOut(tour, builder, node, at));
  const below = { ...at, depth: at.depth + 1, pointer: style ? style.cursor : at.pointer };
  for (const child of composedChildren(node)) {
    const type = nodeType(child);
    if (type === TEXT) addText(tour, builder, child, node, style, below);
    else if (type === ELEMENT) {
      if (!spend(tour)) return leaveOut(tour, builder, child, below);
      visit(tour, child, builder, below);
    }
  }
}

function addText(tour, builder, child, parent, style, at) {
  const data = child.data;
  if (at.silent || at.unseen) return;
  if (builder.text === '') {
    if (!/\S/.test(data)) return;
    builder.owner = nodeType(parent) === ELEMENT ? parent : parent.host;
    builder.style = style ?? getComputedStyle(builder.owner);
  }
  if (builder.text.length < LIMITS.text * 4) builder.text += data.length > 4000 ? data.slice(0, 4000) : data;
}

// What the limits leave out is counted, under the element that can be expanded.
function leaveOut(tour, builder, element, at) {
  const last = builder.list.at(-1);
  if (last && last.r === 'more') last.m += 1;
  else builder.list.push({ r: 'more', m: 1, i: identityOf(element), z: 2, e: refOf(composedParent(element) ?? element), ...behind(at) });
}

function defer(tour, builder, element, at) {
  flush(tour, builder, at);
  const last = builder.list.at(-1);
  if (last && last.nodes && last.r === 'more') {
    last.nodes.push(element);
    last.m += 1;
    return;
  }
  const entry = { r: 'more', m: 1, nodes: [element], at, i: identityOf(element), z: 2, e: refOf(composedParent(element) ?? element), ...behind(at) };
  builder.list.push(entry);
  tour.deferred.push(entry);
}

// Walks what was put off, in the order of the page, as far as the limits allow.
function expandDeferred(tour) {
  for (const entry of tour.deferred) {
    const builder = newBuilder();
    const { nodes, at } = entry;
    let done = 0;
    while (done < nodes.length && spend(tour)) {
      visit(tour, nodes[done], builder, { ...at, eager: true });
      done += 1;
    }
    flush(tour, builder, at);
    delete entry.nodes;
    delete entry.at;
    entry.k = builder.list;
    entry.m = nodes.length - done;
    if (entry.m === 0) delete entry.e;
  }
}

function visit(tour, element, builder, before) {
  const tag = localName(element);
  if (tag === 'br') return void (builder.text &&= `${builder.text} `);
  if (SKIPPED.has(tag)) return;
  const style = getComputedStyle(element);
  if (style.display === 'none') return unseen(tour, element, builder, before);
  const inline = style.display.startsWith('inline') || style.display === 'contents' || style.display.startsWith('ruby');
  if (tour.large && !before.eager && !inline && isFar(element)) return defer(tour, builder, element, before);
  const at = look(tour, element, style, before);
  if (!inline) flush(tour, builder, before);
  enter(tour, element, tag, style, builder, at);
  if (!inline) flush(tour, builder, at);
}

function isFar(element) {
  const box = boxOf(element);
  return box.height > 0 && zoneOf(box) === 2;
}

// Notes what is hidden from here on, and what stands behind a modal dialog.
function look(tour, element, style, at) {
  const hiding = at.hiding || ownHiding(element, style);
  const unseen = style.visibility !== 'visible';
  const back = element === tour.modal ? false : at.behind;
  if (hiding === at.hiding && unseen === at.unseen && back === at.behind) return at;
  return { ...at, hiding, unseen, behind: back };
}

// Text that is not drawn is only worth a note if nothing on the page explains it. A control that is not drawn may stand behind
// a label that is.
function unseen(tour, element, builder, at) {
  if (at.silent || tour.undrawn >= LIMITS.undrawn) return;
  const text = firstChild(element) ? unexplainedText(element) : '';
  if (text.split(' ').length < 8) return;
  tour.undrawn += 1;
  flush(tour, builder, at);
  noteHidden(tour, builder, element, text, 'not drawn');
}

function enter(tour, element, tag, style, builder, at) {
  const role = roleOf(element);
  if (tag === 'svg') return enterDrawing(tour, element, style, builder, at);
  if (tag === 'legend' || tag === 'caption') return enterTitle(tour, element, style, builder, at);
  if (tag === 'label') return enterLabel(tour, element, style, builder, at);
  if (tag === 'details' && !element.open) return enterClosed(tour, element, builder, at);
  if (role === 'frame') return enterFrame(tour, element, builder, at);
  if (INTERACTIVE.has(role)) return enterInteractive(tour, element, role, style, builder, at);
  if (role === 'heading') return enterHeading(tour, element, style, builder, at);
  if (role === 'image') return enterImage(tour, element, style, builder, at);
  if (role === 'table') return enterTable(tour, element, style, builder, at);
  if (role === 'row') return enterRow(tour, element, style, builder, at);
  if (CONTAINERS.has(role) && !CLICKED_CONTAINERS.has(role)) return enterContainer(tour, element, role, style, builder, at);
  const clickable = !at.unseen && isClickable(element, style, at.pointer);
  if (clickable && isTangible(element)) return enterClickable(tour, element, role, style, builder, at);
  if (CONTAINERS.has(role)) return enterContainer(tour, element, role, style, builder, at);
  if (isScroller(element, style)) return enterContainer(tour, element, 'scrollable', style, builder, at);
  if (style.contentVisibility !== 'hidden') walkChildren(tour, element, style, builder, at);
}

// Containers that people click as a whole; listeners on others serve what they hold.
const CLICKED_CONTAINERS = new Set(['item', 'article', 'group']);

function isTangible(element) {
  const box = boxOf(element);
  return box.width > 1 && box.height > 1 && !isBig(box);
}

function isScroller(element, style) {
  if (style.overflowY !== 'auto' && style.overflowY !== 'scroll' && style.overflowX !== 'auto' && style.overflowX !== 'scroll') return false;
  if (element === bodyOf(document) || element === rootElement(document)) return false;
  return element.scrollHeight > element.clientHeight * 1.15 + 8 || element.scrollWidth > element.clientWidth * 1.15 + 8;
}

function act(tour, element, role, name, at) {
  const entry = { r: role, n: name || undefined, e: refOf(element), i: identityOf(element), z: zoneOf(boxOf(element)), ...behind(at) };
  rememberRef(entry.e, role, name);
  return entry;
}

function describe(tour, element, role, name, at) {
  const entry = act(tour, element, role, name, at);
  const value = attempt(() => valueOf(element, role), undefined);
  if (value !== undefined && value !== name) entry.v = value;
  const extra = attempt(() => extraOf(element, role, name, value), '');
  if (extra) entry.x = extra;
  const states = attempt(() => statesOf(element, role, tour.focused), []);
  if (states.length > 0) entry.s = states;
  return entry;
}

// Fields that styles hide on purpose, under a drawing of their own, are still what takes the input.
const OVERLAID = new Set(['checkbox', 'radio', 'file', 'slider', 'switch']);
function isActionable(element, role, style, at) {
  if (at.unseen) return false;
  if (at.hiding && !(at.hiding !== 'off screen' && (OVERLAID.has(role) || (at.hiding === 'transparent' && style.pointerEvents !== 'none')))) return false;
  const box = boxOf(element);
  if (isBeyondReach(box, style)) return false;
  return (box.width > 0 && box.height > 0) || style.display === 'contents' || element.children.length > 0;
}

const NESTED = 'a[href],button,input:not([type=hidden]),select,textarea,[contenteditable],iframe,[role=button],[role=link],[role=checkbox],[role=menuitem],[role=textbox],[role=option],[role=treeitem],[role=tab]';
function enterInteractive(tour, element, role, style, builder, at) {
  if (!isActionable(element, role, style, at) || (role === 'canvas' && isUnreachable(element, style))) return;
  flush(tour, builder, at);
  const within = nestedRoles(element, role);
  const name = within && role !== 'option' && role !== 'tab' ? nameWithout(element, role) : nameOf(element, role);
  const entry = describe(tour, element, role, name, at);
  push(tour, builder, entry);
  if (!within) return;
  const inner = newBuilder();
  walkChildren(tour, element, style, inner, at);
  flush(tour, inner, at);
  if (inner.list.length === 1 && inner.list[0].n === entry.n && !inner.list[0].v) return;
  if (inner.list.length > 0) entry.k = inner.list;
}

// A canvas that lies behind the page, or lets clicks through, is decoration.
function isUnreachable(element, style) {
  if (style.pointerEvents === 'none') return true;
  const aimed = attempt(() => aim(element), null);
  return aimed !== null && aimed.over !== null && !holds(aimed.over, element) && Number(style.zIndex) < 0;
}

// True if other things to act on stand inside: then this one is a container too.
function nestedRoles(element, role) {
  if (role === 'textbox' || role === 'searchbox' || localName(element) === 'select' || childCount(element) === 0) return role === 'treeitem' && shadowOf(element) !== null;
  return role === 'treeitem' || role === 'listbox' || attempt(() => query(element, NESTED), null) !== null;
}

function nameWithout(element, role) {
  return referredText(element, 'aria-labelledby') || clean(attribute(element, 'aria-label') || attribute(element, 'title'), LIMITS.name) || (role === 'combobox' ? labelsOf(element) : '');
}

function enterHeading(tour, element, style, builder, at) {
  const name = nameOf(element, 'heading');
  if (!name || at.silent || at.unseen) return;
  if (at.hiding) return noteHidden(tour, builder, element, name, at.hiding);
  flush(tour, builder, at);
  const level = Number(attribute(element, 'aria-level')) || Number(/^h([1-6])$/.exec(localName(element))?.[1]) || 2;
  const entry = { r: 'heading', l: level, n: name, i: identityOf(element), z: zoneOf(boxOf(element)), ...behind(at) };
  if (isClickable(element, style, at.pointer)) rememberRef((entry.e = refOf(element)), 'heading', name);
  push(tour, builder, entry);
  if (attempt(() => query(element, NESTED), null) === null) return;
  const inner = newBuilder();
  walkChildren(tour, element, style, inner, { ...at, silent: true });
  if (inner.list.length === 1 && inner.list[0].n === name) Object.assign(builder.list.at(-1), { e: inner.list[0].e });
  else if (inner.list.length > 0) entry.k = inner.list;
}

function enterImage(tour, element, style, builder, at) {
  if (at.unseen || at.hiding) return;
  const name = nameOf(element, 'image');
  const box = boxOf(element);
  const clickable = isClickable(element, style, at.pointer) && isTangible(element);
  if (!clickable && (localName(element) === 'img' ? !(name ? box.width > 12 : box.width >= 60 && box.height >= 60) : !name)) return walkChildren(tour, element, style, builder, at);
  flush(tour, builder, at);
  const entry = clickable ? describe(tour, element, 'image', name, at) : { r: 'image', n: name || undefined, i: identityOf(element), z: zoneOf(box), ...behind(at) };
  if (!name && !clickable) entry.x = hintOf(element);
  push(tour, builder, entry);
}

// The words of a legend or a caption are the name of what it stands in.
function enterTitle(tour, element, style, builder, at) {
  const owner = parentNode(element);
  const isSaid = isElement(owner) && ['fieldset', 'table'].includes(localName(owner)) && nameOf(owner, roleOf(owner)) !== '';
  walkChildren(tour, element, style, builder, { ...at, silent: at.silent || isSaid });
}

// The text of a label is the name of its control and is not said twice. A control that is not drawn is acted on by its label.
function enterLabel(tour, element, style, builder, at) {
  const control = attempt(() => element.control, null);
  if (!control || control.type === 'hidden' || at.unseen) return walkChildren(tour, element, style, builder, at);
  if (standIn(control) === element && isTangible(element)) {
    flush(tour, builder, at);
    const role = roleOf(control);
    const entry = { ...describe(tour, control, role, nameOf(control, role), at), z: zoneOf(boxOf(element)) };
    return void push(tour, builder, entry);
  }
  const saysMore = nameOf(control, roleOf(control)) !== contentText(element, LIMITS.name, true, control);
  walkChildren(tour, element, style, builder, { ...at, silent: at.silent || !saysMore });
}

function enterClosed(tour, element, builder, at) {
  for (const child of childNodes(element)) {
    if (nodeType(child) === ELEMENT && localName(child) === 'summary') return visit(tour, child, builder, at);
  }
}

function enterFrame(tour, element, builder, at) {
  const box = boxOf(element);
  if (at.unseen || at.hiding || box.width < 8 || box.height < 8) return;
  flush(tour, builder, at);
  const entry = act(tour, element, 'frame', nameOf(element, 'frame'), at);
  entry.f = { index: frameIndex(element), url: clean(attempt(() => element.contentWindow.location.href, '') || element.src || '', 300) };
  push(tour, builder, entry);
}

function frameIndex(element) {
  const inner = attempt(() => element.contentWindow, null);
  for (let at = 0; inner && at < Math.min(window.length, 200); at += 1) if (window[at] === inner) return at;
  return -1;
}

// Something clickable without a role. With other things to act on inside, it is a container; else its content is its name.
function enterClickable(tour, element, role, style, builder, at) {
  if (at.hiding && at.hiding !== 'transparent') return;
  flush(tour, builder, at);
  const inner = newBuilder();
  walkChildren(tour, element, style, inner, at);
  flush(tour, inner, at);
  const draggable = isDraggable(element, style, at.pointer);
  const single = inner.list.length === 1 ? inner.list[0] : null;
  if (single?.e && !draggable && INTERACTIVE.has(single.r)) return void builder.list.push(single);
  const kind = CONTAINERS.has(role) ? role : 'clickable';
  const leaf = inner.list.every((entry) => entry.r === 'text' || (entry.r === 'image' && !entry.e) || entry.r === 'heading' && !entry.e);
  const text = leaf ? contentText(element, LIMITS.name) : '';
  const entry = describe(tour, element, kind, nameOf(element, role) || text, at);
  if (!entry.n && leaf && !draggable) entry.x = [entry.x, paintOf(style)].filter(Boolean).join(' ') || undefined;
  if (draggable) entry.s = [...(entry.s ?? []), handlePlace(element, style), 'draggable'].filter(Boolean);
  if (!leaf) entry.k = inner.list;
  push(tour, builder, entry);
}

// How far along its track the handle of a slider is.
function handlePlace(element, style) {
  const track = element.parentElement ? boxOf(element.parentElement) : null;
  const box = boxOf(element);
  if (!track || style.position !== 'absolute' || box.width > 40 || box.height > 40 || Math.min(track.width, track.height) > 40) return '';
  const along = track.width >= track.height ? (box.left + box.width / 2 - track.left) / track.width : (track.bottom - box.top - box.height / 2) / track.height;
  return Math.max(track.width, track.height) > 2 * Math.max(box.width, box.height) ? `at ${Math.round(100 * along)}%` : '';
}

// The colour of something that has no words.
function paintOf(style) {
  const ground = colourOf(style.backgroundColor);
  return ground && ground[3] > 0.3 ? colourName(ground).replace('#', 'colour #') : '';
}

function enterContainer(tour, element, role, style, builder, at) {
  const inner = newBuilder();
  walkChildren(tour, element, style, inner, at);
  flush(tour, inner, at);
  if (inner.list.length === 0) return;
  const name = at.silent ? '' : containerName(element, role);
  const entry = { r: role, n: name || undefined, k: inner.list, i: identityOf(element), ...behind(at) };
  if (role === 'scrollable' || role === 'dialog' || inner.list.length > 7 || role === 'form') rememberRef((entry.e = refOf(element)), role, name);
  if (role === 'scrollable') entry.x = `(${Math.round(100 * element.scrollTop / Math.max(1, element.scrollHeight - element.clientHeight))}%)`;
  if (role === 'cell') delete entry.n;
  push(tour, builder, entry);
}

function containerName(element, role) {
  if (role === 'item' || role === 'list' || role === 'alert' || role === 'status' || role === 'scrollable' || role === 'tabpanel') return clean(attribute(element, 'aria-label'), LIMITS.name) || referredText(element, 'aria-labelledby');
  return nameOf(element, role);
}
