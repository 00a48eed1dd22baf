// Words to elements, and predicates to wait for.

function words(text) {
  return (String(text ?? '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, 12);
}

function score(entry, wanted, phrase) {
  const said = `${entry.n ?? ''} ${entry.v ?? ''} ${entry.x ?? ''}`.toLowerCase();
  const all = `${entry.r} ${said}`;
  let hits = 0;
  for (const word of wanted) if (all.includes(word)) hits += 1;
  if (hits === 0 || hits < wanted.length / 2) return 0;
  const exact = (entry.n ?? '').toLowerCase() === phrase ? 4 : said.includes(phrase) ? 2 : 0;
  return (hits / wanted.length) * 4 + exact + (entry.e && entry.r !== 'text' ? 1.5 : 0) + (entry.r === 'heading' ? 0.5 : 0) - Math.min(said.length / 400, 1);
}

// { words, max?, hide?, from? } → the entries that fit best, each with a ref and with what it stands in.
function find(argument) {
  conceal(argument.hide);
  const wanted = words(argument.words);
  const phrase = String(argument.words ?? '').toLowerCase().trim();
  const { tour, list } = entriesOf(bodyOf(document) ?? rootElement(document), { whole: true, milliseconds: 900 });
  const ranked = [];
  let heading = '';
  let order = 0;
  eachEntry(list, (entry, above) => {
    if (entry.r === 'heading') heading = entry.n ?? '';
    const points = entry.r === 'more' || wanted.length === 0 ? 0 : score(entry, wanted, phrase);
    if (points > 0) ranked.push({ entry, points, order: (order += 1), inside: inside(above, heading, entry) });
  });
  ranked.sort((a, b) => b.points - a.points || a.order - b.order);
  const max = Math.min(Math.max(argument.max ?? 10, 1), 50);
  const best = ranked.slice(0, max).map(({ entry, inside: where, points }) => ({ ...brief({ ...entry, e: entry.e ?? refOfOwner(entry) }), w: where, p: points }));
  return { document: documentId, found: best, total: ranked.length, partial: tour.full, next: refs.next };
}

function refOfOwner(entry) {
  const owner = owners.get(entry.i)?.deref();
  if (!owner) return undefined;
  const number = refOf(owner);
  rememberRef(number, entry.r, entry.n ?? '');
  return number;
}

function inside(above, heading, entry) {
  const named = above.filter((one) => one.n || one.t).at(-1);
  if (named && named.t) return quote(cut(named.t.flat().map((part) => part.n ?? '').filter(Boolean).join(' | '), 80));
  if (named) return `${named.r} ${quote(cut(named.n, 60))}`;
  return heading && heading !== entry.n ? `under ${quote(cut(heading, 60))}` : '';
}

// { text?, gone?, selector?, url? } → whether all of them hold now.
function wait(argument) {
  const flat = (text) => String(text).replace(/\s+/g, ' ').trim().toLowerCase();
  let said = null;
  const shown = (text) => (said ??= flat(allRoots().map(visibleText).join(' '))).includes(flat(text));
  const missing = [];
  if (argument.text && !shown(argument.text)) missing.push('text');
  if (argument.gone && shown(argument.gone)) missing.push('gone');
  if (argument.selector && !allMatches(argument.selector).some((element) => isRendered(element, { visibilityProperty: true }))) missing.push('selector');
  if (argument.url && !location.href.includes(argument.url)) missing.push('url');
  return { met: missing.length === 0, missing };
}

function visibleText(root) {
  if (root === document) return bodyOf(document)?.innerText ?? '';
  return [...root.children].slice(0, 500).map((child) => child.innerText ?? '').join(' ');
}

// { target?, max?, hide? } → the text of an element or of the page.
function text(argument) {
  conceal(argument.hide);
  const element = argument.target ? locate(argument.target).element : bodyOf(document);
  const max = Math.min(argument.max ?? 4000, 40000);
  const whole = String((isPassword(element) ? '••••' : element.value ?? element.innerText ?? element.textContent) ?? '');
  return { text: clean(whole, max), characters: whole.length };
}
