// Values and states of elements. Passwords never leave as they are.

function isPassword(element) {
  if (localName(element) !== 'input') return false;
  if (element.type === 'password' || everPassword.has(element)) return everPassword.add(element), true;
  const hint = attribute(element, 'autocomplete') ?? '';
  return /current-password|new-password|cc-csc/.test(hint) || (getComputedStyle(element).webkitTextSecurity ?? 'none') !== 'none';
}

// A field stays a secret when the page shows it as plain text later.
const everPassword = new WeakSet();

// The value as shown, or undefined if there is none to show.
function valueOf(element, role) {
  const tag = localName(element);
  if (isPassword(element)) return element.value ? '••••' : undefined;
  if (tag === 'select') return clean([...element.selectedOptions].slice(0, 5).map(optionLabel).join(' | '), LIMITS.value) || undefined;
  if (tag === 'input') return inputValue(element);
  if (tag === 'textarea') return clean(element.value, LIMITS.value) || undefined;
  if (tag === 'progress' || tag === 'meter') return element.position === -1 ? undefined : String(element.value);
  if (role === 'textbox' || role === 'searchbox' || role === 'combobox') return clean(attempt(() => element.innerText, ''), LIMITS.value) || undefined;
  if (['slider', 'spinbutton', 'progress', 'meter'].includes(role)) return clean(attribute(element, 'aria-valuetext') || attribute(element, 'aria-valuenow'), LIMITS.value) || undefined;
  return undefined;
}

function inputValue(element) {
  const type = element.type;
  if (['checkbox', 'radio', 'button', 'submit', 'reset', 'image', 'hidden'].includes(type)) return undefined;
  if (type === 'file') return clean([...element.files].slice(0, 5).map((file) => file.name).join(' | '), LIMITS.value) || undefined;
  return clean(element.value, LIMITS.value) || undefined;
}

const optionLabel = (option) => clean(option.label || option.text || option.value, 80);

// Bounds, few options, a placeholder, or what tells an unnamed element.
function extraOf(element, role, name, value) {
  const tag = localName(element);
  if (tag === 'select') return optionsNote(element);
  if (role === 'slider' || role === 'spinbutton') return boundsNote(element);
  if (tag === 'input' || tag === 'textarea') return fieldNote(element, name, value);
  if (tag === 'canvas') return sizeNote(element, name);
  return name || role === 'textbox' ? '' : hintOf(element);
}

function optionsNote(element) {
  const options = element.options;
  if (options.length === 0) return '(no options)';
  if (options.length <= 10) {
    const all = [...options].map(optionLabel).join(' | ');
    if (all.length <= 100) return `of ${quote(all)}`;
  }
  return `(${options.length} options)`;
}

function boundsNote(element) {
  const low = attribute(element, 'min') ?? attribute(element, 'aria-valuemin');
  const high = attribute(element, 'max') ?? attribute(element, 'aria-valuemax');
  return low !== null || high !== null ? `(${oneWord(clean(low ?? '', 12))} to ${oneWord(clean(high ?? '', 12))})` : '';
}

function fieldNote(element, name, value) {
  const placeholder = clean(attribute(element, 'placeholder'), 60);
  if (placeholder && placeholder !== name && !value) return `placeholder ${quote(placeholder)}`;
  if (element.type === 'file' && attribute(element, 'accept')) return `(${oneWord(clean(attribute(element, 'accept'), 40))})`;
  if (name) return '';
  const said = attribute(element, 'name');
  return said ? oneWord(`#${clean(said, 30)}`) : hintOf(element);
}

function sizeNote(element, name) {
  const box = boxOf(element);
  return `${name ? '' : `${hintOf(element)} `}${Math.round(box.width)}×${Math.round(box.height)}`.trim();
}

const quote = (text) => `"${text.replace(/"/g, '\\"')}"`;

function statesOf(element, role, focused) {
  const states = [];
  const checked = checkedOf(element);
  const expanded = expandedOf(element, role);
  if (checked === true) states.push(role === 'option' || role === 'tab' || role === 'treeitem' ? 'selected' : 'checked');
  if (checked === 'mixed') states.push('mixed');
  if (isSelected(element, role) || (role === 'tab' && expanded)) states.push('selected');
  if (attribute(element, 'aria-pressed') === 'true') states.push('pressed');
  if (expanded !== null && role !== 'tab') states.push(expanded ? 'expanded' : 'collapsed');
  if (isDisabled(element)) states.push('disabled');
  if (isReadOnly(element)) states.push('readonly');
  if (element.required === true || attribute(element, 'aria-required') === 'true') states.push('required');
  if (attribute(element, 'aria-current') && attribute(element, 'aria-current') !== 'false') states.push('current');
  if (attribute(element, 'aria-busy') === 'true') states.push('busy');
  const invalid = invalidNote(element);
  if (invalid) states.push(invalid);
  if (element === focused && role !== 'clickable') states.push('focused');
  return states;
}

function checkedOf(element) {
  if (localName(element) === 'input' && (element.type === 'checkbox' || element.type === 'radio')) return element.indeterminate ? 'mixed' : element.checked;
  const said = attribute(element, 'aria-checked');
  return said === 'mixed' ? 'mixed' : said === 'true';
}

function isSelected(element, role) {
  if (localName(element) === 'option') return element.selected;
  return ['option', 'tab', 'treeitem', 'row', 'cell', 'menuitem'].includes(role) && attribute(element, 'aria-selected') === 'true';
}

function expandedOf(element, role) {
  const said = attribute(element, 'aria-expanded');
  if (said === 'true' || said === 'false') return said === 'true';
  if (role !== 'expander') return null;
  const details = parentNode(element);
  return isElement(details) && localName(details) === 'details' ? details.open : null;
}

function isDisabled(element) {
  return attempt(() => matches(element, ':disabled'), false) || attribute(element, 'aria-disabled') === 'true' || attempt(() => closest(element, '[inert]') !== null, false);
}

function isReadOnly(element) {
  const tag = localName(element);
  return ((tag === 'input' || tag === 'textarea') && element.readOnly && !['checkbox', 'radio', 'button', 'submit', 'range', 'color', 'file'].includes(element.type)) || attribute(element, 'aria-readonly') === 'true';
}

function invalidNote(element) {
  const said = attribute(element, 'aria-invalid');
  const bad = (said && said !== 'false') || attempt(() => matches(element, ':user-invalid'), false);
  if (!bad) return '';
  const reason = referredText(element, 'aria-errormessage') || clean(attempt(() => element.validationMessage, ''), 100);
  return reason ? `invalid: ${quote(reason)}` : 'invalid';
}
