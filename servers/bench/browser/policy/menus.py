"""Things that hide others: menus, tabs, sections, trees, wheels."""

import re

from policy.eye import GaveUp

WAITS = (0.0, 0.3, 0.5, 0.8)
SHORT_WAITS = (0.0, 0.3, 0.3)
SECTION_SECONDS = 0.4


def appears(eye, name, waits=WAITS):
    """Whether something of this name is there, now or a moment later."""
    for wait in waits:
        eye.wait(wait)
        eye.look()
        found = [node for node in eye.nodes if node.name == name and node.name != eye.task]
        if found:
            return found
    return []


def menu(eye):
    """A parent opens when the mouse is over it; a click on it would choose it."""
    path = eye.must(r"Select (.+)").split(">")
    for place, name in enumerate(path):
        if not appears(eye, name):
            raise GaveUp(f"no {name} in {eye.nodes}")
        if place + 1 < len(path):
            eye.hover(eye.ref_of(name))
        else:
            eye.click(eye.ref_of(name))


def link_in_tabs(eye):
    wanted = eye.quoted()[0]
    if _click_if_there(eye, wanted):
        return
    tabs = [node.name for node in eye.all("tab")] or [node.name for node in eye.all("link")]
    for name in dict.fromkeys(tabs):
        tab = eye.maybe("link", name) or eye.one("tab", name)
        if tab.has("selected") or (eye.maybe("tab", name) and eye.maybe("tab", name).has("selected")):
            continue
        eye.click(tab)
        eye.look()
        if _click_if_there(eye, wanted):
            return
    raise GaveUp(f"no link {wanted}")


def _click_if_there(eye, wanted):
    found = [node for node in eye.all(name=wanted) if node.name != eye.task]
    if found:
        eye.click(found[0])
    return bool(found)


def sections(eye):
    return [node.ref for node in eye.all(name=re.compile(r"^\s*Section #\d+"))]


def open_section(eye):
    eye.click(sections(eye)[0])
    for wait in WAITS:
        eye.wait(wait)
        eye.look()
        if len(eye.texts()) > 2:
            break
    eye.submit()


def link_in_sections(eye):
    wanted = eye.quoted()[0]
    for section in sections(eye):
        eye.click(section)
        if appears(eye, wanted, SHORT_WAITS):
            # What is seen may still be moving.
            eye.wait(SECTION_SECONDS)
            eye.look()
            return _click_if_there(eye, wanted)
    raise GaveUp(f"no link {wanted}")


def tree(eye):
    """Opens folder after folder until the name is seen; a file of another name must not be clicked."""
    wanted = eye.quoted()[0]
    opened = set()
    for _ in range(20):
        eye.look()
        if _click_if_there(eye, wanted):
            return
        if any(node.name == wanted for node in eye.nodes):
            return eye.click(eye.ref_of(wanted))
        opener = next((node for node in _openers(eye) if node.ref not in opened), None)
        if not opener:
            raise GaveUp(f"nothing more to open in {eye.nodes}")
        opened.add(opener.ref)
        eye.click(opener)
        eye.wait(0.1)


def _openers(eye):
    """Handles of folders have no name; where there are none, folders say that they are collapsed."""
    closed = [node for node in eye.all() if node.has("collapsed")]
    handles = [node for node in eye.all() if not node.name and node.role not in ("list", "item", "tree", "group", "row", "scrollable")]
    return closed or handles


def wheel(eye):
    """The menu is opened by its middle, a plus sign, and its items are letters.

    The first item cannot be chosen with a mouse: the page puts it into the document anew whenever the mouse comes over it, and
    Chromium gives a press to what is behind an element that has just moved. Such an episode does not end.
    """
    wanted = eye.quoted()[0]
    plus = eye.maybe(name="+")
    if plus:
        eye.click(plus)
        eye.wait(0.8)
        eye.look()
    eye.click(eye.ref_of(wanted))


STRATEGIES = {
    "click-menu": menu,
    "click-tab-2": link_in_tabs,
    "click-tab-2-easy": link_in_tabs,
    "click-tab-2-medium": link_in_tabs,
    "click-tab-2-hard": link_in_tabs,
    "click-collapsible": open_section,
    "click-collapsible-nodelay": open_section,
    "click-collapsible-2": link_in_sections,
    "click-collapsible-2-nodelay": link_in_sections,
    "navigate-tree": tree,
    "click-pie": wheel,
    "click-pie-nodelay": wheel,
}
