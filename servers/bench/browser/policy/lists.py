"""Things to choose from: check boxes, radio buttons, lists, suggestions."""

from policy.eye import GaveUp

# Words of one meaning. They are those of the page's source: a model would know them, a script must be given them.
SAME_MEANING = [
    set(words.split())
    for words in (
        "big large huge enormous gigantic",
        "small tiny little mini petite",
        "red scarlet crimson vermillion",
        "happy cheerful joyful gleeful delighted",
        "sad unhappy sorrowful miserable tragic",
        "angry mad furious irritated",
        "evil wicked immoral sinful corrupt depraved",
        "wrong incorrect mistaken erroneous",
        "real genuine actual",
        "strange odd peculiar unusual weird",
        "stop cease halt end finish",
        "scared terrified panicked fearful frightened afraid",
        "quiet calm peaceful serene mild",
        "old aged archaic",
        "love like adore favor",
        "kill murder assassinate",
        "keep retain preserve sustain maintain",
        "hide conceal camouflage",
        "hate despise loathe detest dislike",
        "funny humorous amusing comical laughable",
        "fat fleshy plump chubby",
        "stupid dumb dull unwise",
        "delicious savory delectable appetizing",
        "cut slice carve chop",
        "brave courageous fearless",
        "begin start initiate launch",
        "answer reply response",
        "television televisions TV TVs",
        "house home houses homes",
        "fire flame fires flames",
        "pig pork swine",
        "rabbit rabbits bunny bunnies",
        "car cars automobile automobiles vehicle vehicles",
        "water",
    )
]


def check(eye):
    wanted = eye.must(r"Select (.+) and click Submit")
    for name in [] if wanted == "nothing" else wanted.split(", "):
        eye.click(eye.one("checkbox", name))
    eye.submit()


def check_similar(eye):
    for word in eye.must(r"Select words similar to (.+) and click Submit").split(", "):
        meaning = next((words for words in SAME_MEANING if word in words), {word})
        eye.click(next(box for box in eye.all("checkbox") if box.name in meaning))
    eye.submit()


def radio(eye):
    eye.click(eye.one("radio", eye.must(r"Select (.+) and click Submit")))
    eye.submit()


def from_list(eye):
    eye.select(eye.one(("combobox", "listbox")), [eye.must(r"Select (.+) from the list")])
    eye.submit()


def several_from_list(eye):
    eye.select(eye.one(("listbox", "combobox")), eye.must(r"Select (.+) from the scroll list").split(", "))
    eye.submit()


def dropdown(eye):
    """A list that a script has replaced: opened by a click, its items are clicked; or a native one that is still there."""
    wanted, button = eye.must(r'Choose (.+) from the dropdown, then click the button labeled "(.+)"')
    yes = eye.button("Yes")
    openers = eye.all(before=yes)
    if not openers:
        raise GaveUp("nothing to open")
    native = [node for node in openers if node.role == "combobox"]
    if native:
        eye.select(native[0], [wanted])
    for opener in openers if not native else []:
        eye.click(opener)
        eye.look()
        items = [node for node in eye.all(name=wanted) if node.name != eye.task]
        if items:
            eye.click(items[-1])
            break
    eye.look()
    eye.click(eye.button(button))


def suggestion(eye):
    start, *end = eye.quoted()
    take_suggestion(eye, 0, start, lambda name: name.startswith(start) and (not end or name.endswith(end[0])))
    eye.submit()


TRIES = 3


def take_suggestion(eye, place, text, fits):
    """Types into a field and clicks the suggestion; a list that has just come may not take the first click."""
    for _ in range(TRIES):
        eye.click(suggested(eye, eye.fields()[place], text, fits))
        eye.look()
        if fits(eye.fields()[place].value or ""):
            return
    raise GaveUp(f"the suggestion for {text!r} was not taken")


WAITS = (0.0, 0.3, 0.5, 0.8, 1.5)


def suggested(eye, field, text, fits):
    """Types and waits for a suggestion that fits; they come a moment later."""
    known = {node.ref for node in eye.nodes}
    eye.type(field, text, slowly=True)
    for wait in WAITS:
        eye.wait(wait)
        eye.look()
        for node in eye.all():
            if node.ref not in known and node.name and fits(node.name):
                return node
        for node in eye.texts():
            if node.role in ("option", "menuitem", "item", "text") and fits(node.name):
                return eye.ref_of(node.name)
    raise GaveUp(f"no suggestion for {text!r} in {eye.nodes}")


STRATEGIES = {
    "click-checkboxes": check,
    "click-checkboxes-large": check,
    "click-checkboxes-transfer": check,
    "click-checkboxes-soft": check_similar,
    "click-option": radio,
    "choose-list": from_list,
    "click-scroll-list": several_from_list,
    "form-sequence-3": dropdown,
    "use-autocomplete": suggestion,
    "use-autocomplete-nodelay": suggestion,
}
