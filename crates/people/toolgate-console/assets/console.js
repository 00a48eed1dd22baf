// The console's own script: everything works without it; with it, pages are live and quicker to use.
// Parts: live regions, times, keyboard, lists, copying, confirming, notifications, menu and theme.
"use strict";

const QUIET_MS = 250; // events within this time become one refresh
const RETRY_MS = [1000, 2000, 5000, 10000];
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// ---- Live regions -----------------------------------------------------------------------------------------------
// An element with an id and data-live="approval input" is fetched again when an event of such a kind happens.

const live = { source: null, last: null, failures: 0, due: null, wanted: new Set(), gap: false };

function show(state, text) {
  const status = document.getElementById("live");
  if (!status || status.dataset.state === state) return;
  status.dataset.state = state;
  status.firstElementChild.textContent = text;
}

function listen() {
  const { events, kinds } = document.body.dataset;
  if (!events || live.source) return;
  const address = live.last ? `${events}?after=${encodeURIComponent(live.last)}` : events;
  const source = (live.source = new EventSource(address));
  source.onopen = () => {
    live.failures = 0;
    show("on", "live");
    if (live.gap) refresh(new Set(regions()));
    live.gap = false;
  };
  source.onerror = () => {
    live.gap = true;
    show("off", "reconnecting");
    if (source.readyState !== EventSource.CLOSED) return; // the browser comes back by itself
    hangUp();
    const wait = RETRY_MS[Math.min(live.failures++, RETRY_MS.length - 1)];
    setTimeout(() => check().then((inside) => inside && listen()), wait);
  };
  for (const kind of kinds.split(" ")) source.addEventListener(kind, (event) => heard(kind, event));
}

function hangUp() {
  live.source?.close();
  live.source = null;
}

function heard(kind, event) {
  if (event.lastEventId) live.last = event.lastEventId;
  notify(kind, event.data);
  for (const region of regions()) {
    const words = region.dataset.live.split(" ");
    if (words.some((word) => kind === word || kind.startsWith(`${word}.`))) live.wanted.add(region.id);
  }
  if (live.wanted.size && !live.due) live.due = setTimeout(refreshWanted, QUIET_MS);
}

const regions = () => all("[data-live][id]");

function refreshWanted() {
  live.due = null;
  const wanted = new Set(regions().filter((region) => live.wanted.has(region.id)));
  live.wanted.clear();
  refresh(wanted);
}

async function check() {
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    if (!answer.redirected || !new URL(answer.url).pathname.endsWith("/console/login")) return true;
    show("ended", "your login has ended");
    const status = document.getElementById("live");
    const link = document.createElement("a");
    link.href = `/console/login?ended=1&next=${encodeURIComponent(location.pathname + location.search)}`;
    link.textContent = "log in";
    status.append(" ", link);
    return false;
  } catch {
    return true; // not reachable: trying again is all there is
  }
}

async function refresh(wanted) {
  if (!wanted.size) return;
  let answer;
  try {
    answer = await fetch(location.href, { headers: { accept: "text/html" } });
  } catch {
    return; // the stream will say that the gateway is away
  }
  if (!answer.ok || answer.redirected) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const region of wanted) {
    const next = fresh.getElementById(region.id);
    if (next && next.isEqualNode(region)) continue;
    // What somebody types is kept, unless what it is about has come to its end meanwhile.
    if (!next || (isEdited(region) && next.dataset.state === region.dataset.state)) continue;
    swap(region, document.importNode(next, true));
  }
}

// What somebody is writing is not taken from under their hands.
function isEdited(region) {
  if (region.querySelector("[data-typed]")) return true; // sent and refused: what was typed is what the page holds
  return all("input, textarea, select", region).some((field) => {
    if (field.type === "hidden" || "keep" in field.dataset) return false;
    if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
    if (field.tagName === "SELECT") return [...field.options].some((one) => one.selected !== one.defaultSelected && one.index > 0);
    return field.value !== field.defaultValue;
  });
}

