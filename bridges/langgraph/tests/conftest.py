"""One gateway for all tests that do not kill it; graphs, and models that say what they are told to."""

from __future__ import annotations

import itertools
from typing import Annotated, Any, TypedDict

import pytest
from house import House, free_port
from langchain_core.messages import AIMessage, AnyMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from toolgate_langgraph import MCPToolNode

threads = itertools.count()


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory):
    yield from lived_in(tmp_path_factory.mktemp("house"))


@pytest.fixture
def house(tmp_path):
    """A gateway of the test's own."""
    yield from lived_in(tmp_path)


def lived_in(folder):
    house = House(folder, f"127.0.0.1:{free_port()}")
    house.boot()
    house.agent = house.token()
    house.approver = house.token("approver", "ann")
    try:
        yield house
    finally:
        house.stop()


def thread(**more: Any) -> dict[str, Any]:
    return {"configurable": {"thread_id": f"thread-{next(threads)}", **more}}


def call(name: str, id: str, **args: Any) -> dict[str, Any]:
    return {"name": f"desk__{name}", "args": args, "id": id, "type": "tool_call"}


def turn(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [AIMessage(content="", tool_calls=list(calls))]}


def graph(node: Any, checkpointer: Any = None, **more: Any) -> Any:
    """A graph of one node."""
    builder = StateGraph(State, **more)
    builder.add_node("tools", node)
    builder.add_edge(START, "tools")
    builder.add_edge("tools", END)
    return builder.compile(checkpointer=checkpointer or InMemorySaver())


def node(house: House, **more: Any) -> MCPToolNode:
    return MCPToolNode(house.url, house.agent, **more)


def texts(message: Any) -> str:
    content = message.content
    return content if isinstance(content, str) else "\n".join(one.get("text", "") for one in content)


def done_with(house: House, text: str) -> list[str]:
    """Which tools have worked on this text."""
    return [name for name, said in house.done() if said == text]
