"""The real gateway in a temporary folder, with one server behind it whose names stay as they are."""

import contextlib
import json
import pathlib
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

START_SECONDS_MAX = 60
STOP_SECONDS_MAX = 20
# How long a server may take until it is reached, or until it is clear that it cannot be.
SETTLE_SECONDS_MAX = 4
LOGIN_SECONDS_MAX = 20
SERVER = "conformance"
# What the gateway asks for where a person has to sign in.
LOGIN_HINT = f"toolgate servers login {SERVER}"


class DidNotStart(Exception):
    pass


def by_url(url, oauth=None):
    """`oauth`: what an operator writes about signing in there."""
    return {"url": url, "oauth": oauth or {}}


def by_command(command, *arguments):
    return {"command": command, "args": list(arguments)}


class Running:
    """A gateway that runs, and the person at its command line."""

    def __init__(self, command, endpoint):
        self.command, self.endpoint = command, endpoint
        self.token = self.say("token", "create", "--role", "agent").strip()

    def say(self, *words):
        return subprocess.run([*self.command, *words], check=True, capture_output=True, text=True).stdout

    def settled(self):
        """Waits until the server is reached, or has been tried for long enough; true if it is reached."""
        limit = time.monotonic() + SETTLE_SECONDS_MAX
        while not (healthy := self.server()["state"] == "healthy") and time.monotonic() < limit:
            time.sleep(0.05)
        return healthy

    def wants_login(self):
        """Waits until the server is reached, or somebody has to sign in first; true if somebody has."""
        limit = time.monotonic() + SETTLE_SECONDS_MAX
        while time.monotonic() < limit:
            server = self.server()
            if LOGIN_HINT in (server["reason"] or ""):
                return True
            if server["state"] == "healthy":
                return False
            time.sleep(0.05)
        return False

    def server(self):
        return json.loads(self.say("--json", "servers", "show", SERVER))

    def log_in(self):
        """What a person does: starts the sign-in and opens the address that it names; true if it went well."""
        command = [*self.command, "servers", "login", SERVER, "--no-browser"]
        login = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            for line in login.stderr:
                print(line, end="", flush=True)
                if line.strip().startswith("http"):
                    browse(line.strip())
            return login.wait(LOGIN_SECONDS_MAX) == 0
        finally:
            login.kill()


def browse(url):
    """A browser: it follows redirects and shows whatever page there is."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    # A page that says no is a page.
    with contextlib.suppress(urllib.error.HTTPError):
        opener.open(url, timeout=LOGIN_SECONDS_MAX).read()


@contextlib.contextmanager
def running(toolgate, server):
    """Yields a `Running`; `server` comes from `by_url` or `by_command`."""
    with tempfile.TemporaryDirectory(prefix="toolgate-conformance-") as folder:
        folder = pathlib.Path(folder)
        (folder / "toolgate.toml").write_text(configuration(server))
        command = [str(toolgate), "--config", str(folder / "toolgate.toml"), "--data", str(folder / "data")]
        said, log = folder / "said", folder / "log"
        with said.open("w") as stdout, log.open("w") as stderr:
            serve = [*command, "--json", "serve", "--listen", "127.0.0.1:0"]
            process = subprocess.Popen(serve, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr)
        try:
            yield Running(command, wait_for_endpoint(process, said, log))
        finally:
            stop(process)


def configuration(server):
    keys = {"name": SERVER, "prefix": False, "sampling": True, **server}
    oauth = keys.pop("oauth", {})
    # The suite wants to see images where the server put them.
    results = lines("[results]", {"binary": "inline"})
    return results + lines("[[servers]]", keys) + (lines("[servers.oauth]", oauth) if oauth else "")


def lines(title, keys):
    # TOML strings and arrays of strings are spelled as JSON spells them.
    return f"{title}\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())


def wait_for_endpoint(process, said, log):
    limit = time.monotonic() + START_SECONDS_MAX
    while time.monotonic() < limit:
        line = said.read_text()
        if line.endswith("\n"):
            return json.loads(line.splitlines()[0])["endpoint"]
        if process.poll() is not None:
            raise DidNotStart(f"toolgate ended with {process.returncode}:\n{log.read_text()}")
        time.sleep(0.02)
    raise DidNotStart(f"toolgate named no endpoint within {START_SECONDS_MAX} s:\n{log.read_text()}")


def stop(process):
    process.terminate()
    try:
        process.wait(STOP_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