function swap(region, next) {
  const opened = new Set(all("details[open][id]", region).map((one) => one.id));
  const ids = new Set(all("[data-entry]", region).map((one) => one.dataset.entry));
  const focused = region.contains(document.activeElement) ? document.activeElement : null;
  const again = focused && (focused.id ? `#${CSS.escape(focused.id)}` : focused.getAttribute("href") && `a[href="${CSS.escape(focused.getAttribute("href"))}"]`);
  const ticked = new Set(all("input[data-keep]:checked", region).map((box) => box.value));
  const seen = firstSeen(region);
  region.replaceWith(next);
  for (const box of all("input[data-keep]", next)) if (ticked.has(box.value)) box.checked = true;
  for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
  for (const entry of all("[data-entry]", next)) if (ids.size && !ids.has(entry.dataset.entry)) entry.classList.add("fresh");
  if (again) next.querySelector(again)?.focus({ preventScroll: true });
  mark();
  times();
  // What somebody reads stays where it is, however many entries came above it.
  const now = seen && next.querySelector(`[data-entry="${CSS.escape(seen.id)}"]`);
  if (now) window.scrollBy(0, now.getBoundingClientRect().top - seen.top);
}

function firstSeen(region) {
  if (window.scrollY < 1) return null;
  const one = all("[data-entry]", region).find((entry) => entry.getBoundingClientRect().top >= 0);
  return one && { id: one.dataset.entry, top: one.getBoundingClientRect().top };
}

document.addEventListener("visibilitychange", () => {
  // Browsers keep few connections to one host: a hidden tab gives its own back, unless it should notify.
  if (document.hidden && !wantsNotifications()) {
    hangUp();
    live.gap = true;
  } else if (!document.hidden) listen();
});

// ---- Times ------------------------------------------------------------------------------------------------------

function span(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60000) return `${Math.floor(ms / 1000)} s`;
  if (ms < 3600000) return `${Math.floor(ms / 60000)} min`;
  if (ms < 86400000) return `${Math.floor(ms / 3600000)} h ${Math.floor((ms % 3600000) / 60000)} min`;
  return `${Math.floor(ms / 86400000)} days`;
}

// All times are in one zone: that of this device, or UTC. The button in the head of the page switches.
const inUtc = () => localStorage.getItem("toolgate-zone") === "utc";

