"""Text to read, to copy, to compute with, to scroll through."""

import re
import time

from policy.eye import GaveUp, number


def answer(eye, text):
    """Types into the field that is empty."""
    empty = [field for field in eye.fields() if not field.value]
    if not empty:
        raise GaveUp("no empty field")
    eye.type(empty[-1], str(text))
    eye.submit()


def body(eye):
    """The text between the task and the first field or button."""
    first = (eye.fields() + eye.all("button"))[0]
    return " ".join(node.name for node in eye.texts(before=first))


def copied(eye):
    """Copies as people do, by keys, since spaces at the end count; the snapshot says whether it worked."""
    which = eye.said(r"from the (\d\w\w) text area")
    full = [field for field in eye.fields() if field.value]
    source = full[number(which[0]) - 1 if which else 0]
    goal = next(field for field in eye.fields() if not field.value)
    eye.click(source)
    eye.press("Control+A")
    eye.press("Control+C")
    eye.click(goal)
    eye.press("Control+V")
    eye.look()
    pasted = next((field.value for field in eye.fields() if field.ref == goal.ref), None)
    if not pasted:
        eye.type(goal, source.value + " ")
    eye.submit()


def word_of_paragraph(eye):
    place = number(eye.must(r"Find the (\d+\w\w) word"))
    words = [word for word in re.split(r"[^A-Za-z]+", body(eye)) if word]
    answer(eye, words[place - 1])


WORDS_BACK = (1, 2, 3)


def last_word(eye):
    """The end of a long text. What the snapshot cuts is marked from its end by keys, copied, and seen where it is pasted."""
    source, goal = eye.fields()[:2]
    if "…" not in source.value[-2:]:
        return answer(eye, re.findall(r"[A-Za-z]+", source.value)[-1])
    for words in WORDS_BACK:
        eye.press("Control+End", target=source.ref)
        eye.press("Control+Shift+ArrowLeft", times=words)
        eye.press("Control+C")
        eye.press("Control+A", target=goal.ref)
        eye.press("Control+V")
        eye.look()
        pasted = re.findall(r"[A-Za-z]+", eye.fields()[1].value or "")
        if pasted:
            eye.type(goal, pasted[-1])
            return eye.submit()
    raise GaveUp("the last word cannot be copied")


def shown_text(eye):
    answer(eye, re.sub(r"\s", "", body(eye)))


def arithmetic(eye):
    one, sign, other = re.search(r"(\d+)\s*([-+x])\s*(\d+)", _problem(eye)).groups()
    one, other = int(one), int(other)
    answer(eye, {"+": one + other, "-": one - other, "x": one * other}[sign])


def algebra(eye):
    left, sign, right, result = re.search(r"(x|\d+)\s*([-+])\s*(x|\d+)\s*=\s*(-?\d+)", _problem(eye)).groups()
    result = int(result)
    if sign == "+":
        found = result - int(right if left == "x" else left)
    elif left == "x":
        found = result + int(right)
    else:
        found = int(left) - result
    answer(eye, found)


def _problem(eye):
    return " ".join(node.name for node in eye.texts())


def guess(eye):
    low, high = 0, 9
    while low <= high:
        middle = (low + high) // 2
        eye.type(eye.fields()[0], str(middle))
        eye.submit()
        eye.look()
        shown = " ".join(node.name for node in eye.texts())
        if "higher than" in shown:
            low = middle + 1
        elif "lower than" in shown:
            high = middle - 1
        else:
            return


GENERATED_MAX = 40


def generate(eye):
    for _ in range(GENERATED_MAX):
        eye.click(eye.button("Generate"))
        eye.look()
        value = next((int(node.name) for node in eye.texts() if re.fullmatch(r"\d+", node.name)), None)
        if value is not None and _fits(eye, value):
            return eye.submit()
    raise GaveUp("no number fits")


def _fits(eye, value):
    below, above = eye.said(r"less than (\d+)"), eye.said(r"greater than (\d+)")
    if below:
        return value < int(below[0])
    if above:
        return value > int(above[0])
    return value % 2 == (1 if "odd" in eye.task else 0)


def odd_or_even(eye):
    for node in eye.texts():
        if re.fullmatch(r"-?\d+", node.name):
            if int(node.name) % 2:
                eye.click(eye.one("button", "Odd", nth=-1, before=node))
            else:
                eye.click(eye.one("button", "Even", after=node))
    eye.submit()


def greatest_card(eye):
    """A card shows its number when it is clicked, and hides the others."""
    submit = eye.button("Submit")
    cards = [node.ref for node in eye.all(before=submit)]
    shown = {}
    for card in cards:
        eye.click(card)
        eye.look()
        number_of_card = next((node for node in eye.nodes if node.ref == card), None)
        text = number_of_card.name if number_of_card and number_of_card.name else eye.last
        digits = re.findall(r"\d+", text)
        if digits:
            shown[card] = int(digits[0])
    if not shown:
        raise GaveUp("no card shows a number")
    eye.click(max(shown, key=shown.get))
    eye.submit()


def scroll_to_end(eye):
    where = eye.must(r"to the (bottom|top) of the text")
    eye.scroll(eye.fields()[0], where)
    eye.submit()


def agreement(eye):
    name = eye.quoted()
    if name:
        eye.scroll(eye.fields()[0], "bottom")
        eye.look()
        eye.type(next(field for field in eye.fields() if field.name == "Name"), name[0])
        eye.click(eye.button(name[1]))
    else:
        eye.click(eye.button("Cancel"))


PRICES_SECONDS = 9.5
CHOOSY_SECONDS = 5.0
LOOK_SECONDS = 0.02
MARGIN = 3.0


def buy_below(eye):
    """The price moves ten times a second: at first it is bought only if it is far below the limit, later if it is below at all."""
    limit = float(eye.must(r"less than \$([\d.]+)").rstrip("."))
    begun = time.monotonic()
    while (gone := time.monotonic() - begun) < PRICES_SECONDS:
        price = next((float(found.group(1)) for node in eye.texts() if (found := re.search(r"\$(\d+\.\d+)", node.name))), None)
        if price is not None and price <= limit - MARGIN * max(0.0, 1 - gone / CHOOSY_SECONDS):
            return eye.click(eye.button("Buy"))
        eye.wait(LOOK_SECONDS)
        eye.look()
    raise GaveUp("the price stayed above the limit")


def delete_by_terminal(eye):
    field = eye.fields()[0]
    eye.type(field, "ls", slowly=True)
    eye.press("Enter")
    eye.look()
    ending = eye.said(r"extension (\.\S+)")
    shown = " ".join(node.name for node in eye.texts())
    if "…" in shown:
        shown = " ".join(eye.read().split())
    listed = re.findall(r"user\\?\$\s*ls\s+(.*?)\s*(?=user\\?\$|$)", shown)
    for word in listed[-1].split() if listed else []:
        if word.endswith(ending[0]) if ending else "." not in word:
            eye.type(field, f"rm {word}", slowly=True)
            return eye.press("Enter")
    raise GaveUp(f"no such file in {shown}")


STRATEGIES = {
    "copy-paste": copied,
    "copy-paste-2": copied,
    "find-word": word_of_paragraph,
    "scroll-text": last_word,
    "scroll-text-2": scroll_to_end,
    "text-transform": shown_text,
    "simple-arithmetic": arithmetic,
    "simple-algebra": algebra,
    "guess-number": guess,
    "generate-number": generate,
    "odd-or-even": odd_or_even,
    "find-greatest": greatest_card,
    "sign-agreement": agreement,
    "stock-market": buy_below,
    "terminal": delete_by_terminal,
}
