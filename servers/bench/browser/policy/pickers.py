"""Values that are set by widgets: calendars, sliders, spinners, colours."""

import calendar
import json
import re

from policy.eye import GaveUp, number

MONTHS = list(calendar.month_name)
MONTHS_TURNED_MAX = 24
STEPS_MAX = 30

HEX = {
    "black": "000000", "white": "ffffff", "aqua": "00ffff", "blue": "0000ff", "gray": "808080", "green": "008000", "lime": "00ff00",
    "maroon": "800000", "navy": "000080", "olive": "808000", "purple": "800080", "red": "ff0000", "silver": "c0c0c0", "teal": "008080",
    "yellow": "ffff00", "pink": "ffc0cb", "magenta": "ff00ff", "gold": "ffd700", "orange": "ffa500",
}


def date(eye):
    pick_date(eye, eye.fields()[0], eye.must(r"Select (\d\d/\d\d/\d{4}) as the date"))
    eye.look()
    eye.submit()


def pick_date(eye, field, written):
    """Opens the calendar, turns to the month and clicks the day."""
    month, day, year = (int(part) for part in written.split("/"))
    eye.click(field)
    for _ in range(MONTHS_TURNED_MAX):
        shown = _shown_month(eye)
        if shown == (year, month):
            return eye.click(_day(eye, str(day)))
        eye.click(eye.one(name="Prev" if shown > (year, month) else "Next"))
    raise GaveUp("the month was not found")


def _shown_month(eye):
    for wait in (0.0, 0.2, 0.4, 0.8):
        eye.wait(wait)
        eye.look()
        shown = " ".join(node.name for node in eye.texts())
        found = re.search(rf"({'|'.join(MONTHS[1:])})\s*(\d{{4}})", shown)
        if found:
            return int(found.group(2)), MONTHS.index(found.group(1))
    raise GaveUp(f"no calendar in {eye.nodes}")


def _day(eye, day):
    found = eye.all("link", day) or eye.all(name=day)
    if not found:
        raise GaveUp(f"no day {day} in {eye.nodes}")
    return found[0]


def slider(eye):
    set_slider(eye, 0, int(eye.must(r"Select (-?\d+) with the slider")))
    eye.submit()


def three_sliders(eye):
    for place, value in enumerate(json.loads(eye.must(r"combination (\[.*\])"))):
        set_slider(eye, place, value)
    eye.submit()


def slider_and_box(eye):
    value, box = eye.must(r"Select (-?\d+) with the slider, click the (\d\w\w) checkbox")
    set_slider(eye, 0, int(value))
    eye.click(eye.all("checkbox")[number(box) - 1])
    eye.submit()


def set_slider(eye, place, wanted):
    """By keys, as many as the value that stands beside the slider is away."""
    for _ in range(STEPS_MAX):
        handle, shown = _handles(eye)[place], _values(eye)[place]
        if shown == wanted:
            return
        eye.press("ArrowRight" if shown < wanted else "ArrowLeft", target=handle.ref, times=min(abs(wanted - shown), 100))
        eye.look()
        if _values(eye)[place] == shown:
            raise GaveUp(f"the slider does not move from {shown}")
    raise GaveUp("the slider was not set")


def _handles(eye):
    """Sliders by their role, else what can be clicked and has no name: the innermost of nested ones."""
    by_role = eye.all("slider")
    if by_role:
        return by_role
    bare = [node for node in eye.all() if not node.name and node.role not in ("checkbox", "radio", "button", "textbox")]
    inner = [node for node in bare if not any(other.index == node.index + 1 and other.depth > node.depth for other in bare)]
    return inner or bare


def _values(eye):
    return [int(node.name) for node in eye.texts() if re.fullmatch(r"-?\d+", node.name)]


def spinner(eye):
    wanted = eye.must(r"Select (-?\d+) with the spinner")
    field = eye.fields()[0]
    eye.type(field, wanted)
    eye.look()
    if eye.fields()[0].value != wanted:
        _spin(eye, int(wanted))
    eye.submit()


def _spin(eye, wanted):
    for _ in range(STEPS_MAX):
        field = eye.fields()[0]
        shown = int(field.value) if re.fullmatch(r"-?\d+", field.value or "") else 0
        if shown == wanted:
            return
        up, down = [node for node in eye.all(after=field) if not node.name][:2]
        eye.click(up if shown < wanted else down)
        eye.look()
    raise GaveUp("the spinner was not set")


def colour(eye):
    eye.type(eye.fields()[0], HEX[eye.must(r"Select (\w+) with the color picker")])
    eye.press("Tab")
    eye.look()
    eye.submit()


STRATEGIES = {
    "choose-date": date,
    "choose-date-easy": date,
    "choose-date-medium": date,
    "choose-date-nodelay": date,
    "use-slider": slider,
    "use-slider-2": three_sliders,
    "form-sequence": slider_and_box,
    "use-spinner": spinner,
    "use-colorwheel": colour,
}
