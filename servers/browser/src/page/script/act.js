// What actions need of a page: options, values, focus, selection, scrolling, forms. Real clicks and keys come from outside.

function tell(element, name) {
  const event = document.createEvent('Event');
  event.initEvent(name, true, false);
  element.dispatchEvent(event);
}
const tellInput = (element) => tell(element, 'input');
const tellChange = (element) => tell(element, 'change');
const OPTIONS_MAX = 200;

// { target } → the options of a native or custom list.
function options(argument) {
  conceal(argument.hide);
  const { element } = locate(argument.target);
  if (localName(element) === 'select') {
    const all = [...element.options];
    return { native: true, multiple: element.multiple, total: all.length, options: all.slice(0, OPTIONS_MAX).map((option, index) => ({ index, label: optionLabel(option), value: clean(option.value, 80), selected: option.selected, disabled: isDisabled(option) })) };
  }
  const custom = customOptions(element);
  return { native: false, multiple: attribute(element, 'aria-multiselectable') === 'true', total: custom.length, options: custom.slice(0, OPTIONS_MAX).map((option, index) => ({ index, label: contentText(option, 80), value: '', ref: refOf(option), selected: attribute(option, 'aria-selected') === 'true', disabled: isDisabled(option) })) };
}

// The drawn options of a custom list: its own, those of the list that it controls, or those of the only list that is open.
function customOptions(element) {
  const ids = `${attribute(element, 'aria-controls') ?? ''} ${attribute(element, 'aria-owns') ?? ''} ${attribute(element, 'list') ?? ''}`.split(/\s+/).filter(Boolean);
  const lists = [element, ...ids.map((id) => elementById(element, id)).filter(Boolean)];
  const wanted = '[role=option],[role=menuitem],[role=menuitemradio],[role=treeitem],option';
  for (const list of lists) {
    const inner = [...list.querySelectorAll(wanted)].filter((option) => localName(list) === 'datalist' || isRendered(option));
    if (inner.length > 0) return inner;
  }
  for (let around = element, steps = 0; isElement(around) && steps < 3; around = composedParent(around), steps += 1) {
    const items = [...around.querySelectorAll('li')].filter((item) => isRendered(item) && boxOf(item).height > 0 && childCount(item) < 3);
    if (items.length > 1) return items.slice(0, 1000);
  }
  return allRoots().flatMap((root) => [...root.querySelectorAll('[role=option],[role=menuitem],.ui-menu-item')]).filter((option) => isRendered(option) && boxOf(option).height > 0).slice(0, 1000);
}

// { target, labels: [label | value | index] } → what is chosen now. A custom list answers with the ref to click.
function select(argument) {
  const { element } = locate(argument.target);
  if (localName(element) !== 'select') return selectCustom(element, argument.labels);
  if (isDisabled(element)) throw problem('disabled', {});
  const chosen = argument.labels.map((wanted) => pickOption([...element.options], String(wanted)));
  const lost = argument.labels.filter((_, at) => !chosen[at]);
  if (lost.length > 0) throw problem('no_option', { wanted: lost.map((word) => clean(word, 80)), ...options(argument) });
  const dead = chosen.find((option) => isDisabled(option));
  if (dead) throw problem('option_disabled', { label: optionLabel(dead) });
  if (!element.multiple && chosen.length > 1) throw problem('one_only', {});
  element.focus();
  if (element.multiple) for (const option of element.options) option.selected = chosen.includes(option);
  else element.selectedIndex = chosen[0].index;
  tellInput(element);
  tellChange(element);
  return { native: true, selected: [...element.selectedOptions].map(optionLabel) };
}

