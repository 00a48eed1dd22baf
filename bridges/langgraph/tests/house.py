"""A real gateway for the tests, in a folder of its own: booted, killed and booted again."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAM = os.environ.get("TOOLGATE_PROGRAM", "toolgate")
SECONDS = 30

CONFIG = """
[policy]
folder = "policy"

[approvals]
hold_seconds = 0

[[agents]]
name = "writer"
principals = ["writer"]
capabilities = ["run", "work"]

[[capabilities]]
name = "run"

[[capabilities]]
name = "work"
servers = ["desk"]

[[servers]]
name = "desk"
command = {python}
args = ["desk.py", "outbox.jsonl"]
cwd = "."
sandbox = {{ write = ["."], network = false }}
"""

POLICY = """
@id("letters")
@reason("a letter cannot be taken back")
@editable("true")
forbid(principal is Agent, action == Action::"desk:send", resource);

@id("bills")
@reason("it is your money")
@approvers("caller")
forbid(principal is Agent, action == Action::"desk:pay", resource);
"""


class House:
    def __init__(self, folder: Path, listen: str) -> None:
        self.folder = folder
        self.listen = listen
        self.url = f"http://{listen}"
        self.process: subprocess.Popen[bytes] | None = None
        (folder / "policy").mkdir()
        (folder / "policy/gates.cedar").write_text(POLICY)
        (folder / "toolgate.toml").write_text(CONFIG.format(python=json.dumps(sys.executable)))
        (folder / "desk.py").write_text((HERE / "desk.py").read_text())

    def boot(self) -> None:
        words = ["serve", "--listen", self.listen, "--config", "toolgate.toml", "--data", "data"]
        log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdout=log, stderr=log)
        until(self.is_ready, f"the gateway does not get ready: {self.folder / 'log'}")

    def is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/readyz", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            assert self.process is not None and self.process.poll() is None, (self.folder / "log").read_text()[-2000:]
            return False

    def kill(self) -> None:
        """As a machine does that loses its power."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()

    def say(self, *words: str) -> str:
        done = subprocess.run(
            [PROGRAM, *words, "--config", "toolgate.toml", "--data", "data"], cwd=self.folder, capture_output=True, text=True, timeout=SECONDS
        )
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout.strip()

    def token(self, role: str = "agent", principal: str = "writer") -> str:
        return self.say("token", "create", "--role", role, "--principal", principal)

    def ask(self, method: str, path: str, token: str, body: object = None) -> dict:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}{path}", data=data, headers=headers, method=method)
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            said = answer.read()
            return json.loads(said) if said else {}

    def relist(self, **schemas: object) -> None:
        """The desk has other schemas for these tools from now on, or `None` for a tool that is gone."""
        (self.folder / "outbox.jsonl.new-list").write_text(json.dumps(schemas))
        self.ask("POST", "/servers/desk/restart", self.token("operator", "olga"))

    def offers(self, tool: str) -> bool:
        """Whether agents find this tool of the desk."""
        return f"desk:{tool}" in [one["name"] for one in self.ask("GET", "/tools?limit=200", self.agent)["tools"]]

    def done(self) -> list[list[str]]:
        """What the tools did, in order."""
        try:
            lines = (self.folder / "outbox.jsonl").read_text().splitlines()
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in lines]


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def until(check, failure: str) -> None:
    limit = time.monotonic() + SECONDS
    while not check():
        assert time.monotonic() < limit, failure
        time.sleep(0.05)
