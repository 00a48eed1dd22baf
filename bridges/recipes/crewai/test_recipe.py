"""The recipe with CrewAI, a made-up model and a real gateway; the crew's process and the gateway are killed while a person is asked."""

import json
import os
import subprocess
import sys

import house as of_house
import pytest
import toolgate_crewai
from crewai import Agent, Crew, Task
from crewai.llms.base_llm import BaseLLM
from crewai.utilities.agent_utils import convert_tools_to_openai_schema
from house import House, free_port, until
from toolgate_client import Toolgate
from toolgate_crewai import Gate, GatewayFault, arguments_of, as_tool, meant, shown

toolgate_crewai.LOOK_SECONDS = 0.2
#: A busy machine takes its time, and CrewAI a while to load.
of_house.SECONDS = 200


@pytest.fixture
def house(tmp_path):
    house = House(tmp_path, f"127.0.0.1:{free_port()}")
    house.boot()
    house.agent, house.approver = house.token(), house.token("approver", "ann")
    has_tools(house)
    yield house
    house.stop()


def has_tools(house):
    until(lambda: "desk__send" in str(house.ask("GET", "/tools", house.agent)), "the tools are not there")


class Made(BaseLLM):
    """Looks around, writes a note and a letter in one turn, and says then what it was told."""

    text: str

    def supports_function_calling(self):
        return True

    def call(self, messages, tools=None, **more):
        heard = [one["content"] for one in messages if one.get("role") == "tool"]
        if heard:
            return " | ".join(heard)
        # CrewAI writes names its own way, and asks for every argument.
        names = {one["function"]["name"].removeprefix("desk").strip("_"): one["function"]["name"] for one in tools}
        given = {"look": {}, "note": {"text": self.text}, "send": {"text": self.text}}
        return [
            {"id": f"call-{word}", "type": "function", "function": {"name": names[word], "arguments": json.dumps(arguments)}}
            for word, arguments in given.items()
        ]


def work(url, token, text, patience):
    with Toolgate(url, token) as client:
        gate = Gate(client, key=f"ticket-{text}", patience=patience)
        writer = Agent(role="writer", goal="letters", backstory="You write.", llm=Made(model="made", text=text))
        task = Task(description="Answer.", expected_output="What was said.", agent=writer, tools=gate.tools("answer"))
        return Crew(agents=[writer], tasks=[task]).kickoff().raw


