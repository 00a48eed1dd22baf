// What every other part of the page script stands on: limits, clean strings, refs and a walk over the composed tree.
// The script runs in a world of its own, where prototypes are untouched. Forms and documents can still shadow their own
// properties by the names of their fields, so properties of nodes are read through the prototypes.
if (globalThis.toolgate) return;

const LIMITS = Object.freeze({
  nodes: 60000, // elements that one walk looks at
  entries: 1600, // entries that one answer holds
  characters: 90000, // of all strings of one answer
  milliseconds: 220, // of one walk
  depth: 600, // of the composed tree
  large: 4000, // elements from which on a page is walked where it is seen first
  text: 400, // characters of a run of text
  name: 140, // characters of a name
  value: 200, // characters of a value
  refs: 50000, // refs whose last name is remembered
  hidden: 4, // notes of text that is drawn and cannot be seen
  undrawn: 2, // notes of text that is not drawn
});

// A member of the prototypes of live nodes. They are found from a node, since Chromium now and then gives a world of its own
// interfaces whose prototypes are not those of its nodes.
function member(start, name) {
  for (let prototype = Object.getPrototypeOf(start); prototype; prototype = Object.getPrototypeOf(prototype)) {
    const found = Object.getOwnPropertyDescriptor(prototype, name);
    if (found) return found;
  }
  return {};
}

function getter(start, name) {
  const { get } = member(start, name);
  return (node) => {
    try {
      return Reflect.apply(get, node, []);
    } catch {
      return node[name];
    }
  };
}

function method(start, name) {
  const { value } = member(start, name);
  return (node, ...rest) => {
    try {
      return Reflect.apply(value, node, rest);
    } catch (fault) {
      if (fault instanceof TypeError && typeof node?.[name] === 'function') return node[name](...rest);
      throw fault;
    }
  };
}

const sample = document.documentElement ?? document.createElement('html');
const attribute = method(sample, 'getAttribute');
const hasAttribute = method(sample, 'hasAttribute');
const matches = method(sample, 'matches');
const closest = method(sample, 'closest');
const boxOf = method(sample, 'getBoundingClientRect');
const boxesOf = method(sample, 'getClientRects');
const isRendered = method(sample, 'checkVisibility');
const query = method(sample, 'querySelector');
const childNodes = getter(sample, 'childNodes');
const firstChild = getter(sample, 'firstChild');
const nextSibling = getter(sample, 'nextSibling');
const parentNode = getter(sample, 'parentNode');
const nodeType = getter(sample, 'nodeType');
const isConnected = getter(sample, 'isConnected');
const rootOf = method(sample, 'getRootNode');
const contains = method(sample, 'contains');
const localName = getter(sample, 'localName');
const shadowOf = getter(sample, 'shadowRoot');
const slotOf = getter(sample, 'assignedSlot');
const childCount = getter(sample, 'childElementCount');
const bodyOf = getter(document, 'body');
const rootElement = getter(document, 'documentElement');
const elementsNamed = method(document, 'getElementsByTagName');
const elementOf = method(document, 'getElementById');
const pageTitle = getter(document, 'title');
const ELEMENT = 1;
const TEXT = 3;
const FRAGMENT = 11;
const isElement = (node) => Boolean(node) && nodeType(node) === ELEMENT;

const documentId = `${Math.floor(performance.timeOrigin)}-${Math.random().toString(36).slice(2, 10)}`;

// Values that must not leave the page; each call that answers with text sets them first.
let concealed = [];
function conceal(values) {
  const usable = (Array.isArray(values) ? values : []).filter((value) => typeof value === 'string' && value.length > 2);
  concealed = usable.sort((a, b) => b.length - a.length);
}

const INVISIBLE = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ue000-\uf8ff\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}]/gu;

