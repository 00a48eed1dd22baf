"""The recipe with a made-up model, on a real gateway; the agent's process and the gateway are killed while a person is asked."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import house as of_house
import pytest
import recipe
from agents import Agent, ModelResponse, RunConfig, Usage
from agents.models.interface import Model
from house import House, free_port, until
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

recipe.LOOK_SECONDS = 0.2
#: A busy machine takes its time.
of_house.SECONDS = 200


@pytest.fixture
def house(tmp_path):
    house = House(tmp_path, f"127.0.0.1:{free_port()}")
    house.boot()
    house.agent, house.approver = house.token(), house.token("approver", "ann")
    until(lambda: "desk__send" in str(house.ask("GET", "/tools", house.agent)), "the tools are not there")
    yield house
    house.stop()


class Made(Model):
    """Looks around, writes a note and a letter in one turn, and says then what it was told."""

    async def get_response(self, system_instructions, input, *more, **others):
        items = [] if isinstance(input, str) else input
        told = [item["output"] for item in items if item.get("type") == "function_call_output"]
        text = input if isinstance(input, str) else input[0]["content"]
        if told:
            said = ResponseOutputText(text=json.dumps(told), type="output_text", annotations=[])
            output = [ResponseOutputMessage(id="m", content=[said], role="assistant", status="completed", type="message")]
        else:
            calls = [("look", {}), ("note", {"text": text}), ("send", {"text": text})]
            output = [
                ResponseFunctionToolCall(name=f"desk__{name}", arguments=json.dumps(given), call_id=f"call-{name}", type="function_call")
                for name, given in calls
            ]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *more, **others):
        raise NotImplementedError


async def work(url, token, text, stored):
    async with recipe.Gateway(url, token, f"ticket-{text}") as gateway:
        agent = Agent(name="writer", model=Made(), mcp_servers=[gateway.server])
        return await recipe.go(agent, gateway, text, Path(stored), RunConfig(tracing_disabled=True))


def start(house, text, stored):
    log = (house.folder / "agent.log").open("ab")
    return subprocess.Popen([sys.executable, __file__, house.url, text, stored], env={**os.environ, "TOKEN": house.agent}, stdout=log, stderr=log)


def pending(house):
    return house.ask("GET", "/approvals?state=pending", house.approver)["approvals"]


@pytest.mark.parametrize("word", ["approve", "deny"])
def test_a_letter_is_sent_once_when_agent_and_gateway_are_killed_while_it_waits(house, word):
    stored = house.folder / "state.json"
    agent = start(house, word, stored)
    until(lambda: pending(house), "nobody is asked")
    assert house.done() == [["note", word]] and stored.exists()
    agent.kill()
    agent.wait()
    house.kill()
    with pytest.raises(recipe.GatewayFault):
        asyncio.run(work(house.url, house.agent, word, stored))
    house.boot()
    agent = start(house, word, stored)
    (waiting,) = pending(house)
    house.ask("POST", f"/approvals/{waiting['id']}/decide", house.approver, {"decision": word, "reason": "not on a Friday"})
    assert agent.wait(200) == 0, (house.folder / "agent.log").read_text()[-3000:]
    said = (house.folder / "agent.log").read_text().splitlines()[-1]
    assert "an empty desk" in said and ("send: approve" if word == "approve" else "not on a Friday") in said, said
    assert house.done() == [["note", word], *([["send", word]] if word == "approve" else [])]
    assert not stored.exists() and house.say("ledger", "verify")


def test_the_hint_of_the_gateway_says_before_which_tools_a_run_stops(house):
    async def go():
        async with recipe.Gateway(house.url, house.agent, "hints") as gateway:
            return {tool.name: tool for tool in await gateway.server.list_tools()}

    tools = asyncio.run(go())
    assert tools["desk__send"].meta["dev.toolgate/approval"] == "always"
    stops = {name.removeprefix("desk__"): recipe.stops_before(None, None, tool) for name, tool in tools.items()}
    assert stops["send"] and stops["note"] and not stops["look"], stops
    marked = tools["desk__look"].model_copy(update={"meta": {"dev.toolgate/approval": "sometimes"}})
    assert recipe.stops_before(None, None, marked), "the hint counts, also for a tool that only reads"


class Answers:
    """Stands in for the gateway's MCP server; says what it is told, and the last of it again."""

    def __init__(self, *envelopes):
        self.results = [Result(envelope) for envelope in envelopes]

    async def call_tool(self, name, arguments, meta):
        return self.results.pop(0) if len(self.results) > 1 else self.results[0]


class Result:
    def __init__(self, envelope):
        self.envelope = envelope

    def model_dump(self, by_alias):
        return {"_meta": {recipe.ENVELOPE: self.envelope}}


def test_a_gateway_that_cannot_record_is_asked_as_long_as_patience_lasts(monkeypatch):
    monkeypatch.setattr(recipe, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(recipe, "PATIENCE_SECONDS", 0.2)
    gateway = recipe.Gateway("http://127.0.0.1:9", "token", "full")
    down = {"status": "failed", "error": {"code": "ledger_down", "message": "nothing can be recorded"}}
    running = {"status": "failed", "error": {"code": "call_running"}}
    gateway.server = Answers(down)
    with pytest.raises(recipe.GatewayFault, match="nothing can be recorded"):
        asyncio.run(gateway.decided("desk__note", {}, "1"))
    gateway.server = Answers(*[running] * 40, down, {"status": "succeeded"})
    asyncio.run(gateway.decided("desk__note", {}, "2"))


if __name__ == "__main__":
    address, text, stored = sys.argv[1:]
    print(asyncio.run(work(address, os.environ["TOKEN"], text, stored)))