def start(house, text, patience=60.0):
    log = (house.folder / "crew.log").open("ab")
    own = {"HOME": str(house.folder), "CREWAI_DISABLE_TELEMETRY": "true", "CREWAI_TRACING_ENABLED": "false", "TOKEN": house.agent}
    words = [sys.executable, __file__, house.url, text, str(patience)]
    return subprocess.Popen(words, env={**os.environ, **own}, cwd=house.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def pending(house):
    return house.ask("GET", "/approvals?state=pending", house.approver)["approvals"]


def log_of(house):
    return (house.folder / "crew.log").read_text()


@pytest.mark.parametrize("word", ["approve", "deny"])
def test_a_letter_is_sent_once_when_crew_and_gateway_are_killed_while_it_waits(house, word):
    crew = start(house, word)
    until(lambda: pending(house) and house.done() == [["note", word]], "nobody is asked")
    crew.kill()
    crew.wait()
    house.kill()
    crew = start(house, word, patience=0)
    assert crew.wait(200) != 0 and "GatewayFault" in log_of(house), "a gateway that is away ends the crew"
    house.boot()
    has_tools(house)
    crew = start(house, word)
    (waiting,) = pending(house)
    house.ask("POST", f"/approvals/{waiting['id']}/decide", house.approver, {"decision": word, "reason": "not on a Friday"})
    assert crew.wait(200) == 0, log_of(house)[-3000:]
    said = log_of(house).rsplit("said: ", 1)[1]
    assert "an empty desk" in said and ("send: approve" if word == "approve" else "not on a Friday") in said, said
    assert house.done() == [["note", word], *([["send", word]] if word == "approve" else [])]
    assert house.say("ledger", "verify")


def test_a_fault_in_the_middle_ends_the_crew_and_reaches_no_model(house):
    crew = start(house, "fault", patience=0)
    until(lambda: pending(house), "nobody is asked")
    house.kill()
    assert crew.wait(200) != 0, "the crew ends"
    assert "said: " not in log_of(house) and "was not reached" in log_of(house), log_of(house)[-3000:]


def test_equal_calls_are_calls_of_their_own_and_a_fault_gives_its_number_back(house):
    with Toolgate(house.url, house.agent) as client:
        gate = Gate(client, key="numbers", patience=0)
        (note,) = [one for one in gate.tools("first") if one.name == "desk__note"]
        assert [note.run(text="twice"), note.run(text="twice")] == ["note: twice"] * 2
        house.kill()
        with pytest.raises(GatewayFault):
            note.run(text="twice")
        house.boot()
        has_tools(house)
        assert note.run(text="twice") == "note: twice"
        assert note.run(text="twice", colour="red") != "note: twice", "the gateway checks arguments, and says so"
    with Toolgate(house.url, house.agent) as client:
        again = Gate(client, key="numbers")
        (note,) = [one for one in again.tools("first") if one.name == "desk__note"]
        assert [note.run(text="twice") for _ in range(3)] == ["note: twice"] * 3, "recorded results"
        assert house.done() == [["note", "twice"]] * 3
        (other,) = [one for one in again.tools("second") if one.name == "desk__note"]
        other.run(text="twice")
    assert house.done() == [["note", "twice"]] * 4, "another task makes calls of its own"


class Faulty:
    """A gateway that gives these results in turn, the last one for ever."""

    def __init__(self, *results):
        self.results, self.asked = results, 0

    def create_run(self, body):
        return {"run": {"id": "run_1"}}

    def call_tools(self, run, body, prefer):
        self.asked += 1
        return {"results": [self.results[min(self.asked, len(self.results)) - 1]]}


class Clock:
    now = 0.0

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


def test_a_gateway_that_cannot_record_is_asked_as_long_as_patience_lasts(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(toolgate_crewai, "time", clock)
    down = {"status": "failed", "error": {"code": "ledger_down", "message": "nothing can be recorded"}}
    with pytest.raises(GatewayFault, match="nothing can be recorded"):
        Gate(Faulty(down), key="full").call("first", "desk__note", {})
    assert 60 <= clock.now < 61, clock.now
    waits, running = {"status": "pending_approval"}, {"status": "failed", "error": {"code": "call_running"}}
    done = {"status": "succeeded", "data": {"content": [{"type": "text", "text": "noted"}]}}
    client = Faulty(*[waits] * 1000, running, down, done)
    assert Gate(client, key="full").call("first", "desk__note", {}) == "noted", "people take longer than patience lasts"


def test_a_schema_that_no_class_can_have_is_shown_as_it_is():
    any_value, odd = {"anyOf": [{}, {"type": "null"}]}, {"type": "string", "pattern": "^(?!a)"}
    schema = {"type": "object", "properties": {"state": True, "_from": odd}, "required": ["_from"], "$schema": "…"}
    assert arguments_of(schema).model_json_schema() == {"type": "object", "properties": {"state": any_value, "_from": odd}, "required": ["_from"]}
    nested = {"items": {"properties": {"a": {"type": "string"}}}}
    assert shown(nested) == {"items": {"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}}
    listed = {"wire_name": "desk__odd", "definition": {"inputSchema": schema}}
    parameters = convert_tools_to_openai_schema([as_tool(None, "t", listed)])[0][0]["function"]["parameters"]
    assert parameters["properties"]["_from"] == odd, parameters


def test_what_a_model_left_out_is_not_sent_as_null():
    of = {"properties": {"a": {}, "b": {"properties": {"c": {}}, "required": ["c"]}, "d": {"items": {"properties": {"e": {}}}}}, "required": ["b"]}
    assert meant({"a": None, "b": {"c": None, "free": None}, "d": [{"e": None}], "z": None}, of) == {"b": {"c": None, "free": None}, "d": [{}], "z": None}


if __name__ == "__main__":
    address, text, patience = sys.argv[1:]
    print("said:", work(address, os.environ["TOKEN"], text, float(patience)))
