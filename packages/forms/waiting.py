"""A call that waits for a person over an upgrade: an earlier program asked for it, and the package that is installed over that program finds it."""

import json
import os
import pathlib
import shutil
import time
import urllib.error
import urllib.request

from .program import Failed, run
from .trial import LOOK_SECONDS, REQUEST_SECONDS_MAX, START_SECONDS_MAX, Gateway, bare_environment

# A program of an earlier version. Without it the program of the package stands in for it, which tries all but a change of form.
EARLIER = "TOOLGATE_EARLIER"
GATE = """
@id("echo-needs-a-person")
@reason("a form that waits")
forbid(principal is Agent, action == Action::"echo:echo", resource);
"""
CALL = {"name": "echo:echo", "arguments": {"text": "hello"}}


def try_it(package, version, work):
    """`package` is the program of an installed package."""
    home = work / "waiting"
    program = home / "bin/toolgate"
    program.parent.mkdir(parents=True)
    earlier = pathlib.Path(os.environ.get(EARLIER, package))
    shutil.copy2(earlier, program)
    before = run(program, "--version").strip()
    gate = Gateway([program], home / "gate", bare_environment(home, "/usr/bin:/bin"))
    ask_people(gate)
    with gate:
        approval = waits(gate)
        install_over(program, package)
        if pending(gate) != [approval]:
            raise Failed("the earlier program lost an approval when its file was replaced")
    if (now := run(program, "--version").strip()) != f"toolgate {version}":
        raise Failed(f"the package left {now!r} and not its own version")
    with gate:
        if (found := pending(gate)) != [approval]:
            raise Failed(f"{approval} waited under {before}; after the upgrade there wait {found}")
        if waits(gate) != approval:
            raise Failed("the same call was asked about once more after the upgrade")
        ask(gate, "admin", "POST", f"/approvals/{approval}/decide", {"decision": "approve", "reason": "a test"})
        status, said = ask(gate, "agent", "POST", "/tools/call", CALL)
        if status != 200 or "heard: hello" not in json.dumps(said):
            raise Failed(f"a call that was approved after the upgrade answered {status}: {said}")
        if pending(gate):
            raise Failed("something waits still, after the call has run")
    verify = [program, "ledger", "verify", "--config", gate.folder / "toolgate.toml", "--data", gate.data]
    run(*verify, env=gate.environment)
    stood_in = "" if EARLIER in os.environ else f" ({EARLIER} names no earlier one: the same program stood in)"
    return f"a call waited under {before}{stood_in}, was found, approved and run under {version}, and the ledger verified"


def ask_people(gate):
    """Instead of the template, a gate before the one tool; a call answers at once that it waits."""
    (gate.folder / "policy").mkdir()
    (gate.folder / "policy/gates.cedar").write_text(GATE)
    configuration = gate.folder / "toolgate.toml"
    text = configuration.read_text()
    asking = text.replace('template = "exploratory"\n', 'folder = "policy"\n[approvals]\nhold_seconds = 0\n')
    if asking == text:
        raise Failed(f"{configuration} has no template to take out")
    configuration.write_text(asking)


def install_over(program, package):
    """As package managers do: a new file under the old name."""
    new = program.with_suffix(".new")
    shutil.copy2(package, new)
    new.replace(program)


def waits(gate):
    """Makes the call, once its server is there. Returns the approval that it waits for."""
    until = time.monotonic() + START_SECONDS_MAX
    while True:
        status, said = ask(gate, "agent", "POST", "/tools/call", CALL)
        if status == 202 and said.get("status") == "pending_approval":
            return said["approval_id"]
        if status not in (404, 503) or time.monotonic() > until:
            raise Failed(f"a call that needs a person answered {status}: {said}")
        time.sleep(LOOK_SECONDS)


def pending(gate):
    _, said = ask(gate, "admin", "GET", "/approvals?state=pending")
    return [one["id"] for one in said["approvals"]]


def ask(gate, role, method, path, body=None):
    headers = {"Authorization": f"Bearer {gate.tokens[role]}", "Content-Type": "application/json", "Prefer": "respond-async"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(gate.endpoint.removesuffix("/mcp") + path, data, headers, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=REQUEST_SECONDS_MAX) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
