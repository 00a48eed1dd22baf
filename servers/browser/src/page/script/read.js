// The main text of a page as Markdown: headings, paragraphs, lists, tables, links and code.

const READ = Object.freeze({ characters: 400000, milliseconds: 700, nodes: 120000, depth: 200, cells: 40, hidden: 6 });
const ASIDE = 'nav,footer,aside,header,form,[role=navigation],[role=banner],[role=contentinfo],[role=complementary],[role=search],[aria-hidden=true]';

// { target?, hide?, offset?, max? } → { title, markdown, characters, offset, more }
function read(argument) {
  conceal(argument.hide);
  const root = argument.target ? locate(argument.target).element : mainElement();
  const out = { lines: [], size: 0, nodes: 0, hidden: 0, whole: Boolean(argument.target), deadline: performance.now() + READ.milliseconds };
  if (root) readBlocks(out, root, { depth: 0, indent: '' });
  const markdown = out.lines.join('\n').replace(/\n{3,}/g, '\n\n').trim();
  const offset = Math.min(Math.max(argument.offset ?? 0, 0), markdown.length);
  const max = Math.min(Math.max(argument.max ?? 20000, 100), 200000);
  return { title: clean(pageTitle(document), 200), url: location.href, markdown: markdown.slice(offset, offset + max), characters: markdown.length, offset, more: offset + max < markdown.length };
}

function mainElement() {
  const body = bodyOf(document);
  if (!body) return rootElement(document);
  const size = (element) => (element.textContent ?? '').length;
  const whole = size(body);
  const said = [...document.querySelectorAll('main,[role=main],article')].slice(0, 50).filter((element) => isRendered(element)).sort((a, b) => size(b) - size(a))[0];
  if (said && (size(said) > 400 || size(said) > 0.2 * whole)) return said;
  const best = densest(body);
  return best && size(best) > 0.35 * whole ? best : body;
}

// The element whose paragraphs hold most text that is not links.
function densest(body) {
  const points = new Map();
  const paragraphs = body.querySelectorAll('p,pre,blockquote,li,td,dd');
  for (let at = 0; at < Math.min(paragraphs.length, 5000); at += 1) {
    const paragraph = paragraphs[at];
    const length = (paragraph.textContent ?? '').trim().length;
    if (length < 60 || closest(paragraph, ASIDE)) continue;
    const linked = [...paragraph.querySelectorAll('a')].slice(0, 50).reduce((sum, link) => sum + (link.textContent ?? '').length, 0);
    const worth = Math.min(length, 1500) * (1 - Math.min(linked / length, 1));
    let parent = parentNode(paragraph);
    for (let share = 1; isElement(parent) && share > 0.2; parent = parentNode(parent), share /= 2) points.set(parent, (points.get(parent) ?? 0) + worth * share);
  }
  return [...points].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}

function mayRead(out) {
  out.nodes += 1;
  return out.nodes < READ.nodes && out.size < READ.characters && (out.nodes % 64 !== 0 || performance.now() < out.deadline);
}

function addLine(out, at, line) {
  const text = at.indent + line;
  out.lines.push(text);
  out.size += text.length + 1;
}

function paragraph(out, at, line) {
  if (!line) return;
  addLine(out, at, line);
  addLine(out, at, '');
}

const INLINE = /^(inline|ruby|contents)/;

// Walks blocks; runs of inline content between them become paragraphs.
function readBlocks(out, node, at) {
  let run = '';
  const end = () => {
    paragraph(out, at, tidy(run));
    run = '';
  };
  if (at.depth > READ.depth) return;
  for (const child of composedChildren(node)) {
    const type = nodeType(child);
    if (type === TEXT) run += child.data;
    if (type !== ELEMENT || !mayRead(out)) continue;
    const style = getComputedStyle(child);
    if (isLeftOut(out, child)) continue;
    if (localName(child) === 'br') run += '\n';
    else if (INLINE.test(style.display) && !hasBlocks(child)) run += inlineOf(out, child, style);
    else {
      end();
      readBlock(out, child, style, { ...at, depth: at.depth + 1 });
    }
  }
  end();
}

function isLeftOut(out, element) {
  const tag = localName(element);
  if (SKIPPED.has(tag) && tag !== 'hr' || tag === 'svg' || tag === 'button' || tag === 'select' || tag === 'dialog' && !element.open) return true;
  if (!isDrawn(element)) return true;
  if (!out.whole && matches(element, ASIDE) && !matches(element, 'form') && (tag !== 'header' || !closest(element, 'article,main'))) return attribute(element, 'aria-hidden') !== 'true' || !(element.innerText ?? '').trim();
  return false;
}

const BLOCKS = 'p,div,ul,ol,table,pre,blockquote,h1,h2,h3,h4,h5,h6,section,article';
const hasBlocks = (element) => attempt(() => query(element, BLOCKS), null) !== null;

