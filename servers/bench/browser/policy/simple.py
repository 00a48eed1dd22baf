"""Tasks of one or two clicks."""

import time

from policy.eye import GaveUp, number

# What counts as which kind of widget, by role and by the words behind it.
WIDGETS = {"radio": ("radio",), "checkbox": ("checkbox",), "button": ("button",), "text": ("textbox",), "textarea": ("textbox",)}


def only_button(eye):
    eye.click(eye.one("button"))


def button_in_task(eye):
    eye.click(eye.button(eye.must(r"Click button (\w+)")))


def button_in_quotes(eye):
    eye.click(eye.one("button", eye.quoted()[0]))


def sequence(eye):
    for name in ("ONE", "TWO"):
        eye.click(eye.button(name))


def sequence_with_delay(eye):
    """The time counts from click to click; each call needs the same time before its click, so calls are as far apart as clicks."""
    seconds = float(eye.must(r"wait (\d+) seconds"))
    one, two = eye.button("ONE"), eye.button("TWO")
    begun = time.perf_counter()
    eye.click(one)
    time.sleep(max(0.0, begun + seconds - time.perf_counter()))
    eye.click(two)


def close_dialog(eye):
    eye.click(eye.one("button", "Close"))


def button_of_dialog(eye):
    name = eye.quoted()[0]
    eye.click(eye.one("button", "Close" if name == "x" else name))


def link(eye):
    eye.click(eye.ref_of(eye.quoted()[0]))


def tab(eye):
    name = eye.must(r"Click on (Tab #\d)")
    eye.click(eye.maybe("link", name) or eye.one("tab", name))


def widget(eye):
    wanted = eye.quoted()[0]
    found = eye.all(WIDGETS[wanted])
    if wanted in ("text", "textarea"):
        found = [field for field in found if _has_lines(eye, field) == (wanted == "textarea")]
    if not found:
        raise GaveUp(f"no {wanted}")
    eye.click(found[0])


def _has_lines(eye, field):
    """A snapshot may not say whether a field has several lines. Then a line break tells: only such a field keeps it, as a space."""
    if field.has("multiline"):
        return True
    eye.type(field, "a\nb", slowly=True)
    eye.look()
    return next(node.value for node in eye.nodes if node.ref == field.ref) == "a b"


def focus(eye):
    which = eye.said(r"the (\d\w\w) input")
    eye.click(eye.fields()[number(which[0]) - 1 if which else 0])


STRATEGIES = {
    "click-test": only_button,
    "click-test-2": button_in_task,
    "click-test-transfer": button_in_task,
    "click-button": button_in_quotes,
    "unicode-test": button_in_quotes,
    "click-button-sequence": sequence,
    "button-delay": sequence_with_delay,
    "click-dialog": close_dialog,
    "click-dialog-2": button_of_dialog,
    "click-link": link,
    "click-tab": tab,
    "click-widget": widget,
    "focus-text": focus,
    "focus-text-2": focus,
}
