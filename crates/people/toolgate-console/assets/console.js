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
  region.replaceWith(next);
  for (const box of all("input[data-keep]", next)) if (ticked.has(box.value)) box.checked = true;
  for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
  for (const entry of all("[data-entry]", next)) if (ids.size && !ids.has(entry.dataset.entry)) entry.classList.add("fresh");
  if (again) next.querySelector(again)?.focus();
  times();
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

function times() {
  for (const one of all("time[data-ago], time[data-left]")) {
    const away = new Date(one.dateTime).getTime() - Date.now();
    if (Number.isNaN(away)) continue;
    if ("left" in one.dataset) one.textContent = away > 0 ? `${span(away)} left` : "time is over";
    else one.textContent = Math.abs(away) < 1500 ? "now" : away < 0 ? `${span(-away)} ago` : `in ${span(away)}`;
    one.title = new Date(one.dateTime).toLocaleString();
  }
}

// ---- Keyboard ---------------------------------------------------------------------------------------------------

let afterG = 0;

function isTyping(target) {
  return target.closest("input, textarea, select, [contenteditable]") || target.closest("dialog[open]");
}

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
  else if (key === "/") press(event, document.querySelector("[data-search]"), (field) => field.focus());
  else if (key === "j") step(event, 1);
  else if (key === "k") step(event, -1);
  else if (key === "x") press(event, tick(), (box) => box.click());
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
  if (event.target.closest("[data-notify]")) return askForNotifications();
  const menu = event.target.closest("[data-menu]");
  if (menu) menu.setAttribute("aria-expanded", String(menu.getAttribute("aria-expanded") !== "true"));
  const ticker = event.target.closest("[data-tick-all]");
  if (ticker) for (const box of all(`input[name="${CSS.escape(ticker.dataset.tickAll)}"]`)) box.checked = ticker.checked;
});

document.addEventListener("submit", (event) => {
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
