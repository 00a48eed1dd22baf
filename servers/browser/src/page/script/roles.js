// Roles in short words, and which elements can be acted on.

const BY_TAG = Object.freeze({
  button: 'button', textarea: 'textbox', option: 'option', summary: 'expander', details: 'details', img: 'image', nav: 'nav',
  main: 'main', aside: 'aside', form: 'form', ul: 'list', ol: 'list', menu: 'list', li: 'item', table: 'table', tr: 'row', td: 'cell', th: 'cell',
  dialog: 'dialog', iframe: 'frame', frame: 'frame', video: 'video', audio: 'audio', canvas: 'canvas', fieldset: 'group', article: 'article',
  progress: 'progress', meter: 'meter', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', header: 'header',
  footer: 'footer', object: 'frame', embed: 'frame', dl: 'list', search: 'search', output: 'status',
});

const BY_TYPE = Object.freeze({
  button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio', range: 'slider', number: 'spinbutton',
  search: 'searchbox', date: 'date', 'datetime-local': 'datetime', month: 'month', week: 'week', time: 'time', color: 'color', file: 'file', hidden: '',
});

const BY_ROLE = Object.freeze({
  button: 'button', link: 'link', textbox: 'textbox', searchbox: 'searchbox', combobox: 'combobox', listbox: 'listbox', option: 'option',
  checkbox: 'checkbox', switch: 'switch', radio: 'radio', radiogroup: 'radiogroup', slider: 'slider', spinbutton: 'spinbutton', menu: 'menu', menubar: 'menu',
  menuitem: 'menuitem', menuitemcheckbox: 'menuitem', menuitemradio: 'menuitem', tab: 'tab', tablist: 'tabs', tabpanel: 'tabpanel', tree: 'tree',
  treeitem: 'treeitem', treegrid: 'table', grid: 'table', table: 'table', gridcell: 'cell', cell: 'cell', columnheader: 'cell', rowheader: 'cell',
  row: 'row', dialog: 'dialog', alertdialog: 'dialog', alert: 'alert', status: 'status', log: 'log', progressbar: 'progress', meter: 'meter',
  tooltip: 'tooltip', toolbar: 'toolbar', banner: 'header', contentinfo: 'footer', complementary: 'aside', navigation: 'nav', img: 'image', image: 'image',
  list: 'list', listitem: 'item', heading: 'heading', figure: 'group', group: 'group', region: 'region', search: 'search', form: 'form', main: 'main',
  article: 'article', feed: 'list', scrollbar: 'slider', separator: '', presentation: '', none: '', generic: '', rowgroup: '', text: '', paragraph: '',
});

const INTERACTIVE = new Set(['button', 'link', 'textbox', 'searchbox', 'combobox', 'listbox', 'option', 'checkbox', 'switch', 'radio', 'slider', 'spinbutton', 'menuitem', 'tab', 'treeitem', 'date', 'datetime', 'month', 'week', 'time', 'color', 'file', 'expander', 'video', 'audio', 'canvas', 'clickable', 'scrollable']);
const CONTAINERS = new Set(['form', 'dialog', 'nav', 'main', 'header', 'footer', 'aside', 'region', 'group', 'list', 'item', 'table', 'tabs', 'tabpanel', 'tree', 'menu', 'toolbar', 'radiogroup', 'article', 'alert', 'status', 'log', 'tooltip', 'search', 'details', 'row']);
const NAMED_BY_CONTENT = new Set(['button', 'link', 'option', 'checkbox', 'switch', 'radio', 'menuitem', 'tab', 'treeitem', 'heading', 'expander', 'clickable']);
const EDITABLE = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton', 'date', 'datetime', 'month', 'week', 'time', 'color', 'slider']);
const SKIPPED = new Set(['script', 'style', 'template', 'noscript', 'head', 'meta', 'link', 'title', 'base', 'source', 'track', 'param', 'defs', 'clipPath', 'mask', 'pattern', 'marker', 'symbol', 'linearGradient', 'radialGradient', 'filter', 'datalist', 'col', 'colgroup', 'wbr', 'hr', 'metadata', 'desc']);
const SHAPES = new Set(['circle', 'rect', 'ellipse', 'path', 'polygon', 'polyline', 'line', 'text', 'image', 'use', 'g', 'tspan']);

