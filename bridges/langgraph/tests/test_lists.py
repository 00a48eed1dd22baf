"""A list of tools that changes under a graph: a tool goes, becomes another one, or its server is disabled."""

from __future__ import annotations

import pytest
from conftest import call, done_with, graph, node, texts, thread, turn
from house import until
from langchain.agents import create_agent
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from test_agents import Scripted
from toolgate_langgraph import load_tools
from toolgate_langgraph.middleware import ToolgateMiddleware

TEXT = {"type": "string"}
#: A schema that old arguments fit, and one that they do not fit.
WIDER = {"type": "object", "properties": {"text": TEXT, "copy": {"type": "boolean"}}, "required": ["text"], "additionalProperties": False}
STRICTER = {"type": "object", "properties": {"text": TEXT, "to": TEXT}, "required": ["text", "to"], "additionalProperties": False}


def remove(house, *tools):
    house.relist(**dict.fromkeys(tools))


def change(house, *tools):
    house.relist(**dict.fromkeys(tools, WIDER))


def disable(house, *_):
    house.ask("POST", "/servers/desk/disable", house.token("operator", "olga"), {"reason": "an audit"})


def change_and_accept(house, tool, schema):
    house.relist(**{tool: schema})
    until(lambda: not house.offers(tool), "the change is not noticed")
    house.say("tools", "accept", f"desk:{tool}")
    until(lambda: house.offers(tool), "the change is not accepted")


#: What happens to tools, with the code and a part of the hint that calls of them get from then on.
WAYS = [
    (remove, {"tool_retired", "unknown_tool"}, "hint: "),
    (change, {"tool_quarantined"}, "hint: the operator looks at it with `toolgate tools diff"),
    (disable, {"server_disabled"}, "hint: use another tool"),
]


def is_refused(made, codes, hint):
    assert made.status == "error" and made.artifact["envelope"]["error"]["code"] in codes, made
    assert "list of tools has changed" in texts(made) and hint in texts(made), texts(made)


@pytest.mark.parametrize(("happens", "codes", "hint"), WAYS)
def test_tools_that_go_between_interrupt_and_resume(house, happens, codes, hint):
    app, config = graph(node(house)), thread()
    assert app.invoke(turn(call("note", "1", text="gone"), call("send", "2", text="gone")), config)["__interrupt__"]
    happens(house, "note", "send")
    until(lambda: not house.offers("send"), "the tool is still there")
    said = app.invoke(Command(resume={"decisions": [{"type": "approve"}]}), config)
    assert "__interrupt__" not in said, "nobody is asked about a tool that is not there"
    note, send = said["messages"][1:]
    assert (note.status, texts(note)) == ("success", "note: gone"), "what ran is recorded"
    is_refused(send, codes, hint)
    assert done_with(house, "gone") == ["note"]


def test_a_tool_that_goes_while_a_node_waits(house):
    app, heard, said = graph(node(house, approvals="wait", wait_seconds=60)), [], {}
    for kind, part in app.stream(turn(call("note", "1", text="waits"), call("send", "2", text="waits")), thread(), stream_mode=["custom", "values"]):
        if kind == "values":
            said = part
        elif part["toolgate"]["state"] == "waiting" and not heard:
            heard.append(part)
            remove(house, "send")
    assert heard, "nobody was asked"
    note, send = said["messages"][1:]
    assert note.status == "success"
    is_refused(send, *WAYS[0][1:])
    assert done_with(house, "waits") == ["note"]


@pytest.mark.parametrize(("happens", "codes", "hint"), WAYS)
def test_tools_that_go_between_two_turns(house, happens, codes, hint):
    app, config = graph(node(house)), thread()
    app.invoke(turn(call("note", "1", text="first")), config)
    happens(house, "note")
    until(lambda: not house.offers("note"), "the tool is still there")
    said = app.invoke(turn(call("note", "2", text="second"), call("look", "3")), config)
    first, _, second, look = said["messages"][1:]
    assert (first.status, texts(first)) == ("success", "note: first")
    is_refused(second, codes, hint)
    assert look.status == ("error" if happens is disable else "success"), "the rest of the turn is made"
    assert done_with(house, "first") == ["note"] and done_with(house, "second") == []


def test_a_tool_that_is_back_works_in_the_same_thread(house):
    app, config = graph(node(house)), thread()
    disable(house)
    until(lambda: not house.offers("note"), "the tool is still there")
    said = app.invoke(turn(call("note", "1", text="back")), config)
    assert said["messages"][-1].status == "error"
    house.ask("POST", "/servers/desk/enable", house.token("operator", "olga"), {"reason": "it is over"})
    until(lambda: house.offers("note"), "the tool is not there again")
    said = app.invoke(turn(call("note", "2", text="back")), config)
    assert said["messages"][-1].status == "success" and done_with(house, "back") == ["note"]


def test_old_arguments_for_a_tool_with_another_schema(house):
    app, config = graph(node(house)), thread()
    app.invoke(turn(call("note", "1", text="old")), config)
    change_and_accept(house, "note", STRICTER)
    said = app.invoke(turn(call("note", "2", text="old")), config)
    refused = said["messages"][-1]
    assert refused.status == "error" and refused.artifact["envelope"]["error"]["code"] == "invalid_arguments", refused
    assert "to" in texts(refused) and "hint: " in texts(refused), texts(refused)
    assert done_with(house, "old") == ["note"]


def test_a_decision_about_a_tool_is_no_vote_on_what_has_become_of_it(house):
    app, config = graph(node(house), context_schema=dict), thread()
    approve = Command(resume={"decisions": [{"type": "approve"}]})
    context = {"toolgate_approver_token": house.approver}
    (first,) = app.invoke(turn(call("send", "1", text="became")), config)["__interrupt__"]
    change_and_accept(house, "send", WIDER)
    (second,) = app.invoke(approve, config, context=context)["__interrupt__"]
    (old,), (new,) = first.value["toolgate"]["items"], second.value["toolgate"]["items"]
    assert old["id"] != new["id"] and new["state"] == "pending" and new["votes"] == [], "people are asked anew"
    (vote,) = second.value["toolgate"]["votes"]
    assert (vote["id"], vote["counted"]) == (new["id"], False) and "after the answer" in vote["why"], vote
    assert done_with(house, "became") == []
    said = app.invoke(approve, config, context=context)
    assert said["messages"][-1].status == "success" and done_with(house, "became") == ["send"]


def test_an_agent_whose_tool_goes_is_told_so(house):
    house_node = node(house)
    calls = [call("note", "1", text="agent"), call("look", "2")]
    known, middle = Scripted(calls=calls), Scripted(calls=calls)
    held = create_agent(known, load_tools(house_node), checkpointer=InMemorySaver())
    reading = create_agent(middle, [], middleware=[ToolgateMiddleware(house_node)], checkpointer=InMemorySaver())
    remove(house, "note")
    until(lambda: not house.offers("note"), "the tool is still there")
    for agent in (held, reading):
        said = agent.invoke({"messages": [("user", "go")]}, thread())
        last = texts(said["messages"][-1])
        assert "list of tools has changed" in last and "an empty desk" in last, last
    assert "desk__note" in known.offered and "desk__note" not in middle.offered
    assert done_with(house, "agent") == []
