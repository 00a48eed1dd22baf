"""A small client of the gateway: its program on a folder, commands on the same folder, and tools by their REST routes."""

import http.client
import json
import os
import pathlib
import signal
import subprocess
import threading
import time
import urllib.parse

CALL_SECONDS_MAX = 600
STOP_SECONDS_MAX = 30
LOG_LINES_KEPT = 200
# What the surroundings say about a gateway must not reach the one that is measured.
NOT_INHERITED = ("TOOLGATE_CONFIG", "TOOLGATE_DATA", "TOOLGATE_MODEL", "TOOLGATE_ENGINE_POSTGRES", "CAPABILITY_OCR_MODELS")


class GatewayFault(Exception):
    """The gateway did not start, ended, or refused a call."""


class Gateway:
    """The gateway's program on a folder with its `toolgate.toml`, from its start to its end."""

    def __init__(self, program, home):
        self.program = str(program)
        self.home = pathlib.Path(home)
        self.log = []
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            self._command("--json", "serve", "--listen", "127.0.0.1:0"),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self._environment(), start_new_session=True,
        )
        threading.Thread(target=self._drain, daemon=True).start()
        # The line is written when the gateway takes calls.
        first = self.process.stdout.readline()
        self.ready = time.perf_counter()
        if not first:
            self.stop()
            raise GatewayFault("the gateway did not start: " + self._last_words())
        said = json.loads(first)
        self.address = urllib.parse.urlsplit(said["endpoint"]).netloc
        self._token = _admin_token(self.home, said)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def call(self, tool, arguments):
        """The data of a call of a platform tool by the operator."""
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection(self.address, timeout=CALL_SECONDS_MAX)
        try:
            connection.request("POST", f"/tools/{tool}", json.dumps(arguments), headers)
            answer = connection.getresponse()
            said = json.loads(answer.read())
        except OSError as error:
            raise GatewayFault(f"{tool}: {error}: {self._last_words()}") from None
        finally:
            connection.close()
        if answer.status != 200:
            raise GatewayFault(f"{tool}: {answer.status}: {said}: {self._last_words()}")
        return said["data"]

    def say(self, *words):
        """What a command of the program prints as JSON."""
        done = subprocess.run(self._command(*words, "--json"), stdin=subprocess.DEVNULL, capture_output=True, env=self._environment())
        if done.returncode:
            raise GatewayFault(f"{' '.join(words)}: {done.stderr.decode(errors='replace')}")
        return json.loads(done.stdout)

    def stop(self):
        """Asks it to end, waits, and ends what is left of its group."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def _command(self, *words):
        return [self.program, "--config", str(self.home / "toolgate.toml"), "--data", str(self.home / "data"), *words]

    def _environment(self):
        inherited = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
        return {**inherited, "XDG_STATE_HOME": str(self.home / "state")}

    def _last_words(self):
        return " | ".join(self.log[-5:])

    def _drain(self):
        for line in self.process.stderr:
            self.log.append(line.decode(errors="replace").rstrip())
            del self.log[:-LOG_LINES_KEPT]


def _admin_token(home, said):
    """A first start leaves its tokens in a file; later ones take the same."""
    kept = home / "admin-token"
    if said.get("tokens_file"):
        tokens = json.loads(pathlib.Path(said["tokens_file"]).read_text())
        kept.touch(mode=0o600)
        kept.write_text(tokens["admin"])
    return kept.read_text()