// Elements with listeners of the page's own for the mouse, as the browser told; a world of ours cannot see them itself.
const listening = { clicks: new WeakSet(), drags: new WeakSet(), known: false };
const CLICKS = new Set(['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'touchstart', 'touchend', 'dblclick', 'contextmenu']);
const DRAGS = new Set(['dragstart', 'mousedown', 'pointerdown', 'touchstart']);
const HOVERS = new Set(['mouseover', 'mouseenter', 'pointerenter', 'pointerover']);

// Called with a list of event types and the elements in the same order.
function mark(types, ...nodes) {
  listening.known = true;
  nodes.forEach((node, at) => {
    if (!isElement(node)) return;
    if (CLICKS.has(types[at]) || HOVERS.has(types[at])) listening.clicks.add(node);
    if (DRAGS.has(types[at]) && types[at] !== 'mousedown') listening.drags.add(node);
  });
  return nodes.length;
}

// The tag as a role. Pages make up tags, and none of them may read like a ref.
const plainTag = (element) => (/\d/.test(localName(element)) ? 'element' : localName(element));

function roleOf(element) {
  const said = attribute(element, 'role');
  if (said) {
    for (const word of said.toLowerCase().split(/\s+/)) if (Object.hasOwn(BY_ROLE, word)) return BY_ROLE[word] || quietRole(element);
  }
  return nativeRole(element);
}

// An element without a role of its own that still takes input keeps what it is.
function quietRole(element) {
  const role = nativeRole(element);
  return INTERACTIVE.has(role) ? role : '';
}

function nativeRole(element) {
  const tag = localName(element);
  switch (tag) {
    case 'input': return inputRole(element);
    case 'a':
    case 'area': return hasAttribute(element, 'href') ? 'link' : '';
    case 'select': return element.multiple || element.size > 1 ? 'listbox' : 'combobox';
    case 'section': return hasAttribute(element, 'aria-label') || hasAttribute(element, 'aria-labelledby') ? 'region' : '';
    case 'svg': return 'image';
    case 'header':
    case 'footer': return attempt(() => closest(element, 'article,section,main,aside,nav,li,form,table'), null) ? '' : tag;
    default: return isEditableHost(element) ? 'textbox' : Object.hasOwn(BY_TAG, tag) ? BY_TAG[tag] : '';
  }
}

function inputRole(element) {
  const type = element.type;
  if (Object.hasOwn(BY_TYPE, type)) return BY_TYPE[type];
  return hasAttribute(element, 'list') ? 'combobox' : 'textbox';
}

function isEditableHost(element) {
  const said = attribute(element, 'contenteditable');
  return said !== null && said.toLowerCase() !== 'false';
}

// True if an element without an interactive role can be clicked: by its attributes, its listeners, its focus, its pointer.
const MARKS = ['onclick', 'onmousedown', 'onmouseup', 'onpointerdown', 'ontouchstart', 'ondblclick', 'jsaction', 'ng-click', 'data-ng-click', 'v-on:click', '@click', 'data-action', 'hx-get', 'hx-post', 'phx-click', 'x-on:click'];
function isClickable(element, style, cursorAround) {
  if (style.pointerEvents === 'none' || /^(n|e|s|w|ne|nw|sw|ns|nesw)-resize$/.test(style.cursor)) return false;
  if (listening.clicks.has(element)) return true;
  if (style.cursor === 'pointer' && cursorAround !== 'pointer') return true;
  if (isDraggable(element, style, cursorAround)) return true;
  const tabindex = attribute(element, 'tabindex');
  if (tabindex !== null && Number(tabindex) >= 0 && !isBig(boxOf(element))) return true;
  return MARKS.some((name) => hasAttribute(element, name));
}

function isDraggable(element, style, cursorAround) {
  if (attribute(element, 'draggable') === 'true' || listening.drags.has(element)) return true;
  if (style.cursor !== cursorAround && /^(grab|move|se-resize|nwse-resize|col-resize|row-resize|ew-resize)$/.test(style.cursor)) return true;
  return /\bui-(draggable|(draggable|sortable|slider)-handle)\b(?!-)/.test(attribute(element, 'class') ?? '');
}

// Listeners on something as large as the page belong to a framework or to the page itself.
function isBig(box) {
  const { width, height } = viewport();
  return box.width * box.height > 0.6 * width * height;
}
