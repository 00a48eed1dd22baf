"""What the policy sees and does: the last snapshot, ways to find things in it, and the tools."""

import re
import time

import snapshot

ACTIONS_MAX = 150
LOOKS_MAX = 1000


class GaveUp(Exception):
    """The policy does not know how to go on."""


class Eye:
    """The page as the agent sees it."""

    def __init__(self, browser):
        self._browser = browser
        self.actions = 0
        self.looks = 0
        self.last = ""
        self.nodes = []
        self.task = ""

    def look(self, **wish):
        """Takes a snapshot; everything below is searched in the newest one."""
        self.looks += 1
        if self.looks > LOOKS_MAX:
            raise GaveUp(f"more than {LOOKS_MAX} snapshots")
        self.nodes = snapshot.parse(self._browser.snapshot(**wish))
        if not self.task:
            self.task = self._first_text()
        return self.nodes

    def _first_text(self):
        for node in self.nodes:
            if node.name:
                return node.name
        raise GaveUp("the page has no text")

    # Finding

    def all(self, role=None, name=None, ref=True, after=None, before=None):
        """Nodes of a role (or of several) and with a name: a text for the whole name, a pattern for a part of it."""
        roles = (role,) if isinstance(role, str) else role
        found = []
        for node in self.nodes:
            if ref and not node.ref:
                continue
            if roles and not _is(node, roles):
                continue
            if name is not None and not _named(node, name):
                continue
            if after is not None and node.index <= after.index:
                continue
            if before is not None and node.index >= before.index:
                continue
            found.append(node)
        return found

    def one(self, role=None, name=None, nth=0, **where):
        found = self.all(role, name, **where)
        if -len(found) <= nth < len(found):
            return found[nth]
        raise GaveUp(f"no {role or 'element'} {name!r} number {nth} in {self.nodes}")

    def maybe(self, role=None, name=None, **where):
        found = self.all(role, name, **where)
        return found[0] if found else None

    def texts(self, after=None, before=None):
        """Everything readable, in order, without the task itself."""
        shown = self.all(ref=False, after=after, before=before)
        return [node for node in shown if node.name and node.name != self.task and not node.role.startswith("(hidden")]

    def fields(self):
        return self.all(snapshot.FIELD_ROLES)

    def button(self, *names):
        """The button (or what acts as one) with the first of these names that is there."""
        for name in names:
            found = self.all("button", name) or self.all(None, name)
            if found:
                return found[0]
        raise GaveUp(f"no button {names} in {self.nodes}")

    def ref_of(self, text, nth=0):
        """The ref of what shows this text; asks `find` if the snapshot gives it none."""
        found = [node for node in self.all(name=text) if node.name != self.task]
        if len(found) > nth:
            return found[nth].ref
        refs = self._browser.find(text)
        if len(refs) > nth:
            return refs[nth]
        raise GaveUp(f"nothing shows {text!r}")

    # Acting

    def _act(self, does, *arguments, **more):
        self.actions += 1
        if self.actions > ACTIONS_MAX:
            raise GaveUp(f"more than {ACTIONS_MAX} actions")
        self.last = does(*arguments, **more)
        return self.last

    def click(self, node):
        return self._act(self._browser.click, _ref(node))

    def mark(self, node):
        return self._act(self._browser.mark, _ref(node))

    def drag(self, node, goal):
        return self._act(self._browser.drag, _ref(node), _ref(goal))

    def type(self, node, text, **more):
        return self._act(self._browser.type, _ref(node), text, **more)

    def press(self, key, **more):
        return self._act(self._browser.press, key, **more)

    def select(self, node, labels):
        return self._act(self._browser.select, _ref(node), labels)

    def hover(self, node):
        return self._act(self._browser.hover, _ref(node))

    def scroll(self, node, direction):
        return self._act(self._browser.scroll, _ref(node), direction)

    def read(self):
        """The whole text of the page, for what a snapshot cuts."""
        return self._browser.read_page()

    def wait(self, seconds):
        time.sleep(seconds)

    def submit(self):
        """Presses what ends the task: the page's button for it."""
        return self.click(self.button("Submit", "submit"))

    # Reading the task

    def said(self, pattern):
        """The groups of a pattern in the task, or nothing."""
        found = re.search(pattern, self.task)
        return found.groups() if found else None

    def must(self, pattern):
        found = self.said(pattern)
        if not found:
            raise GaveUp(f"the task {self.task!r} is not understood")
        return found[0] if len(found) == 1 else found

    def quoted(self):
        return re.findall(r'"([^"]*)"', self.task)


def _is(node, roles):
    return node.role in roles


def _named(node, name):
    if isinstance(name, str):
        return node.name == name
    return name.search(node.name) is not None


def _ref(node):
    return node if isinstance(node, str) else node.ref


def number(word):
    """The number in 1st, 2nd, 3rd, 4th."""
    return int(re.match(r"\d+", word).group())
