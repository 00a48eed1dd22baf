"""Things to drag and to mark: lists to order, boxes, calendars, text."""

import re

from policy.eye import GaveUp, number
from programs import ToolFailed

GRID = {
    "top left": 0, "top center": 1, "top right": 2, "center left": 3, "center": 4, "center right": 5, "bottom left": 6, "bottom center": 7, "bottom right": 8,
}


def names(eye, pattern=r"\S+"):
    return [node.name for node in eye.texts() if re.fullmatch(pattern, node.name) and node.name != "Submit"]


def item(eye):
    name, where = eye.must(r"Drag (\S+) (.+)\.")
    order = names(eye, r"[A-Z][\w-]+")
    old = order.index(name)
    place = re.search(r"to the (\d)\w\w position", where)
    if place:
        new = int(place.group(1)) - 1
    else:
        new = {"to the top": 0, "to the bottom": len(order) - 1, "down by one position": old + 1, "up by one position": old - 1}[where]
    eye.drag(eye.ref_of(name), eye.ref_of(order[new]))


def item_of_grid(eye):
    name, where = eye.must(r"Drag (\S+) (.+)\.")
    order = names(eye, r"[A-Z][\w-]+")
    old = order.index(name)
    steps = {"up by one": -3, "down by one": 3, "left by one": -1, "right by one": 1}
    new = old + steps[where] if where in steps else GRID[where.removeprefix("to the ")]
    eye.drag(eye.ref_of(name), eye.ref_of(order[new]))


def sort_numbers(eye):
    """Each number is dragged to the place where it belongs, from the top on."""
    wanted = sorted(int(name) for name in names(eye, r"-?\d+"))
    for place, value in enumerate(wanted):
        order = [int(name) for name in names(eye, r"-?\d+")]
        if order[place] != value:
            eye.drag(eye.ref_of(str(value)), eye.ref_of(str(order[place])))
            eye.look()
    eye.submit()


def box_in_box(eye):
    eye.drag(eye.ref_of("s"), eye.ref_of("L"))
    eye.submit()


WINDOW_HALVES = 8
# Where other events can lie is known from the page's source; the snapshot does not say it. Before noon, the later hours are free.
MORNING = ("8AM",)


def event(eye):
    """An event is made by dragging from its first half hour to its last. Other events may lie there: then a later start is tried."""
    length, unit, name, start = eye.must(r'Create a ([\d.]+) (min|hour)s? event named "(\w+)", between (\d+[AP]M)')
    halves = round(float(length) / 30 if unit == "min" else float(length) * 2)
    cells = _half_hours(eye, start.lower())
    starts = range(WINDOW_HALVES - halves + 1)
    for first in reversed(starts) if start in MORNING else starts:
        if _made(eye, cells[first], cells[first + halves - 1]):
            eye.type(eye.fields()[0], name)
            return eye.click(eye.button("Create"))
    raise GaveUp("no event could be made")


def _made(eye, first, last):
    try:
        eye.drag(first, last)
    except ToolFailed:
        return False
    eye.look()
    return bool(eye.fields())


def _half_hours(eye, hour):
    label = next(node for node in eye.texts() if node.name == hour)
    cells = [node for node in eye.all(after=label) if not node.name]
    if not cells:
        raise GaveUp("the half hours cannot be taken hold of")
    return cells


def mark_text(eye):
    """A paragraph is marked by clicks."""
    which = eye.said(r"in the (\d\w\w) paragraph")
    paragraphs = [node for node in eye.texts() if node.name != "Submit"]
    eye.mark(eye.ref_of(paragraphs[number(which[0]) - 1 if which else 0].name))
    eye.submit()


def resize(eye):
    """By the handle at its corner, which has no name: to the middle of the field to shrink.

    To grow, it goes to the button, which stands below every field, or to the middle of the page, which is right of every field:
    the box of a task is small.
    """
    field = eye.fields()[0]
    handles = [node for node in eye.all(after=field) if not node.name]
    if not handles:
        raise GaveUp("there is no handle")
    what, how = eye.must(r"the (width|height) is (smaller|larger)")
    goals = {"smaller": field, "larger": eye.button("Submit") if what == "height" else "body"}
    eye.drag(handles[-1], goals[how])
    eye.submit()


STRATEGIES = {
    "drag-items": item,
    "drag-items-grid": item_of_grid,
    "drag-sort-numbers": sort_numbers,
    "drag-box": box_in_box,
    "daily-calendar": event,
    "highlight-text": mark_text,
    "highlight-text-2": mark_text,
    "resize-textarea": resize,
}
