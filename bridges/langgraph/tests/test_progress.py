"""What tools say of their progress, in the stream mode `custom`."""

from __future__ import annotations

import asyncio
import threading

import httpx
import pytest
from conftest import call, graph, node, texts, thread, turn
from langgraph.config import get_stream_writer
from toolgate_langgraph import Gateway, MCPToolNode
from toolgate_langgraph.progress import is_read, reports


def copies(*letters):
    """A turn of calls of one tool, which wait until what they report is heard."""
    return turn(*(call("copy", f"copy-{letter}", text=letter) for letter in letters))


def heard(house, part, found):
    """Takes a report, and lets the tool go on."""
    if part.get("type") == "progress":
        found.append({key: value for key, value in part.items() if key != "toolgate"})
        assert part["toolgate"]["state"] == "progress" and part["toolgate"]["tool"] == "desk__copy", part
        (house.folder / f"outbox.jsonl.heard-{part['message'].removeprefix('half of ')}").touch()


def report(letter):
    return {"type": "progress", "tool_call_id": f"copy-{letter}", "progress": 1, "total": 2, "message": f"half of {letter}"}


def followers():
    return [one for one in threading.enumerate() if one.name == "toolgate-progress"]


def test_progress_is_heard_while_the_calls_run(shared):
    found = []
    for mode, part in graph(node(shared)).stream(copies("one", "two"), thread(), stream_mode=["custom", "values"]):
        if mode == "custom":
            heard(shared, part, found)
    assert sorted(found, key=lambda one: one["tool_call_id"]) == [report("one"), report("two")]
    assert [texts(made) for made in part["messages"][1:]] == ["copied one", "copied two"]
    assert not followers(), "it ends with the turn"


def test_progress_is_heard_by_graphs_that_await(shared):
    async def work():
        found = []
        async for mode, part in graph(node(shared)).astream(copies("three"), thread(), stream_mode=["custom", "values"]):
            if mode == "custom":
                heard(shared, part, found)
        assert found == [report("three")] and texts(part["messages"][-1]) == "copied three"

    asyncio.run(work())


class Deaf(httpx.AsyncHTTPTransport):
    """Does not let anybody follow a run."""

    refused = 0

    async def handle_async_request(self, request):
        if request.url.path.endswith("/events"):
            self.refused += 1
            raise httpx.ConnectError("connection refused", request=request)
        return await super().handle_async_request(request)


def test_a_turn_does_not_need_to_hear_of_progress(shared):
    async def work():
        deaf = Deaf()
        tools = MCPToolNode(Gateway(shared.url, shared.agent, async_transport=deaf))
        states = [part["toolgate"]["state"] async for part in graph(tools).astream(turn(call("look", "1")), thread(), stream_mode="custom")]
        assert (states, deaf.refused) == (["calling", "done"], 1)
        await graph(tools).ainvoke(turn(call("look", "1")), thread())
        assert deaf.refused == 1, "nobody reads the stream"

    asyncio.run(work())


@pytest.mark.parametrize(("mode", "read"), [("custom", True), (["custom", "values"], True), ("values", False), ("updates", False)])
def test_a_stream_that_nobody_reads_is_known(mode, read):
    found = []

    def look(_):
        found.append(is_read(get_stream_writer()))
        return {}

    async def alook(state):
        return look(state)

    async def work():
        async for _ in graph(alook).astream({"messages": []}, thread(), stream_mode=mode):
            pass

    for _ in graph(look).stream({"messages": []}, thread(), stream_mode=mode):
        pass
    asyncio.run(work())
    assert found == [read, read]


def test_events_are_read_however_they_are_cut():
    said = 'retry: 1000\n\nid: a:1\nevent: run.started\ndata: {"n":1}\n\n: keep-alive\n\nevent: tool.call.progress\ndata: {"id":"1","message":"a\u2028: b"}\n\n'

    async def pieces(size):
        for start in range(0, len(said), size):
            yield said[start : start + size]

    async def read(size):
        return [one async for one in reports(pieces(size))]

    for size in (1, 7, len(said)):
        assert asyncio.run(read(size)) == [{"id": "1", "message": "a\u2028: b"}]
