"""A small MCP client over the standard streams of a program: one request at a time for each caller, times kept."""

import json
import os
import queue
import signal
import subprocess
import threading
import time

PROTOCOL = "2025-06-18"
ANSWER_SECONDS_MAX = 90
STOP_SECONDS_MAX = 5
LOG_LINES_KEPT = 200


class ServerGone(Exception):
    """The program ended or did not answer in time."""


class Refused(Exception):
    """The program answered with a protocol error."""


class Answer:
    """What a tool said: its text, whether it is an error, and how long it took."""

    def __init__(self, result, seconds):
        self.result = result
        self.seconds = seconds
        self.is_error = bool(result.get("isError"))
        parts = [part.get("text", "") for part in result.get("content", []) if part.get("type") == "text"]
        self.text = "\n".join(parts)


class Client:
    """A program that speaks MCP, from its start to its end."""

    def __init__(self, command, env=None, cwd=None):
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})},
            cwd=cwd,
            start_new_session=True,
        )
        self.log = []
        self._next = 0
        self._writing = threading.Lock()
        self._waiting = {}
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._drain, daemon=True).start()
        self.info = self.request(
            "initialize",
            {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "browser-bench", "version": "1"}},
        )
        self.notify("notifications/initialized", {})

    def tools(self):
        """All tools that the program lists."""
        listed, cursor = [], None
        while True:
            page = self.request("tools/list", {"cursor": cursor} if cursor else {})
            listed += page["tools"]
            cursor = page.get("nextCursor")
            if not cursor:
                return listed

    def call(self, tool, arguments, caller=None):
        """Calls a tool, for a caller if one is named."""
        params = {"name": tool, "arguments": arguments}
        if caller:
            params["_meta"] = {"dev.toolgate/caller": {"session": caller}}
        begun = time.perf_counter()
        result = self.request("tools/call", params)
        return Answer(result, time.perf_counter() - begun)

    def request(self, method, params):
        with self._writing:
            self._next += 1
            number = self._next
            self._waiting[number] = queue.Queue(1)
            self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        try:
            message = self._waiting[number].get(timeout=ANSWER_SECONDS_MAX)
        except queue.Empty:
            raise ServerGone(f"{method} was not answered within {ANSWER_SECONDS_MAX} s") from None
        finally:
            self._waiting.pop(number, None)
        if message is None:
            raise ServerGone("the program ended: " + " | ".join(self.log[-5:]))
        if "error" in message:
            raise Refused(json.dumps(message["error"])[:500])
        return message["result"]

    def notify(self, method, params):
        with self._writing:
            self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def stop(self):
        """Closes the program's input, waits, and ends what is left of its group."""
        try:
            self.process.stdin.close()
            self.process.wait(STOP_SECONDS_MAX)
        except (OSError, subprocess.TimeoutExpired):
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def _send(self, message):
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):
            raise ServerGone("the program ended: " + " | ".join(self.log[-5:])) from None

    def _read(self):
        for line in self.process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if "method" in message and "id" in message:
                self._answer_question(message)
            elif message.get("id") in self._waiting:
                self._waiting[message["id"]].put(message)
        for waiting in list(self._waiting.values()):
            waiting.put(None)

    def _answer_question(self, message):
        result = {"roots": []} if message["method"] == "roots/list" else {}
        with self._writing:
            self._send({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def _drain(self):
        for line in self.process.stderr:
            self.log.append(line.decode(errors="replace").rstrip())
            del self.log[:-LOG_LINES_KEPT]
