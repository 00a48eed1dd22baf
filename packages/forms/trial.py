"""Tries an installed program: it starts a gateway where nothing else is, and an agent makes a first call."""

import http.server
import json
import os
import pathlib
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request
from typing import ClassVar

from .program import Failed, run

START_SECONDS_MAX = 30
LOOK_SECONDS = 0.05
REQUEST_SECONDS_MAX = 20
# A server with one tool: a first call goes through the gateway to something behind it.
ANSWERS = """
import json, sys

def answer(asked):
    answers = {
        "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "echo", "version": "1"}},
        "tools/list": {"tools": [{"name": "echo", "description": "Says it back.", "annotations": {"readOnlyHint": True},
            "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}}]},
        "tools/call": {"content": [{"type": "text", "text": "heard: " + str(asked.get("params", {}).get("arguments", {}).get("text"))}]},
    }
    found = answers.get(asked["method"])
    said = {"result": found} if found is not None else {"error": {"code": -32601, "message": "unknown"}}
    return json.dumps({"jsonrpc": "2.0", "id": asked["id"], **said})
"""
SERVER = f"""{ANSWERS}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        print(answer(asked), flush=True)
"""


class EchoHandler(http.server.BaseHTTPRequestHandler):
    """The same server over HTTP, for gateways in a root that has no Python."""

    protocol_version = "HTTP/1.1"
    known: ClassVar[dict] = {}

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = self.known["answer"](asked).encode() if "id" in asked else b""
        self.send_response(200 if body else 202)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.send_error(405)

    def log_message(self, *_):
        """Says nothing."""


def echo_over_http():
    """Starts it in a thread that ends with this process. Returns its address."""
    exec(ANSWERS, EchoHandler.known)  # noqa: S102
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), EchoHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/mcp"


def configuration_over_http():
    return f'[policy]\ntemplate = "exploratory"\n[network]\nallow_loopback = true\n[[servers]]\nname = "echo"\nurl = "{echo_over_http()}"\n'


def bare_environment(home, path):
    """What a fresh machine has: a home and a PATH, and none of what this one knows."""
    return {"HOME": str(home), "PATH": str(path), "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}


class Gateway:
    """A gateway that was started by `command`, which gets `serve` and its options."""

    def __init__(self, command, folder, environment, has_python=True, servers=""):
        self.folder = pathlib.Path(folder)
        self.data = self.folder / "data"
        self.folder.mkdir(parents=True, exist_ok=True)
        text = '[policy]\ntemplate = "exploratory"\n' if has_python else configuration_over_http()
        if has_python:
            (self.folder / "echo.py").write_text(SERVER)
            text += f'[[servers]]\nname = "echo"\ncommand = "python3"\nargs = [{json.dumps(str(self.folder / "echo.py"))}]\nsandbox = "off"\n'
        configuration = self.folder / "toolgate.toml"
        configuration.write_text(text)
        self.command, self.environment = command, {**environment, "TOOLGATE_SERVERS": servers}
        self.process = None

    def start(self, *more):
        arguments = ["serve", "--config", self.place(self.folder / "toolgate.toml"), "--data", self.place(self.data), "--listen", "127.0.0.1:0", "--json", *more]
        said = (self.folder / "said").open("ab")
        with said, (self.folder / "out").open("wb") as out:
            self.process = subprocess.Popen(
                [str(word) for word in [*self.command, *arguments]], env=self.environment, cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=out, stderr=said, start_new_session=True,
            )
        until = time.monotonic() + START_SECONDS_MAX
        while True:
            text = (self.folder / "out").read_text()
            if text.endswith("\n"):
                break
            if self.process.poll() is not None or time.monotonic() > until:
                raise Failed(f"the gateway did not start:\n{self.last_words()}")
            time.sleep(LOOK_SECONDS)
        self.endpoint = json.loads(text)["endpoint"]
        tokens = self.data / "first-tokens.json"
        if tokens.exists():
            self.tokens = json.loads(tokens.read_text())
        return self

    def place(self, path):
        """The path as the program sees it."""
        return path

    def last_words(self):
        return (self.folder / "said").read_text()[-3000:]

    def first_call(self):
        """Lists the tools as an agent, and calls one. Returns what it answered."""
        return first_call(self.endpoint, self.tokens["agent"])

    def end(self, hard=False):
        if self.process is None or self.process.poll() is not None:
            return
        os.killpg(self.process.pid, signal.SIGKILL) if hard else self.process.terminate()
        try:
            self.process.wait(START_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise Failed("the gateway did not end when it was asked to") from None

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.end()


def post(address, token, body, session=None):
    headers = {
        "Authorization": f"Bearer {token}", "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-06-18",
    }
    if session:
        headers["Mcp-Session-Id"] = session
    request = urllib.request.Request(address, json.dumps(body).encode(), headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=REQUEST_SECONDS_MAX) as answer:
            return answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        raise Failed(f"{address} says {error.code}: {error.read().decode()[:2000]}") from error


def result(text):
    """The answer to a request, from JSON or from the last event of a stream."""
    data = [line[5:].strip() for line in text.splitlines() if line.startswith("data:")]
    answer = json.loads([line for line in data if line][-1] if data else text)
    if "result" not in answer:
        raise Failed(f"the gateway answered {json.dumps(answer)[:2000]}")
    return answer["result"]


def first_call(endpoint, token):
    opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "script/package", "version": "1"}}
    headers, _ = post(endpoint, token, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening})
    session = headers["Mcp-Session-Id"]
    post(endpoint, token, {"jsonrpc": "2.0", "method": "notifications/initialized"}, session)
    until = time.monotonic() + START_SECONDS_MAX
    while True:
        _, text = post(endpoint, token, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, session)
        names = [tool["name"] for tool in result(text)["tools"]]
        found = [name for name in names if "echo" in name]
        if found:
            break
        if time.monotonic() > until:
            raise Failed(f"no tool for a first call among {names}")
        time.sleep(LOOK_SECONDS)
    call = {"name": found[0], "arguments": {"text": "hello"}}
    _, text = post(endpoint, token, {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call}, session)
    answer = result(text)
    if answer.get("isError") or "heard: hello" not in json.dumps(answer):
        raise Failed(f"the first call answered {json.dumps(answer)[:2000]}")
    return found[0]


def says_its_version(command, environment, version):
    said = run(*command, "--version", env=environment)
    if said.strip() != f"toolgate {version}":
        raise Failed(f"{command} says {said!r} and not its version {version}")