function readBlock(out, element, style, at) {
  const tag = localName(element);
  if (/^h[1-6]$/.test(tag)) return paragraph(out, at, `${'#'.repeat(Number(tag[1]))} ${tidy(inlineChildren(out, element))}`.trim());
  if (tag === 'pre') return readCode(out, element, at);
  if (tag === 'ul' || tag === 'ol') return readList(out, element, at);
  if (tag === 'table') return readTable(out, element, at);
  if (tag === 'blockquote') return readBlocks(out, element, { ...at, indent: `${at.indent}> ` });
  if (tag === 'hr') return paragraph(out, at, '---');
  if (tag === 'img') return paragraph(out, at, pictureOf(element));
  if (tag === 'dt') return paragraph(out, at, `**${tidy(inlineChildren(out, element))}**`);
  const hiding = ownHiding(element, style) || ((element.textContent ?? '').trim().length > 20 && childCount(element) === 0 ? attempt(() => textHiding(element, style), '') : '');
  if (hiding) return readHidden(out, element, at);
  readBlocks(out, element, at);
}

function readHidden(out, element, at) {
  const said = clean(element.textContent, 200);
  if (said.split(' ').length < 4 || (out.hidden += 1) > READ.hidden) return;
  paragraph(out, at, `(hidden text, not visible to people) ${quote(said)}`);
}

function readCode(out, element, at) {
  let said = String(element.innerText ?? element.textContent ?? '').slice(0, 20000);
  for (const value of concealed) said = said.split(value).join('••••');
  const fence = said.includes('```') ? '````' : '```';
  for (const line of [fence, ...said.replace(/\s+$/, '').split('\n'), fence, '']) addLine(out, at, line.replace(/[\u0000-\u0008\u000b-\u001f]/g, ''));
}

function readList(out, element, at) {
  let number = Number(attribute(element, 'start')) || 1;
  for (const item of composedChildren(element)) {
    if (nodeType(item) !== ELEMENT || !mayRead(out)) continue;
    if (isLeftOut(out, item)) continue;
    const bullet = localName(element) === 'ol' ? `${number++}. ` : '- ';
    const inner = { ...out, lines: [] };
    readBlocks(inner, item, { depth: at.depth + 1, indent: '' });
    Object.assign(out, { size: inner.size, nodes: inner.nodes, hidden: inner.hidden });
    const lines = inner.lines.filter((line, index, all) => line !== '' || (all[index - 1] ?? '').startsWith('```'));
    lines.forEach((line, index) => out.lines.push(`${at.indent}${index === 0 ? bullet : ' '.repeat(bullet.length)}${line}`));
  }
  addLine(out, at, '');
}

// A table of data becomes a table; one that places things is read as blocks.
function readTable(out, element, at) {
  const rows = [...element.rows].slice(0, 2000);
  if (rows.length < 2 || attempt(() => query(element, 'table'), null) || rows.every((row) => row.cells.length < 2)) return readBlocks(out, element, at);
  const width = Math.min(Math.max(...rows.map((row) => row.cells.length)), READ.cells);
  let heads = true;
  for (const row of rows) {
    if (!mayRead(out)) break;
    if (!isRendered(row)) continue;
    const cells = [...row.cells].slice(0, width).map((cell) => tidy(inlineChildren(out, cell)).replace(/\|/g, '\\|').replace(/\n/g, ' '));
    while (cells.length < width) cells.push('');
    addLine(out, at, `| ${cells.join(' | ')} |`);
    if (heads) addLine(out, at, `|${' --- |'.repeat(width)}`);
    heads = false;
  }
  addLine(out, at, '');
}

function inlineChildren(out, element) {
  let run = '';
  for (const child of composedChildren(element)) {
    if (nodeType(child) === TEXT) run += child.data;
    else if (nodeType(child) === ELEMENT && mayRead(out)) {
      const style = getComputedStyle(child);
      if (localName(child) === 'br') run += ' ';
      else if (!isLeftOut(out, child)) run += INLINE.test(style.display) ? inlineOf(out, child, style) : ` ${inlineOf(out, child, style)} `;
    }
  }
  return run;
}

function inlineOf(out, element, style) {
  const tag = localName(element);
  if (tag === 'img') return pictureOf(element);
  if (tag === 'input' || tag === 'textarea') return '';
  const hiding = ownHiding(element, style) || ((element.textContent ?? '').trim().length > 20 && childCount(element) === 0 ? attempt(() => textHiding(element, style), '') : '');
  if (hiding) {
    const said = clean(element.textContent, 200);
    return said.split(' ').length < 4 || (out.hidden += 1) > READ.hidden ? '' : ` (hidden text, not visible to people) ${quote(said)} `;
  }
  const inner = inlineChildren(out, element);
  const said = tidy(inner);
  if (!said) return inner;
  if (tag === 'a' && /^https?:/.test(element.href ?? '')) return `[${said.replace(/[[\]]/g, '')}](${clean(element.href, 300)})`;
  if (tag === 'code' || tag === 'kbd') return `\`${said}\``;
  if (tag === 'b' || tag === 'strong') return keepSpace(inner, `**${said}**`);
  if (tag === 'i' || tag === 'em') return keepSpace(inner, `*${said}*`);
  return inner;
}

const keepSpace = (inner, said) => `${/^\s/.test(inner) ? ' ' : ''}${said}${/\s$/.test(inner) ? ' ' : ''}`;

function pictureOf(element) {
  const alt = clean(attribute(element, 'alt'), 120);
  return alt ? `![${alt}]` : '';
}

// A value that must not leave the page may be split by marks: then the marks go.
function tidy(run) {
  const line = clean(run, 20000);
  if (concealed.length === 0) return line;
  const bare = run.replace(/\]\([^)]*\)|[*`[\]]/g, '');
  return concealed.some((value) => bare.includes(value)) ? clean(bare, 20000) : line;
}
