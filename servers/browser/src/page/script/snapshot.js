// Tables, drawings, and the answer to `snapshot`.

function enterTable(tour, element, style, builder, at) {
  const inner = newBuilder();
  walkChildren(tour, element, style, inner, at);
  flush(tour, inner, at);
  if (inner.list.length === 0) return;
  const name = nameOf(element, 'table');
  if (isLayout(element, name, inner.list)) return void builder.list.push(...inner.list.flatMap(loosen));
  const entry = { r: 'table', n: name || undefined, k: inner.list, i: identityOf(element), ...behind(at) };
  rememberRef((entry.e = refOf(element)), 'table', name);
  push(tour, builder, entry);
}

// Tables that only place things: no heads, and rows with more than a line in them or a single column.
function isLayout(element, name, list) {
  if (name || hasAttribute(element, 'role') || attempt(() => query(element, 'th'), null)) return false;
  const rows = list.filter((entry) => entry.r === 'row');
  return rows.length < 2 || rows.some((row) => row.k) || rows.every((row) => row.t && row.t.length < 2);
}

const loosen = (entry) => (entry.r !== 'row' || entry.e ? [entry] : entry.t ? entry.t.flat() : entry.k ?? []);

// A row whose cells hold little is one line; another is a container.
function enterRow(tour, element, style, builder, at) {
  const cells = [];
  for (const child of composedChildren(element)) {
    if (nodeType(child) !== ELEMENT) continue;
    if (!spend(tour)) return leaveOut(tour, builder, child, at);
    const cellStyle = getComputedStyle(child);
    if (SKIPPED.has(localName(child)) || cellStyle.display === 'none') continue;
    cells.push(cellEntries(tour, child, cellStyle, at));
  }
  if (cells.every((cell) => cell.length === 0)) return;
  const entry = { r: 'row', i: identityOf(element), z: zoneOf(boxOf(element)), ...behind(at) };
  if (attempt(() => [...element.children].every((cell) => localName(cell) === 'th' || attribute(cell, 'role') === 'columnheader'), false)) entry.l = 1;
  if (isClickable(element, style, at.pointer)) rememberRef((entry.e = refOf(element)), 'row', '');
  const small = (cell) => cell.length <= 3 && cell.every((part) => !part.k && !part.t && part.r !== 'more' && (part.n?.length ?? 0) <= 120);
  if (cells.every(small)) entry.t = cells;
  else entry.k = cells.flat();
  push(tour, builder, entry);
}

function cellEntries(tour, cell, style, before) {
  const at = look(tour, cell, style, before);
  const inner = newBuilder();
  const role = roleOf(cell);
  if (role !== 'cell' && role !== '') enter(tour, cell, localName(cell), style, inner, at);
  else if (!at.unseen && isClickable(cell, style, at.pointer) && isTangible(cell)) enterClickable(tour, cell, '', style, inner, at);
  else walkChildren(tour, cell, style, inner, at);
  flush(tour, inner, at);
  return inner.list;
}

const COLOURS = Object.freeze({ '255,0,0': 'red', '0,128,0': 'green', '0,255,0': 'lime', '0,0,255': 'blue', '255,255,0': 'yellow', '0,0,0': 'black', '255,255,255': 'white', '128,128,128': 'grey', '255,165,0': 'orange', '128,0,128': 'purple', '255,192,203': 'pink', '0,255,255': 'cyan', '255,0,255': 'magenta', '165,42,42': 'brown', '0,0,128': 'navy', '0,128,128': 'teal', '211,211,211': 'lightgrey', '192,192,192': 'silver', '128,128,0': 'olive', '128,0,0': 'maroon' });
function colourName(colour) {
  const key = colour.slice(0, 3).map(Math.round).join(',');
  return COLOURS[key] ?? `#${colour.slice(0, 3).map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
}

// A drawing is an image with a name, or, if it is large or can be acted on, the list of its shapes.
const SHAPES_MAX = 60;
function enterDrawing(tour, element, style, builder, at) {
  if (at.unseen || at.hiding) return;
  const box = boxOf(element);
  const name = nameOf(element, 'image');
  const shapes = [...element.querySelectorAll('*')].filter((shape) => SHAPES.has(localName(shape)) && !['g', 'tspan'].includes(localName(shape)) || listening.clicks.has(shape));
  const live = isClickable(element, style, at.pointer) || shapes.some((shape) => listening.clicks.has(shape) || getComputedStyle(shape).cursor === 'pointer');
  if (!live && (box.width < 60 || box.height < 60 || shapes.length === 0)) {
    if (name && box.width > 12) push(tour, builder, { r: 'image', n: name, i: identityOf(element), z: zoneOf(box), ...behind(at) });
    return;
  }
  if (at.pointer === 'pointer' && box.width < 60) return;
  flush(tour, builder, at);
  const entry = { ...act(tour, element, 'drawing', name, at), x: `${Math.round(box.width)}×${Math.round(box.height)}` };
  const list = shapes.slice(0, SHAPES_MAX).map((shape) => shapeEntry(tour, shape, box, at)).filter(Boolean);
  if (list.length > 0) entry.k = list;
  if (shapes.length > SHAPES_MAX) list.push({ r: 'more', m: shapes.length - SHAPES_MAX, i: identityOf(element), z: 2, e: entry.e });
  push(tour, builder, entry);
}

function shapeEntry(tour, shape, frame, at) {
  if (!spend(tour)) return null;
  const style = getComputedStyle(shape);
  const box = boxOf(shape);
  if (style.display === 'none' || style.visibility !== 'visible' || (box.width === 0 && box.height === 0)) return null;
  const tag = localName(shape);
  const entry = act(tour, shape, tag === 'text' ? 'label' : plainTag(shape), tag === 'text' ? clean(shape.textContent, 60) : svgTitle(shape), at);
  const fill = colourOf(style.fill);
  const stroke = colourOf(style.stroke);
  const paint = fill && fill[3] > 0 ? colourName(fill) : stroke ? colourName(stroke) : '';
  entry.x = `${paint} ${Math.round(box.width)}×${Math.round(box.height)} at ${Math.round(box.left - frame.left)},${Math.round(box.top - frame.top)}`.trim();
  tour.entries += 1;
  tour.characters += 60;
  return entry;
}

// Walks a subtree and gives its entries.
function entriesOf(root, options) {
  const tour = newTour(root, options);
  const builder = newBuilder();
  const at = { depth: 0, silent: false, pointer: '', hiding: '', unseen: false, behind: tour.modal !== null, eager: false };
  if (options.whole) visit(tour, root, builder, at);
  else walkChildren(tour, root, getComputedStyle(root), builder, at);
  flush(tour, builder, at);
  expandDeferred(tour);
  return { tour, list: builder.list };
}

// { target?, hide?, from?, whole?, milliseconds? } → what the page shows.
function snapshot(argument) {
  conceal(argument.hide);
  const root = argument.target ? locate(argument.target).element : bodyOf(document) ?? rootElement(document);
  const { tour, list } = root ? entriesOf(root, { whole: Boolean(argument.target) || argument.whole, milliseconds: argument.milliseconds }) : { tour: { full: false }, list: [] };
  return {
    document: documentId, title: clean(pageTitle(document), 120), url: clean(location.href, 2000), entries: list, next: refs.next,
    partial: tour.full, scroll: scrollState(),
  };
}

function scrollState() {
  const root = document.scrollingElement ?? rootElement(document);
  return { x: Math.round(scrollX), y: Math.round(scrollY), height: Math.round(root?.scrollHeight ?? 0) };
}