// A string as one line without control, zero-width or private characters, without concealed values, and not too long.
// Values are concealed before the string is cut, so that no half of one remains.
function clean(text, limit) {
  let line = String(text ?? '');
  if (line.length > 20000) line = line.slice(0, 20000);
  for (const value of concealed) if (line.includes(value)) line = line.split(value).join('••••');
  line = line.replace(INVISIBLE, '').replace(/\s+/g, ' ').trim();
  for (const value of concealed) if (line.includes(value)) line = line.split(value).join('••••');
  return cut(line, limit);
}

function cut(line, limit) {
  if (line.length <= limit) return line;
  const short = line.slice(0, limit - 1);
  return `${/[\ud800-\udbff]$/.test(short) ? short.slice(0, -1) : short}…`;
}

// A guard around getters and layout queries that hostile pages make throw.
function attempt(read, otherwise) {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

const refs = { next: 1, base: 1, numbers: new WeakMap(), elements: new Map(), last: new Map() };
const identities = { next: 1, numbers: new WeakMap() };
// The nodes of identities that a ref may be asked for later.
const owners = new Map();

// The first ref of a document follows the last one of the tab, so that a ref of an earlier page never means another element.
function continueRefs(from) {
  if (refs.next === 1 && Number.isInteger(from) && from > 1) refs.next = refs.base = from;
}

function refOf(element) {
  let number = refs.numbers.get(element);
  if (number === undefined) {
    number = refs.next++;
    refs.numbers.set(element, number);
    refs.elements.set(number, new WeakRef(element));
    if (refs.elements.size > LIMITS.refs) refs.elements.delete(refs.elements.keys().next().value);
  }
  return number;
}

function rememberRef(number, role, name) {
  refs.last.set(number, [role, name]);
  if (refs.last.size > LIMITS.refs) refs.last.delete(refs.last.keys().next().value);
}

// A number that stands for a node in differences. It is never shown.
function identityOf(node) {
  let number = identities.numbers.get(node);
  if (number === undefined) {
    number = identities.next++;
    identities.numbers.set(node, number);
    owners.set(number, new WeakRef(node));
    if (owners.size > LIMITS.refs) owners.delete(owners.keys().next().value);
  }
  return number;
}

// Children as they are laid out: of the open shadow root, of what is slotted, or of the element itself.
function composedChildren(node) {
  if (nodeType(node) === ELEMENT) {
    const shadow = shadowOf(node);
    if (shadow) return childNodes(shadow);
    if (localName(node) === 'slot') {
      const assigned = attempt(() => node.assignedNodes(), []);
      if (assigned.length > 0) return assigned;
    }
  }
  return childNodes(node);
}

function composedParent(node) {
  if (nodeType(node) === ELEMENT || nodeType(node) === TEXT) {
    const slot = nodeType(node) === ELEMENT ? slotOf(node) : node.assignedSlot;
    if (slot) return slot;
  }
  const parent = parentNode(node);
  return parent && nodeType(parent) === FRAGMENT && parent.host ? parent.host : parent;
}

// True if `ancestor` holds `node`, over shadow roots.
function holds(ancestor, node) {
  for (let at = node, steps = 0; at && steps < 2000; at = composedParent(at), steps += 1) if (at === ancestor) return true;
  return false;
}

function elementById(from, id) {
  const root = rootOf(from);
  return attempt(() => (root === document ? elementOf(root, id) : root.getElementById(id)), null);
}

// All roots of this document: itself and its open shadow roots, bounded.
function allRoots() {
  const roots = [document];
  for (let at = 0; at < roots.length && roots.length < 400; at += 1) {
    const walker = document.createTreeWalker(roots[at], NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(), seen = 0; node && seen < LIMITS.nodes; node = walker.nextNode(), seen += 1) {
      const shadow = shadowOf(node);
      if (shadow) roots.push(shadow);
    }
  }
  return roots;
}

function activeElement() {
  let active = attempt(() => document.activeElement, null);
  for (let steps = 0; active && steps < 50; steps += 1) {
    const inner = isElement(active) ? shadowOf(active) : null;
    if (!inner || !inner.activeElement) break;
    active = inner.activeElement;
  }
  return isElement(active) ? active : null;
}