function pickOption(all, wanted) {
  const flat = (text) => text.replace(/\s+/g, ' ').trim();
  const low = flat(wanted).toLowerCase();
  return all.find((option) => flat(option.label) === flat(wanted)) ?? all.find((option) => option.value === wanted) ?? all.find((option) => flat(option.label).toLowerCase() === low)
    ?? (/^#?\d+$/.test(wanted) ? all[Number(wanted.replace('#', ''))] : undefined) ?? only(all.filter((option) => flat(option.label).toLowerCase().includes(low)));
}

const only = (list) => (list.length === 1 ? list[0] : undefined);

function selectCustom(element, labels) {
  const all = customOptions(element);
  const texts = all.map((option) => contentText(option, 120).toLowerCase());
  const refsOf = labels.map((label) => {
    const low = String(label).replace(/\s+/g, ' ').trim().toLowerCase();
    let at = texts.indexOf(low);
    if (at < 0) at = texts.filter((one) => one.includes(low)).length === 1 ? texts.findIndex((one) => one.includes(low)) : -1;
    return at < 0 ? null : refOf(all[at]);
  });
  return { native: false, click: refsOf, labels: texts.slice(0, 40), open: all.length > 0 };
}

// { target, value } → the value that the page kept. For dates, ranges, colours, and whatever takes no keys.
function set_value(argument) {
  const { element } = locate(argument.target);
  if (isDisabled(element)) throw problem('disabled', {});
  if (isReadOnly(element)) throw problem('readonly', {});
  const value = String(argument.value);
  attempt(() => element.focus());
  if (element.isContentEditable && !('value' in element)) element.textContent = value;
  else if (!setNative(element, value)) throw problem('not_a_field', { tag: localName(element) });
  tellInput(element);
  tellChange(element);
  const kept = isPassword(element) ? '••••' : clean(element.value ?? element.textContent, LIMITS.value);
  if (value !== '' && element.value === '') throw problem('not_accepted', { kind_of: kindOf(element), form: FORMS[kindOf(element)] ?? null });
  return { value: kept };
}

const FORMS = Object.freeze({ date: 'YYYY-MM-DD', 'datetime-local': 'YYYY-MM-DDTHH:MM', month: 'YYYY-MM', week: 'YYYY-Www', time: 'HH:MM', color: '#rrggbb', number: 'a number', range: 'a number' });

// Writes past properties that a framework put on the element, so that it notices a change.
function setNative(element, value) {
  if (!['input', 'textarea', 'select'].includes(localName(element)) || element.type === 'file') return false;
  Reflect.apply(member(element, 'value').set, element, [value]);
  return true;
}

// { target } → the states of a control.
function check_state(argument) {
  conceal(argument.hide);
  const { element } = locate(argument.target);
  const role = roleOf(element);
  const shown = localName(element) === 'label' && element.control ? element.control : element;
  const value = attempt(() => valueOf(shown, role), undefined);
  return { role, name: nameOf(element, role), checked: checkedOf(shown), value: value ?? null, states: statesOf(shown, role, activeElement()) };
}

// { target } → focuses an element. False if it did not take the focus.
function focus(argument) {
  const { element } = locate(argument.target);
  attempt(() => element.focus({ preventScroll: false }));
  return { focused: activeElement() === element || holds(element, activeElement()) };
}

// { target, text?, start?, end? } → selects all of an element's text, or a part of it.
function select_text(argument) {
  const { element } = locate(argument.target);
  attempt(() => element.focus());
  const field = localName(element) === 'input' || localName(element) === 'textarea';
  const whole = field ? element.value : element.textContent ?? '';
  const start = argument.text ? whole.indexOf(argument.text) : argument.start ?? 0;
  if (start < 0) throw problem('no_text', {});
  const end = argument.text ? start + argument.text.length : argument.end ?? whole.length;
  if (field) attempt(() => (argument.text || argument.start !== undefined ? element.setSelectionRange(start, end) : element.select()), null);
  else selectRange(element, start, end);
  return { selected: end - start };
}

function selectRange(element, start, end) {
  const range = document.createRange();
  range.selectNodeContents(element);
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let passed = 0;
  for (let node = walker.nextNode(), seen = 0; node && seen < 5000; node = walker.nextNode(), seen += 1) {
    const next = passed + node.data.length;
    if (start >= passed && start <= next) range.setStart(node, start - passed);
    if (end >= passed && end <= next) {
      range.setEnd(node, end - passed);
      break;
    }
    passed = next;
  }
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
  tell(document, 'selectionchange');
}

// { target?, dx?, dy?, to?: 'top' | 'bottom' } → where the page or the element stands then. `dx` and `dy` are shares of what is seen.
function scroll(argument) {
  const element = argument.target ? scrollerOf(locate(argument.target).element) : document.scrollingElement ?? rootElement(document);
  const height = element === document.scrollingElement ? innerHeight : element.clientHeight;
  const width = element === document.scrollingElement ? innerWidth : element.clientWidth;
  const before = [element.scrollLeft, element.scrollTop];
  if (argument.to === 'top' || argument.to === 'bottom') element.scrollTo({ top: argument.to === 'top' ? 0 : element.scrollHeight, behavior: 'instant' });
  else element.scrollBy({ left: (argument.dx ?? 0) * width, top: (argument.dy ?? 0) * height, behavior: 'instant' });
  return { moved: before[0] !== element.scrollLeft || before[1] !== element.scrollTop, x: Math.round(element.scrollLeft), y: Math.round(element.scrollTop), height: element.scrollHeight, seen: height, at_end: element.scrollTop + height >= element.scrollHeight - 2 };
}

// The element itself if it scrolls, else the nearest around it that does.
function scrollerOf(element) {
  for (let at = element, steps = 0; isElement(at) && steps < 100; at = composedParent(at), steps += 1) {
    const overflow = getComputedStyle(at).overflowY;
    if (localName(at) === 'textarea' || ((overflow === 'auto' || overflow === 'scroll') && at.scrollHeight > at.clientHeight + 1)) return at;
  }
  return document.scrollingElement ?? rootElement(document);
}

// The fields of a form, past fields that shadow its own properties.
function elementsOfForm(form) {
  return attempt(() => Reflect.apply(member(form, 'elements').get, form, []), []);
}

const SENDERS = 'button:not([type=button]):not([type=reset]),input[type=submit],input[type=image]';

// The button that a click on an element presses: itself, one around it, or the one that its label is for.
function senderOf(element) {
  const around = closest(element, SENDERS);
  if (around) return around;
  const control = attempt(() => closest(element, 'label')?.control, null);
  return control && matches(control, SENDERS) ? control : null;
}

// { target, at?: { x, y } } → the form that a click on an element, or at a point of it, would send; without its values.
function form_of(argument) {
  const { element } = locate(argument.target);
  const hit = argument.at ? attempt(() => topmostAt(argument.at.x, argument.at.y), null) : null;
  const sender = senderOf(element) ?? (hit ? senderOf(hit) : null);
  const form = attempt(() => (localName(element) === 'form' ? element : sender?.form ?? element.form ?? closest(element, 'form')), null);
  if (!form) return { form: null };
  const submits = sender !== null && sender.form !== null;
  const action = attempt(() => new URL((submits && attribute(sender, 'formaction')) || attribute(form, 'action') || location.href, document.baseURI).href, location.href);
  const method = ((submits && attribute(sender, 'formmethod')) || attribute(form, 'method') || 'get').toLowerCase();
  const fields = [...elementsOfForm(form)].slice(0, 100).filter((field) => field.type !== 'hidden' && field.type !== 'fieldset').map((field) => ({ role: roleOf(field), name: cut(nameOf(field, roleOf(field)), 60), ref: refOf(field), required: field.required === true, invalid: attempt(() => !field.validity.valid, false) }));
  return { form: { ref: refOf(form), name: nameOf(form, 'form'), action: clean(action, 500), method, submits, fields } };
}
