"""Both servers take the same steps on the same pages, round by round in turn: tokens and time."""

import json
import statistics
import time

import large_pages
import programs
import tokenizer

# What is done on pages of MiniWoB++, by selector. Episodes start with the same seed on both.
MINIWOB_STEPS = {
    "click-button": [("click", "#area button")],
    "click-test": [("click", "#subbtn")],
    "click-test-2": [("click", "#subbtn")],
    "click-button-sequence": [("click", "#subbtn"), ("click", "#subbtn2")],
    "click-checkboxes": [("click", "#ch0"), ("click", "#ch1"), ("click", "#subbtn")],
    "click-checkboxes-large": [("click", "#ch0"), ("click", "#ch3"), ("click", "#subbtn")],
    "click-option": [("click", "#ch1"), ("click", "#subbtn")],
    "click-collapsible": [("click", "h3"), ("click", "#subbtn")],
    "click-tab": [("click", "a[href='#tabs-2']")],
    "click-tab-2": [("click", "a[href='#tabs-2']"), ("click", "a[href='#tabs-3']")],
    "click-dialog": [("click", ".ui-dialog-titlebar-close")],
    "click-menu-2": [("click", "#open-menu")],
    "choose-date": [("click", "#datepicker"), ("click", ".ui-datepicker-prev"), ("click", "#subbtn")],
    "choose-list": [("click", "#area button")],
    "copy-paste": [("type", "#answer-input", "Lorem ipsum dolor"), ("click", "#subbtn")],
    "email-inbox": [("click", "#open-search"), ("type", "#search-input", "a")],
    "enter-date": [("click", "#subbtn")],
    "enter-password": [("type", "#password", "secret"), ("type", "#verify", "secret"), ("click", "#subbtn")],
    "enter-text": [("type", "#tt", "Ada"), ("click", "#subbtn")],
    "enter-text-dynamic": [("type", "#tt", "x7"), ("click", "#subbtn")],
    "find-word": [("type", "#answer-input", "lorem"), ("click", "#subbtn")],
    "focus-text": [("click", "#tt")],
    "form-sequence-2": [("click", "input[value='2']"), ("type", "#input-2", "7"), ("click", "#subbtn")],
    "generate-number": [("click", "#generate"), ("click", "#generate"), ("click", "#submit")],
    "guess-number": [("type", "#tt", "4"), ("click", "#subbtn"), ("type", "#tt", "6"), ("click", "#subbtn")],
    "login-user": [("type", "#username", "ada"), ("type", "#password", "x"), ("click", "#subbtn")],
    "order-food": [("click", "[data-id='2'] .add"), ("click", "[data-id='9'] .add"), ("click", "#submit-order button")],
    "phone-book": [("click", ".page.active + li a, #pagination .next a")],
    "read-table": [("type", "#tt", "Ada"), ("click", "#subbtn")],
    "search-engine": [("type", "#search-text", "Ada"), ("click", "#search"), ("click", "#pagination .next a")],
    "social-media": [("click", ".media:nth-child(1) .more")],
    "use-autocomplete": [("type", "#tags", "Ge"), ("click", "#subbtn")],
    "book-flight": [("type", "#flight-from", "AUS"), ("type", "#flight-to", "DEN"), ("click", "#search")],
    "buy-ticket": [("click", ".flight:nth-child(2) button")],
    "navigate-tree": [("click", "#tree > li:nth-child(1) span")],
    "odd-or-even": [("click", ".row:nth-child(1) .odd"), ("click", ".row:nth-child(2) .even"), ("click", "#submit")],
    "use-spinner": [("click", ".ui-spinner-up"), ("click", ".ui-spinner-up"), ("click", "#subbtn")],
}
# Clicks that end an episode change nothing on the page; they are counted all the same.
READY_SECONDS_MAX = 10
ROUNDS = 3
ROUNDS_QUICK = 1
WARM_UP = "click-test"


class Tally:
    """What one server said and how long it took, step by step: `snapshots` and `actions` hold (page, step, tokens, tokens read, ms)."""

    def __init__(self, server):
        self.server = server
        self.snapshots, self.actions, self.failed = [], [], []

    def visit(self, label, url, steps, ready):
        """Opens a page, looks at it, takes the steps."""
        self.server.navigate(url)
        ready()
        self._take(self.snapshots, label, ("snapshot",), lambda: self.server.snapshot())
        for step in steps:
            self._take(self.actions, label, step, lambda step=step: programs.do(self.server, step))

    def _take(self, into, label, step, does):
        begun = time.perf_counter()
        try:
            text = does()
        except programs.ToolFailed as trouble:
            self.failed.append(f"{label} {step}: {trouble}")
            return
        milliseconds = (time.perf_counter() - begun) * 1000
        text = tokenizer.without_times(text) if self.server.name != "browser-mcp" else text
        read = self.server.read(text if self.server.name == "browser-mcp" else self.server.spoken[-1][1].text)
        into.append((label, step, tokenizer.count(text), tokenizer.count(tokenizer.without_times(read)), milliseconds))


