"""A day with the Python client: files, a run, an approval, the ledger, events."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor

from toolgate_client import AsyncToolgate, GatewayError, Toolgate

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
print("python client: used")