function clock(moment) {
  const two = (number) => String(number).padStart(2, "0");
  if (inUtc()) return [moment.toISOString().slice(0, 19).replace("T", " "), "UTC"];
  const day = `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
  const time = `${two(moment.getHours())}:${two(moment.getMinutes())}:${two(moment.getSeconds())}`;
  const parts = new Intl.DateTimeFormat("en-GB", { timeZoneName: "short" }).formatToParts(moment);
  return [`${day} ${time}`, parts.find((part) => part.type === "timeZoneName")?.value ?? ""];
}

const away = (ms) => (Math.abs(ms) < 1500 ? "now" : ms < 0 ? `${span(-ms)} ago` : `in ${span(ms)}`);

function times() {
  for (const one of all("time[data-ago], time[data-left], time[data-at]")) {
    const moment = new Date(one.dateTime);
    const left = moment.getTime() - Date.now();
    if (Number.isNaN(left)) continue;
    const [written, zone] = clock(moment);
    let text = away(left);
    if ("left" in one.dataset) text = left > 0 ? `${span(left)} left` : "time is over";
    if ("at" in one.dataset) text = written;
    if (one.textContent !== text) one.textContent = text;
    one.title = "at" in one.dataset ? `${written} ${zone} · ${away(left)}` : `${written} ${zone}`;
  }
  clocks();
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

// The forms of a moment that leave out what their place says. The gateway writes the same in UTC.
function inForm(moment, form) {
  const [written] = clock(moment);
  const day = `${Number(written.slice(8, 10))} ${MONTHS[Number(written.slice(5, 7)) - 1]}`;
  const minute = written.slice(11, 16);
  const precise = `${written.slice(11)}.${String(moment.getUTCMilliseconds()).padStart(3, "0")}`;
  return { minute, day, short: `${day} ${minute}`, precise }[form] ?? written;
}

// Also in pictures, whose texts have no `datetime`; what one says beside its time follows it.
function clocks() {
  for (const one of all("[data-clock], time[data-hover]")) {
    const moment = new Date(one.dateTime ?? one.dataset.moment);
    if (Number.isNaN(moment.getTime())) continue;
    const [written, zone] = clock(moment);
    const told = one.dataset.told ? `: ${one.dataset.told}` : "";
    const text = "clock" in one.dataset ? inForm(moment, one.dataset.clock) + told : one.textContent;
    if (one.textContent !== text) one.textContent = text;
    if (one instanceof HTMLElement) one.title = `${written} ${zone}`;
  }
  for (const one of all("[data-zone-name]")) one.textContent = inUtc() ? "UTC" : "local time";
}

function tellZone() {
  for (const button of all("[data-zone-toggle]")) {
    button.hidden = false;
    button.textContent = inUtc() ? "UTC" : "Local";
    button.title = inUtc() ? "Times are in UTC. Show them in local time." : "Times are local. Show them in UTC.";
  }
}

function toggleZone() {
  localStorage.setItem("toolgate-zone", inUtc() ? "local" : "utc");
  tellZone();
  times();
}

// ---- Keyboard ---------------------------------------------------------------------------------------------------

let afterG = 0;

function isTyping(target) {
  return target.closest("input, textarea, select, [contenteditable]") || target.closest("dialog[open]");
}

// Search from anywhere, from a field too. On a phone the field is hidden; the page has one of its own.
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "k") return;
  const field = document.querySelector("[data-find]");
  if (!field) return;
  event.preventDefault();
  if (field.offsetParent) field.select();
  else location.assign("/console/search");
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  const key = event.key;
  if (Date.now() - afterG < 1500) {
    afterG = 0;
    const door = document.querySelector(`.rooms a[data-key="${CSS.escape(key)}"]`);
    if (door) {
      event.preventDefault();
      door.click();
    }
    return;
  }
  if (key === "g") afterG = Date.now();
  else if (key === "?") document.getElementById("keys")?.showModal();
  else if (key === "/") press(event, document.querySelector("[data-search]") ?? document.querySelector("[data-find]"), (field) => field.focus());
  else if (key === "j") step(event, 1);
  else if (key === "k") step(event, -1);
  else if (key === "x") press(event, tick(), (box) => box.click());
  else if (key === "u" && held.size) press(event, true, () => takeBack([...held.keys()].pop()));
  else if (current()?.querySelector(`[data-decide="${CSS.escape(key)}"]`)) press(event, current().querySelector(`[data-decide="${CSS.escape(key)}"]`), (button) => button.click());
  else {
    const named = document.querySelector(`[data-press="${CSS.escape(key)}"]`);
    if (named) press(event, named, reach);
  }
});

function press(event, target, act) {
  if (!target) return;
  event.preventDefault();
  act(target);
}

// Goes to a field, or to the first one of a group, or to a button that should be pressed on purpose; else presses.
function reach(one) {
  const field = one.matches("fieldset") ? one.querySelector("input:not([type=hidden]), textarea, select") : one;
  if (!field) return;
  if (field.matches("input, textarea, select, [data-goes]")) field.focus();
  else field.click();
}

const entries = () => all("[data-entry]").filter((entry) => entry.offsetParent !== null);
const current = () => document.activeElement?.closest("[data-entry]");
const tick = () => current()?.querySelector("input[type=checkbox]");

function step(event, by) {
  const list = entries();
  if (!list.length) return;
  const at = list.indexOf(current());
  const next = list[Math.max(0, Math.min(list.length - 1, at < 0 ? 0 : at + by))];
  press(event, next.querySelector("a[href]") ?? next, (one) => one.focus());
}

// ---- Clicking ---------------------------------------------------------------------------------------------------

document.addEventListener("click", async (event) => {
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    try {
      await navigator.clipboard.writeText(copy.dataset.copy);
      copy.textContent = "Copied";
    } catch {
      copy.textContent = "Select and copy by hand";
    }
    return;
  }
  if (event.target.closest("[data-theme-toggle]")) return toggleTheme();
  if (event.target.closest("[data-zone-toggle]")) return toggleZone();
  if (event.target.closest("[data-notify]")) return askForNotifications();
  const menu = event.target.closest("[data-menu]");
  if (menu) menu.setAttribute("aria-expanded", String(menu.getAttribute("aria-expanded") !== "true"));
  const ticker = event.target.closest("[data-tick-all]");
  if (ticker) for (const box of all(`input[name="${CSS.escape(ticker.dataset.tickAll)}"]`)) box.checked = ticker.checked;
});

// ---- Deciding in a list -----------------------------------------------------------------------------------------
// A decision of one entry is sent after five seconds, in which it can be taken back. A page that is left sends nothing.

const HELD_MS = 5000;
const held = new Map();

function hold(form, button) {
  const entry = button.closest("[data-entry]");
  const id = entry.dataset.entry;
  if (held.has(id)) return;
  const body = new URLSearchParams([...new FormData(form)].filter(([name]) => name === "csrf" || name === `shown:${id}`));
  body.set(button.name, button.value);
  const name = entry.querySelector("h2")?.textContent.trim() ?? "";
  const line = document.createElement("p");
  const text = document.createElement("span");
  const back = document.createElement("button");
  back.type = "button";
  back.className = "button small";
  back.textContent = "Take it back";
  back.onclick = () => takeBack(id);
  line.append(text, " ", back);
  heldLines().append(line);
  const one = { line, text, saying: `${button.dataset.saying} ${name}`, action: form.action, body, left: HELD_MS / 1000 };
  held.set(id, one);
  tellHeld(one);
  one.timer = setInterval(() => (--one.left > 0 ? tellHeld(one) : send(id)), 1000);
  mark();
  step(new Event("decided"), 1);
}

function heldLines() {
  let lines = document.getElementById("held");
  if (lines) return lines;
  lines = document.createElement("div");
  lines.id = "held";
  lines.setAttribute("role", "status");
  document.body.append(lines);
  return lines;
}

const tellHeld = (one) => (one.text.textContent = `${one.saying}: is sent in ${one.left} s`);
const mark = () => entries().forEach((entry) => entry.classList.toggle("held", held.has(entry.dataset.entry)));

function takeBack(id) {
  const one = held.get(id);
  if (!one || one.isSent) return;
  clearInterval(one.timer);
  one.line.remove();
  held.delete(id);
  mark();
}

async function send(id) {
  const one = held.get(id);
  clearInterval(one.timer);
  one.isSent = true;
  one.line.querySelector("button").remove();
  let told = "was not sent: the gateway does not answer";
  let fails = true;
  try {
    const answer = await fetch(one.action, { method: "POST", body: one.body });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    fails = !answer.ok;
    told = page.querySelector(fails ? "#main td[data-name=Result], #main [role=alert]" : "#main .said")?.textContent ?? (fails ? "was refused" : "is recorded");
  } catch {
    // it still waits, and says so
  }
  one.text.textContent = `${one.saying}: ${told}`;
  held.delete(id);
  mark();
  refresh(new Set(regions()));
  setTimeout(() => one.line.remove(), fails ? 4 * HELD_MS : HELD_MS);
}

window.addEventListener("beforeunload", (event) => held.size && event.preventDefault());

document.addEventListener("submit", (event) => {
  if ("takesBack" in event.target.dataset && event.submitter?.dataset.decide) {
    event.preventDefault();
    return hold(event.target, event.submitter);
  }
  const asked = event.submitter?.dataset.confirm ?? event.target.dataset.confirm;
  if (asked && !window.confirm(asked)) return event.preventDefault();
  if (event.target.method === "dialog") return;
  // A second click must not send it twice.
  setTimeout(() => all("button", event.target).forEach((button) => (button.disabled = true)));
});
window.addEventListener("pageshow", () => all("form button:disabled").forEach((button) => (button.disabled = false)));

// Writing in a field marked data-ticks="box" chooses what it stands for.
document.addEventListener("input", (event) => {
  const box = document.getElementById(event.target.dataset.ticks ?? "");
  if (box) box.checked = true;
});

// A form marked data-preview="#place" is sent along with what is typed, and that place of the answer is shown.
let preview;
document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-preview]");
  if (!form) return;
  clearTimeout(preview);
  preview = setTimeout(() => showPreview(form), QUIET_MS);
});

async function showPreview(form) {
  const place = document.querySelector(form.dataset.preview);
  try {
    const body = new URLSearchParams(new FormData(form));
    const answer = await fetch(form.dataset.previewAction ?? form.action, { method: "POST", body });
    if (answer.redirected) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector(form.dataset.preview);
    if (fresh && place) place.replaceWith(document.importNode(fresh, true));
  } catch {
    // the form itself still works
  }
}

function toggleTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("toolgate-theme", root.dataset.theme);
}

// ---- Notifications ----------------------------------------------------------------------------------------------

const wantsNotifications = () =>
  localStorage.getItem("toolgate-notify") === "on" && "Notification" in window && Notification.permission === "granted";

async function askForNotifications() {
  if (!("Notification" in window)) return;
  const on = wantsNotifications();
  if (!on) await Notification.requestPermission();
  localStorage.setItem("toolgate-notify", on ? "off" : "on");
  tellNotifications();
}

function tellNotifications() {
  for (const button of all("[data-notify]")) {
    button.hidden = !("Notification" in window);
    button.textContent = wantsNotifications() ? "Stop notifying me" : "Notify me on this device";
    button.setAttribute("aria-pressed", String(wantsNotifications()));
  }
}

function notify(kind, data) {
  if (!wantsNotifications() || (kind !== "approval.requested" && kind !== "input.requested")) return;
  let told = {};
  try {
    told = JSON.parse(data);
  } catch {
    // a notification without detail is still one
  }
  const body = [told.principal, told.tool].filter(Boolean).join(" · ");
  const shown = new Notification(kind === "approval.requested" ? "An approval waits" : "A question waits", { body, tag: told.approval ?? told.call });
  shown.onclick = () => {
    window.focus();
    location.href = "/console/inbox";
  };
}

// ---- Start ------------------------------------------------------------------------------------------------------

times();
setInterval(times, 1000);
tellZone();
tellNotifications();
if (!document.hidden || wantsNotifications()) listen();

// ---- Plots ------------------------------------------------------------------------------------------------------
// Drawing over a plot shows the time that was drawn over.

function brush(svg) {
  const { from, step, steps, left, right, width } = svg.dataset;
  const wide = (width - left - right) / steps;
  let start = null;
  let mark = null;
  const place = (event) => {
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * width;
    return Math.min(steps - 1, Math.max(0, Math.floor((x - left) / wide)));
  };
  svg.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && event.pointerType === "mouse") start = place(event);
  });
  svg.addEventListener("dragstart", (event) => event.preventDefault());
  svg.addEventListener("pointermove", (event) => {
    if (start === null) return;
    const now = place(event);
    if (now === start && !mark) return;
    if (!mark) {
      mark = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      mark.setAttribute("class", "brush");
      mark.setAttribute("height", "100%");
      svg.append(mark);
      svg.setPointerCapture(event.pointerId);
    }
    mark.setAttribute("x", +left + Math.min(start, now) * wide);
    mark.setAttribute("width", (Math.abs(now - start) + 1) * wide);
  });
  svg.addEventListener("pointerup", (event) => {
    if (start !== null && mark) {
      const [first, last] = [start, place(event)].sort((a, b) => a - b);
      const moment = (number) => new Date(+from + number * step).toISOString().slice(0, 19);
      const address = new URL("/console/metrics", location.href);
      for (const name of ["by", "name", "compare"]) {
        const kept = new URLSearchParams(location.search).get(name);
        if (kept) address.searchParams.set(name, kept);
      }
      address.searchParams.set("from", moment(first));
      address.searchParams.set("until", moment(last + 1));
      location.assign(address);
    }
    start = null;
  });
}
all("svg[data-brush]").forEach(brush);