def pages(site, names):
    """Every page that is visited in a round: label, a maker of its address, steps."""
    visits = []
    for task in names:
        visits.append((task, lambda number, task=task: site.task(task, 0, number), MINIWOB_STEPS.get(task, [])))
    for name in large_pages.PAGES:
        visits.append((f"large {name}", lambda number, name=name: site.large(name), large_pages.steps(name)))
    return visits


def run(servers, site, names, quick, say):
    """Rounds over all pages; on each page the servers take turns in who goes first."""
    tallies = [Tally(server) for server in servers]
    for tally in tallies:
        tally.server.navigate(site.task(WARM_UP, 0, f"w{tallies.index(tally)}"))
    for turn in range(ROUNDS_QUICK if quick else ROUNDS):
        for place, (label, address, steps) in enumerate(pages(site, names)):
            order = tallies if (turn + place) % 2 == 0 else tallies[::-1]
            for tally in order:
                number = f"{'ab'[tallies.index(tally)]}{turn}{place}"
                task = not label.startswith("large ")
                ready = (lambda number=number: site.reports.wait_ready(number, READY_SECONDS_MAX)) if task else (lambda: None)
                tally.visit(label, address(number), steps, ready)
        say(f"round {turn + 1} done")
    return tallies


def both(tallies, which):
    """Steps that both servers took, as pairs; a step that one of them failed is left out for both."""
    ours, theirs = (_by_step(getattr(tally, which)) for tally in tallies)
    return [(mine, other) for key in ours if key in theirs for mine, other in zip(ours[key], theirs[key])]


def _by_step(taken):
    steps = {}
    for step in taken:
        steps.setdefault((step[0], step[1]), []).append(step)
    return steps


def tokens(tallies):
    """Tokens of snapshots and actions: median and total of both, and their ratio."""
    table = {}
    for which in ("snapshots", "actions"):
        for part, chosen in (("miniwob", lambda label: not label.startswith("large ")), ("large", lambda label: label.startswith("large "))):
            pairs = [pair for pair in both(tallies, which) if chosen(pair[0][0])]
            if not pairs:
                continue
            table[f"{which} {part}"] = _ratios([mine[3] for mine, _ in pairs], [other[3] for _, other in pairs], [other[2] for _, other in pairs])
        pairs = both(tallies, which)
        table[f"{which} all"] = _ratios([mine[3] for mine, _ in pairs], [other[3] for _, other in pairs], [other[2] for _, other in pairs])
    return table


def _ratios(mine, theirs, answers):
    return {
        "count": len(mine),
        "median": [statistics.median(mine), statistics.median(theirs)],
        "total": [sum(mine), sum(theirs)],
        "total_of_their_answers_alone": sum(answers),
        "ratio_of_medians": round(statistics.median(mine) / max(statistics.median(theirs), 1), 3),
        "ratio_of_totals": round(sum(mine) / max(sum(theirs), 1), 3),
    }


def speed(tallies):
    """Milliseconds for each kind of action: medians of both, and their ratio."""
    table = {}
    pairs = both(tallies, "actions") + both(tallies, "snapshots")
    for verb in sorted({mine[1][0] for mine, _ in pairs}):
        mine = [one[4] for one, _ in pairs if one[1][0] == verb]
        theirs = [other[4] for one, other in pairs if one[1][0] == verb]
        table[verb] = _times(mine, theirs)
    actions = both(tallies, "actions")
    table["all actions"] = _times([one[4] for one, _ in actions], [other[4] for _, other in actions])
    return table


def _times(mine, theirs):
    ours, other = statistics.median(mine), statistics.median(theirs)
    return {
        "count": len(mine),
        "median_ms": [round(ours, 1), round(other, 1)],
        "p90_ms": [round(_p90(mine), 1), round(_p90(theirs), 1)],
        "ratio": round(ours / other, 3),
    }


def _p90(values):
    return sorted(values)[int(len(values) * 0.9)] if values else 0.0


def definitions(servers):
    """Tokens of the list of tools, which every model reads at first."""
    return {server.name: tokenizer.count(json.dumps(server.client.tools(), ensure_ascii=False)) for server in servers}
