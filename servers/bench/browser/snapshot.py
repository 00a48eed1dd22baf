"""Reads the text of a snapshot: lines with a role, a name, a ref, a value and states; quotes alone are text. Nothing else of the page is known."""

import re

STRING = r'"((?:\\.|[^"\\])*)"'
REFERENCE = r"(?:f\d+)?e\d+(?![^\s,])"
REF = re.compile(rf'(?:^| )({REFERENCE})(?=[^"]*(?:"[^"]*"[^"]*)*$)')
# role, level, name, ref, value, and whatever else is said.
LINE = re.compile(rf"(?P<role>\([^)]*\)|[\w…]+)(?P<level> \d)?(?: {STRING})?(?: (?P<ref>{REFERENCE}))?(?: = (?:{STRING}|(?P<bare>\S+)))?(?P<more> .*)?$")
FIELD_ROLES = ("textbox", "searchbox", "spinbutton", "combobox", "listbox", "date", "time", "datetime", "month", "week", "color")


class Node:
    """One line of a snapshot, or one thing of a row."""

    __slots__ = ("depth", "role", "name", "ref", "value", "more", "line", "index")

    def __init__(self, depth, line, index):
        self.depth, self.line, self.index = depth, line, index
        self.role, self.name, self.ref, self.value, self.more = line, "", None, None, ""
        read = LINE.match(f"text {line}" if line.startswith('"') else line)
        if read:
            name, value = read.group(3), read.group(5)
            self.role = read.group("role")
            self.name = _plain(name) if name else ""
            self.ref = read.group("ref")
            self.value = _plain(value) if value is not None else read.group("bare")
            self.more = read.group("more") or ""

    def has(self, state):
        return re.search(rf"(?<![\w#.-]){state}(?![\w-])", self.more) is not None

    def hints(self, pattern):
        """Whether what is said of an element without a name fits: its id, its class, its picture."""
        return re.search(pattern, f"{self.name} {self.more}", re.I) is not None

    def __repr__(self):
        return self.line


def _plain(text):
    return text.replace('\\"', '"')


def parse(text):
    """All nodes of a snapshot, in order; the line of the page itself is left out."""
    nodes = []
    for line in text.split("\n"):
        body = line.lstrip(" ")
        if not body or body.startswith("Page:"):
            continue
        depth = len(line) - len(body)
        nodes.append(Node(depth, body, len(nodes)))
        if nodes[-1].role == "row":
            for part in _cells(body):
                nodes.append(Node(depth + 1, part, len(nodes)))
    return nodes


def _cells(row):
    """The things of a row that is one line: texts become cells, others keep their roles."""
    row = re.sub(rf"^row(?: {REFERENCE})? ?", "", row)
    whole = re.fullmatch(STRING, row)
    if whole:
        return [f'cell "{part}"' for part in whole.group(1).split(" | ")]
    parts = []
    for cell in re.split(r' \| (?=(?:[^"]*"[^"]*")*[^"]*$)', row):
        parts += _things(cell)
    return parts


# One thing of a cell: a role before a string or a ref, a value, and words up to the next thing.
THING = re.compile(
    rf"(?:[a-z]+(?: \d)? (?=\"|{REFERENCE}))?(?:{STRING}|\b{REFERENCE})(?: {REFERENCE})?(?: = (?:{STRING}|\S+))?"
    rf"(?: (?![a-z]+(?: \d)? (?:\"|{REFERENCE}))[^\s\"]+)*"
)


def _things(cell):
    """A cell may hold several things; a bare string is text."""
    texts = [thing.group() for thing in THING.finditer(cell)]
    return [f"cell {text}" if text.startswith('"') else text for text in texts]
