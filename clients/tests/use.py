"""A day with the Python client: files, a run, an approval, the ledger, events."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer

from toolgate_client import AsyncToolgate, GatewayError, GatewayTooNew, GatewayTooOld, Toolgate

URL = os.environ["TOOLGATE_URL"]
LETTER = {"calls": [{"id": "1", "name": "letters__send", "arguments": {"to": "ann@example.com", "text": "python"}}]}


def first_event(admin):
    return next(event for event in admin.follow_events(kinds="approval.requested"))


with Toolgate(URL, os.environ["AGENT_TOKEN"]) as agent, Toolgate(URL, os.environ["ADMIN_TOKEN"]) as admin, ThreadPoolExecutor() as pool:
    file = agent.upload_file(b"hello", name="hello.txt")
    assert agent.read_file(file["id"]) == b"hello" and agent.get_file(file["id"])["name"] == "hello.txt"
    assert "letters__send" in [tool["wire_name"] for tool in agent.list_tools(limit=50)["tools"]]
    heard = pool.submit(first_event, admin)
    run = agent.create_run({"key": "python"})["run"]["id"]
    assert agent.create_run({"key": "python"})["run"]["id"] == run
    while not heard.done():
        said = agent.call_tools(run, LETTER, prefer="respond-async")["results"][0]
        assert said["status"] == "pending_approval", said
        LETTER["calls"][0]["id"] += "1"
        LETTER["calls"][0]["arguments"]["text"] += "!"
        try:
            heard.result(0.3)
        except TimeoutError:
            continue
    event = heard.result()
    assert event["event"] == "approval.requested" and event["data"], event
    approval = agent.get_approval(said["approval_id"])
    assert approval["state"] == "pending"
    admin.decide(approval["id"], {"decision": "deny", "reason": "a test"})
    assert admin.get_run(run)["principal"] == "ann"
    assert admin.verify_ledger() and admin.get_call(said["tool_call_id"])
    try:
        agent.get_run("run_nothing")
    except GatewayError as error:
        assert (error.status, error.code) == (404, "unknown_run") and "hint:" in str(error)
    else:
        raise AssertionError("there is no such run")


async def awaited():
    async with AsyncToolgate(URL, os.environ["AGENT_TOKEN"]) as gateway:
        assert (await gateway.list_runs())["runs"][0]["id"] == run
        await gateway.delete_file(file["id"])


asyncio.run(awaited())


class Other(BaseHTTPRequestHandler):
    """A gateway of another version."""

    version = "0.0.9"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Toolgate-Version", self.version)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        """Says nothing."""


async def awaited_from(url):
    async with AsyncToolgate(url, "token") as gateway:
        await gateway.list_runs()


def refused(asked, error):
    try:
        asked()
    except error as said:
        return str(said)
    raise AssertionError(f"no {error.__name__}")


with HTTPServer(("127.0.0.1", 0), Other) as other, ThreadPoolExecutor() as pool:
    served = pool.submit(other.serve_forever, 0.05)
    url = f"http://127.0.0.1:{other.server_port}"
    try:
        with Toolgate(url, "token") as stranger:
            said = refused(stranger.list_runs, GatewayTooOld)
            assert "version 0.0.9" in said and "version 0.1\nhint: update the gateway" in said, said
            Other.version = "0.2.0-rc.1"
            for asked in (stranger.list_runs, lambda: next(stranger.follow_events()), lambda: asyncio.run(awaited_from(url))):
                said = refused(asked, GatewayTooNew)
                assert "version 0.2.0-rc.1" in said and "hint: install the toolgate-client" in said, said
            Other.version = "0.1.99"
            assert stranger.list_runs() == {}
    finally:
        # The pool waits for it, also where something above is wrong.
        other.shutdown()
    served.result()
print("python client: used")
