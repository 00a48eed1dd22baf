"""A small client of the engine: contents by digest in its folder, requests and answers as lines of JSON."""

import collections
import hashlib
import json
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import threading
import time

PROTOCOL = 1
# The longest single step is the end of a build of a million passages.
ANSWER_SECONDS_MAX = 3600
STOP_SECONDS_MAX = 10
LOG_LINES_KEPT = 200
# The engine lets 64 documents wait for each worker.
AT_ONCE = 64


class EngineGone(Exception):
    """The program ended or did not answer in time."""


class Refused(Exception):
    """The engine answered with a fault."""

    def __init__(self, method, fault):
        super().__init__(f"{method}: {fault['code']}: {fault['message']}")
        self.code = fault["code"]
        self.missing = fault.get("missing", [])


class Engine:
    """The engine's program on a folder, from its start to its end."""

    def __init__(self, program, folder, model=None, postgres=None):
        self.folder = pathlib.Path(folder)
        self.contents = self.folder / "contents"
        self.contents.mkdir(parents=True, exist_ok=True)
        command = [str(program), "--folder", str(self.folder), "--log", "warn"]
        environment = {name: value for name, value in os.environ.items() if name not in ("TOOLGATE_MODEL", "TOOLGATE_ENGINE_POSTGRES")}
        if model:
            command += ["--model", str(model)]
        if postgres:
            environment["TOOLGATE_ENGINE_POSTGRES"] = postgres
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, start_new_session=True
        )
        self.log = []
        self._next = 0
        self._written = 0
        self._waiting = {}
        self._ended = False
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._drain, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def greeting(self):
        greeting = self.ask("hello")
        if greeting["protocol"] != PROTOCOL:
            raise SystemExit(f"error: the engine speaks protocol {greeting['protocol']}, this benchmark {PROTOCOL}\nhint: build both of the same state")
        return greeting

    def ask(self, method, params=None):
        """One request and its answer."""
        return self._answer(method, self._send(method, params))

    def ask_many(self, method, all_params):
        """Answers in order; a fault stands in its place. Requests overlap."""
        waiting, answers = collections.deque(), []

        def take():
            try:
                answers.append(self._answer(method, waiting.popleft()))
            except Refused as refused:
                answers.append(refused)

        for params in all_params:
            if len(waiting) == AT_ONCE:
                take()
            waiting.append(self._send(method, params))
        while waiting:
            take()
        return answers

    def put(self, data):
        """Lays a content into the folder, whole, and says its digest."""
        digest = hashlib.sha256(data).hexdigest()
        place = self.contents / digest
        if not place.exists():
            self._written += 1
            unfinished = self.folder / f"bench-{os.getpid()}-{self._written}"
            unfinished.write_bytes(data)
            unfinished.rename(place)
        return digest

    def bring(self, digests, other):
        """Copies contents from the folder of another engine, as the gateway does from its store."""
        for digest in digests:
            unfinished = self.folder / f"bench-{os.getpid()}-{digest}"
            shutil.copyfile(pathlib.Path(other) / "contents" / digest, unfinished)
            unfinished.rename(self.contents / digest)

    def read(self, digest):
        return (self.contents / digest).read_bytes()

    def resident(self):
        """MiB of the process: all, and what is not backed by files."""
        kib = {}
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            name, _, value = line.partition(":")
            if name in ("VmRSS", "RssAnon"):
                kib[name] = int(value.split()[0])
        return kib["VmRSS"] / 1024, kib["RssAnon"] / 1024

    def stop(self):
        """Closes its input, waits, and ends what is left of its group."""
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

    def _send(self, method, params):
        self._next += 1
        number = self._next
        line = {"id": number, "method": method}
        if params is not None:
            line["params"] = params
        self._waiting[number] = queue.Queue()
        try:
            self.process.stdin.write(json.dumps(line).encode() + b"\n")
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):
            raise EngineGone(self._last_words()) from None
        if self._ended:
            raise EngineGone(self._last_words())
        return number

    def _answer(self, method, number):
        try:
            line = self._waiting[number].get(timeout=ANSWER_SECONDS_MAX)
        except queue.Empty:
            raise EngineGone(f"{method} was not answered within {ANSWER_SECONDS_MAX} s") from None
        finally:
            self._waiting.pop(number, None)
        if line is None:
            raise EngineGone(self._last_words())
        if "error" in line:
            raise Refused(method, line["error"]["error"])
        return line["result"]["result"]

    def _last_words(self):
        return "the engine ended: " + " | ".join(self.log[-5:])

    def _read(self):
        for text in self.process.stdout:
            line = json.loads(text)
            told = line.get("result") or line.get("error")
            waiting = told and self._waiting.get(told["id"])
            if waiting:
                waiting.put(line)
        self._ended = True
        for waiting in list(self._waiting.values()):
            waiting.put(None)

    def _drain(self):
        for line in self.process.stderr:
            self.log.append(line.decode(errors="replace").rstrip())
            del self.log[:-LOG_LINES_KEPT]
