"""Fields to fill: text, passwords, dates, times, labelled forms."""

import datetime
import re

from policy.eye import GaveUp, number


def text(eye):
    eye.type(eye.fields()[0], eye.quoted()[0])
    eye.submit()


def text_in_case(eye):
    words = eye.quoted()[0]
    eye.type(eye.fields()[0], words.upper() if "upper case" in eye.task else words.lower())
    eye.submit()


def password_twice(eye):
    for field in eye.fields():
        eye.type(field, eye.quoted()[0])
    eye.submit()


def login(eye):
    user, password = eye.quoted()
    for place, value in enumerate((user, password)):
        _type_past_popup(eye, place, value)
    eye.click(eye.button("Login", "OK"))


def _type_past_popup(eye, place, value):
    """A popup may come when the field gets the focus: it is cancelled, and the text typed again."""
    for _ in range(3):
        eye.type(eye.fields()[place], value)
        eye.look()
        cancel = eye.maybe("button", "Cancel")
        if not cancel:
            return
        eye.click(cancel)
        eye.look()
        shown = eye.fields()[place].value or ""
        if shown == value or (shown and set(shown) <= {"•"}):
            return
    raise GaveUp("the popup does not go away")


def date(eye):
    wanted = datetime.datetime.strptime(eye.must(r"Enter (\d\d/\d\d/\d{4}) as"), "%m/%d/%Y")
    eye.type(eye.fields()[0], wanted.strftime("%Y-%m-%d"))
    eye.submit()


def time(eye):
    wanted = eye.must(r"Enter (\d+:\d\d\s*[AP]M) as")
    wanted = datetime.datetime.strptime(re.sub(r"\s", " ", wanted), "%I:%M %p")
    eye.type(eye.fields()[0], wanted.strftime("%H:%M"))
    eye.submit()


LABELS = {"genre": r"genre", "director": r"director", "year": r"year|date"}


def film(eye):
    """A form whose labels stand beside, above or below their fields: the n-th label belongs to the n-th field."""
    genre, director, year = eye.must(r"Search for (.+) movies directed by (.+) from year (\d+)")
    values = {"genre": genre, "director": director, "year": year}
    labels = [key for node in eye.texts() for key in LABELS if _is_label(node, key)]
    fields = eye.fields()
    order = list(dict.fromkeys(labels))
    if len(order) != len(fields):
        raise GaveUp(f"labels {order} for {fields}")
    for field, key in zip(fields, order):
        eye.type(field, values[key])
    eye.click(eye.button("Submit", "Search", "Go!"))


def _is_label(node, key):
    return len(node.name) < 20 and node.name not in ("Submit", "Search", "Go!", "Movie Search") and re.search(LABELS[key], node.name, re.I)


def radio_and_text(eye):
    radio, value, place = eye.must(r'Check the (\d\w\w) radio button and enter the number "(-?\d+)" into the (\d\w\w) textbox')
    eye.click(eye.all("radio")[number(radio) - 1])
    eye.type(eye.fields()[number(place) - 1], value)
    eye.submit()


def labelled_values(eye):
    """A table of names and values above, labelled fields below."""
    values = table(eye)
    fields = eye.fields()
    for place, field in enumerate(fields):
        eye.type(field, values[_label_before(eye, fields, place, values)])
    eye.submit()


def _label_before(eye, fields, place, values):
    if fields[place].name.rstrip(": ") in values:
        return fields[place].name.rstrip(": ")
    known = [node for node in eye.texts(after=fields[place - 1] if place else None, before=fields[place]) if node.name.rstrip(": ") in values]
    if not known:
        raise GaveUp(f"no label for {fields[place]}")
    return known[-1].name.rstrip(": ")


def value_of_key(eye):
    key = eye.must(r"Enter the value of (.+?) into the text field")
    eye.type(eye.fields()[0], table(eye)[key])
    eye.submit()


def table(eye):
    """Names and values of a table of two columns."""
    cells = [node.name for node in eye.nodes if node.role == "cell"]
    return dict(zip(cells[::2], cells[1::2]))


STRATEGIES = {
    "enter-text": text,
    "enter-text-dynamic": text,
    "enter-text-2": text_in_case,
    "enter-password": password_twice,
    "login-user": login,
    "login-user-popup": login,
    "enter-date": date,
    "enter-time": time,
    "multi-layouts": film,
    "multi-orderings": film,
    "form-sequence-2": radio_and_text,
    "read-table": value_of_key,
    "read-table-2": labelled_values,
}
