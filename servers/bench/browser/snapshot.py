"""Reads the text of a snapshot: lines with a role, a name, a ref, a value and states. Nothing of the page is known beyond it."""

import re

REF = re.compile(r"\[((?:f\d+)?e\d+)\]")
STATES = re.compile(
    r"(?: (?:checked|unchecked|disabled|focused|expanded|collapsed|selected|pressed|required|readonly|invalid|mixed|multiline|editable|hidden"
    r"|\([^()]*\)|: .*))+$"
)
FIELD_ROLES = ("textbox", "searchbox", "spinbutton", "combobox", "textarea", "date", "time", "field", "listbox")


class Node:
    """One line of a snapshot."""

    __slots__ = ("depth", "role", "name", "ref", "value", "states", "line", "index")

    def __init__(self, line, index):
        self.index = index
        body = line.lstrip(" ")
        self.depth = (len(line) - len(body)) // 2
        self.line = body
        self.ref, self.value, self.states = None, None, ""
        rest = body
        found = REF.search(body)
        if found:
            rest, after = body[: found.start()].rstrip(), body[found.end() :]
            self.ref = found.group(1)
            self._after(after)
        elif '"' not in body:
            rest, _, after = body.partition(" = ")
            self._after(" = " + after if after else "")
        else:
            ends = STATES.search(body)
            if ends and ends.start() > body.rindex('"'):
                self.states, rest = ends.group().strip(), body[: ends.start()]
        self.role, self.name = _role_and_name(rest)

    def _after(self, after):
        if after.startswith(" = "):
            after = after[3:]
            ends = STATES.search(after)
            # A value in quotes may itself end in a word that looks like a state.
            if ends and not (after.startswith('"') and ends.start() < after.rindex('"')):
                self.states, after = ends.group().strip(), after[: ends.start()]
            self.value = _unquoted(after)
        else:
            self.states = after.strip()

    def has(self, state):
        return re.search(rf"\b{state}\b", self.states) is not None

    def __repr__(self):
        return self.line


def _unquoted(text):
    text = text.strip()
    if len(text) >= 2 and text[0] == '"' and text[-1] == '"':
        text = text[1:-1]
    return text.replace('\\"', '"')


def _role_and_name(text):
    at = text.find('"')
    if at < 0:
        return text.strip(), ""
    end = text.rfind('"')
    return text[:at].strip(), text[at + 1 : end if end > at else None].replace('\\"', '"')


def parse(text):
    """All nodes of a snapshot, in order; the line of the page itself is left out."""
    nodes = []
    for line in text.split("\n"):
        if line.strip() and not line.startswith("Page:"):
            nodes.append(Node(line, len(nodes)))
    return nodes
