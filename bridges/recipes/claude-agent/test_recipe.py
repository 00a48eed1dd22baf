"""The hook and the tools of the Claude Agent SDK, asked as its session asks them, with a real gateway that is killed."""

import asyncio

import pytest
from house import House, free_port, until
from toolgate_claude_agent import CALL, Gate
from toolgate_client import AsyncToolgate


@pytest.fixture
def house(tmp_path):
    house = House(tmp_path, f"127.0.0.1:{free_port()}")
    house.boot()
    house.agent, house.approver = house.token(), house.token("approver", "ann")
    until(lambda: "desk__send" in str(house.ask("GET", "/tools", house.agent)), "the tools are not there")
    yield house
    house.stop()


async def used(house, tool, text, patience=30.0, **more):
    """As a session of its own: what the hook decides and, if it allows, what the tool says."""
    async with AsyncToolgate(house.url, house.agent) as client:
        gate = Gate(client, key="ticket-7", patience=patience)
        asked = {"hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "", "cwd": ""}
        asked |= {"tool_name": f"mcp__toolgate__{tool}", "tool_input": {"text": text, **more}, "tool_use_id": f"{tool}-{text}"}
        output = (await gate.before(asked, asked["tool_use_id"], {"signal": None}))["hookSpecificOutput"]
        decision = output["permissionDecision"]
        if decision != "allow":
            return decision, output["permissionDecisionReason"]
        (found,) = [one for one in await gate.tools() if one.name == tool]
        return decision, (await found.handler(dict(output["updatedInput"])))["content"][0]["text"]


@pytest.mark.parametrize("word", ["approve", "deny"])
def test_a_call_that_waits_is_deferred_and_nothing_runs_twice(house, word):
    async def go():
        assert await used(house, "desk__note", word, **{CALL: "made up"}) == ("allow", f"note: {word}")
        decision, reason = await used(house, "desk__send", word)
        assert decision == "defer" and "a letter cannot be taken back" in reason
        house.kill()
        assert (await used(house, "desk__send", word, patience=0))[0] == "defer", "it is not known whether it ran"
        house.boot()
        assert (await used(house, "desk__send", word))[0] == "defer"
        (approval,) = house.ask("GET", "/approvals?state=pending", house.approver)["approvals"]
        house.ask("POST", f"/approvals/{approval['id']}/decide", house.approver, {"decision": word, "reason": "a test"})
        for _ in range(2):
            decision, text = await used(house, "desk__send", word)
            assert (decision, text) == ("allow", "send: approve") if word == "approve" else (decision == "deny" and "ann said no" in text)
        assert await used(house, "desk__note", word) == ("allow", f"note: {word}")

    asyncio.run(go())
    assert house.done() == [["note", word], *([["send", word]] if word == "approve" else [])]


def test_a_tool_that_the_hook_did_not_see_does_nothing(house):
    async def go():
        async with AsyncToolgate(house.url, house.agent) as client:
            gate = Gate(client, key="ticket-7")
            assert (await gate.server())["name"] == "toolgate"
            (found,) = [one for one in await gate.tools() if one.name == "desk__note"]
            answer = await found.handler({"text": "behind"})
            assert answer["is_error"] and "not run" in answer["content"][0]["text"]

    asyncio.run(go())
    assert house.done() == []
