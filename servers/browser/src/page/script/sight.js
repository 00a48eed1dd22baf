// What a person sees: which elements are drawn, where, and text that is there but cannot be seen.

// Drawn, or without a box of its own as slots are.
function isDrawn(element) {
  return isRendered(element, { visibilityProperty: true }) || getComputedStyle(element).display === 'contents';
}

const viewport = () => ({ width: innerWidth || 1, height: innerHeight || 1 });

// 0 in the viewport, 1 within one screen of it, 2 farther away.
function zoneOf(box) {
  const { width, height } = viewport();
  if (box.bottom > 0 && box.top < height && box.right > 0 && box.left < width) return 0;
  return box.bottom > -height && box.top < 2 * height ? 1 : 2;
}

// The reason why the content of an element cannot be seen, of what its own style says; '' if it can be.
function ownHiding(element, style) {
  if (style.opacity !== '' && parseFloat(style.opacity) < 0.02) return 'transparent';
  if (style.clipPath !== 'none' && /inset\(\s*(50|[6-9]\d|100)(\.\d+)?%|circle\(0|polygon\(\s*0(px)?\s+0(px)?\s*(,\s*0(px)?\s+0(px)?\s*)*\)/.test(style.clipPath)) return 'clipped';
  if (style.clip !== 'auto' && (style.position === 'absolute' || style.position === 'fixed') && isEmptyClip(style.clip)) return 'clipped';
  if (style.overflowX !== 'visible' || style.overflowY !== 'visible') {
    const box = boxOf(element);
    if (style.display !== 'inline' && style.display !== 'contents' && (box.width <= 1.5 || box.height <= 1.5)) return 'no size';
  }
  return '';
}

function isEmptyClip(clip) {
  const [top, right, bottom, left] = (clip.match(/-?[\d.]+/g) ?? []).map(Number);
  return bottom !== undefined && left !== undefined && (bottom - top <= 1 || right - left <= 1);
}

// True if a box lies where no scrolling reaches it.
function isBeyondReach(box, style) {
  if (box.width === 0 && box.height === 0) return false;
  const { width, height } = viewport();
  if (style && style.position === 'fixed') return box.right <= 0 || box.bottom <= 0 || box.left >= width || box.top >= height;
  return box.right + scrollX <= 0 || box.bottom + scrollY <= 0 || box.left > Math.max(rootElement(document)?.scrollWidth ?? 0, width) + 2000;
}

// The reason why a run of text cannot be seen though its elements are drawn; '' if it can be.
function textHiding(element, style) {
  if (parseFloat(style.fontSize) < 2) return 'tiny';
  if (Math.abs(parseFloat(style.textIndent)) > 900) return 'off screen';
  const box = boxOf(element);
  if (isBeyondReach(box, style)) return 'off screen';
  const ink = colourOf(style.webkitTextFillColor || style.color);
  if (ink && ink[3] < 0.04 && !/text/.test(style.webkitBackgroundClip || '')) return 'transparent';
  return ink && sameAsGround(element, ink) ? 'same colour as its ground' : '';
}

function colourOf(text) {
  const parts = /^rgba?\(([^)]+)\)/.exec(text);
  if (!parts) return null;
  const numbers = parts[1].split(/[\s,/]+/).map(Number);
  return [numbers[0], numbers[1], numbers[2], numbers.length > 3 ? numbers[3] : 1];
}

// Pictures and gradients below the text mean that nobody can tell: then it counts as seen.
function sameAsGround(element, ink) {
  for (let at = element, steps = 0; isElement(at) && steps < 60; at = composedParent(at), steps += 1) {
    const style = getComputedStyle(at);
    if (style.backgroundImage !== 'none' || (style.textShadow !== 'none' && at === element)) return false;
    const ground = colourOf(style.backgroundColor);
    if (!ground || (ground[3] > 0 && ground[3] < 0.95)) return false;
    if (ground[3] >= 0.95) return near(ink, ground);
    if (style.position === 'absolute' || style.position === 'fixed') return false;
  }
  return near(ink, [255, 255, 255]);
}

const near = (a, b) => Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) + Math.abs(a[2] - b[2]) < 12;

// True if the page waits for clicks on something in here: a list or a menu that opens.
function listensWithin(element) {
  if (listening.clicks.has(element)) return true;
  const inner = element.getElementsByTagName('*');
  for (let at = 0; at < Math.min(inner.length, 60); at += 1) if (listening.clicks.has(inner[at])) return true;
  return false;
}

// The words of text that is not drawn at all, if nothing on the page explains it: no control inside, no panel, no tooltip.
const EXPLAINED = 'input,select,textarea,button,a[href],iframe,[role],[onclick],[aria-controls],dialog,details,nav,svg,script,[contenteditable]';
function unexplainedText(element) {
  if (element.id && attempt(() => document.querySelector(`[aria-controls~="${CSS.escape(element.id)}"],[aria-describedby~="${CSS.escape(element.id)}"],[href="#${CSS.escape(element.id)}"]`), null)) return '';
  if (hasAttribute(element, 'role') || hasAttribute(element, 'aria-labelledby') || attempt(() => closest(element, EXPLAINED), null)) return '';
  if (attempt(() => query(element, EXPLAINED), null) || listensWithin(element)) return '';
  return clean(attempt(() => element.textContent, ''), 160);
}
