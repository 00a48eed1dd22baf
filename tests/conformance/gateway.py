"""The real gateway in a temporary folder, with one server behind it whose names stay as they are."""

import contextlib
import json
import pathlib
import re
import subprocess
import tempfile
import time

START_SECONDS_MAX = 60
STOP_SECONDS_MAX = 20
ENDPOINT = re.compile(r"http://[^\s\"']+/mcp\b")


class DidNotStart(Exception):
    pass


def by_url(url):
    return {"url": url}


def by_command(command, *arguments):
    return {"command": command, "args": list(arguments)}


@contextlib.contextmanager
def running(toolgate, server):
    """Yields (endpoint, agent token); `server` comes from `by_url` or `by_command`."""
    with tempfile.TemporaryDirectory(prefix="toolgate-conformance-") as folder:
        folder = pathlib.Path(folder)
        (folder / "toolgate.toml").write_text(configuration(server))
        command = [str(toolgate), "--config", str(folder / "toolgate.toml"), "--data", str(folder / "data")]
        log = folder / "log"
        with log.open("w") as sink:
            serve = [*command, "serve", "--listen", "127.0.0.1:0"]
            process = subprocess.Popen(serve, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink)
        try:
            endpoint = wait_for_endpoint(process, log)
            token = subprocess.run(
                [*command, "token", "create", "--role", "agent"], check=True, capture_output=True, text=True
            ).stdout.strip()
            yield endpoint, token
        finally:
            stop(process)


def configuration(server):
    # TOML strings and arrays of strings are spelled as JSON spells them.
    keys = {"name": "conformance", "prefix": False, **server}
    return "[[servers]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())


def wait_for_endpoint(process, log):
    limit = time.monotonic() + START_SECONDS_MAX
    while time.monotonic() < limit:
        said = log.read_text()
        found = ENDPOINT.search(said)
        if found:
            return found.group(0)
        if process.poll() is not None:
            raise DidNotStart(f"toolgate ended with {process.returncode}:\n{said}")
        time.sleep(0.02)
    raise DidNotStart(f"toolgate named no endpoint within {START_SECONDS_MAX} s:\n{log.read_text()}")


def stop(process):
    process.terminate()
    try:
        process.wait(STOP_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
