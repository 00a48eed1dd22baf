"""`create_agent` of LangChain: with our tools, with our middleware, and with LangChain's own MCP adapter and nothing of ours."""

from __future__ import annotations

import asyncio
import warnings
from typing import Any

from conftest import call, done_with, node, texts, thread
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from toolgate_langgraph import load_tools
from toolgate_langgraph.middleware import ToolgateMiddleware


class Scripted(BaseChatModel):
    """A made-up model: makes its calls, then says what came of them."""

    calls: list[dict[str, Any]]
    offered: list[str] = []

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools, **_):
        self.offered[:] = [tool.name if hasattr(tool, "name") else tool["name"] for tool in tools]
        return self

    def _generate(self, messages, stop=None, run_manager=None, **_):
        answers = [texts(message) for message in messages if isinstance(message, ToolMessage)]
        said = AIMessage(content=" | ".join(answers)) if answers else AIMessage(content="", tool_calls=self.calls)
        return ChatResult(generations=[ChatGeneration(message=said)])


def approve(house, pause):
    for item in pause.value["toolgate"]["items"]:
        house.ask("POST", f"/approvals/{item['id']}/decide", house.approver, {"decision": "approve"})


def goes_through(shared, text, made):
    model = Scripted(calls=[call("note", "1", text=text), call("send", "2", text=text)])
    app, config = made(model), thread()
    paused = app.invoke({"messages": [("user", "go")]}, config)
    (pause,) = paused["__interrupt__"]
    assert done_with(shared, text) == ["note"]
    approve(shared, pause)
    said = app.invoke(Command(resume="look"), config)
    assert texts(said["messages"][-1]) == f"note: {text} | send: {text}"
    assert done_with(shared, text) == ["note", "send"]
    return model


def test_an_agent_with_our_tools(shared):
    tools = load_tools(node(shared))
    by_name = {tool.name: tool for tool in tools}
    assert by_name["desk__send"].approval == "always" and by_name["desk__look"].approval == "never"
    assert by_name["desk__send"].args["text"]["type"] == "string"
    assert "an empty desk" in str(by_name["desk__look"].invoke({}))
    goes_through(shared, "agent", lambda model: create_agent(model, tools, checkpointer=InMemorySaver()))


def test_an_agent_with_our_middleware(shared):
    middleware = ToolgateMiddleware(node(shared))
    model = goes_through(shared, "middleware", lambda model: create_agent(model, [], middleware=[middleware], checkpointer=InMemorySaver()))
    assert "desk__send" in model.offered


def test_an_agent_with_langchains_own_adapter_and_an_approval_in_the_middle(shared):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from fastmcp import Client
        from fastmcp.client.transports import StreamableHttpTransport
        from langchain.mcp import MCPAdapter

    async def go():
        transport = StreamableHttpTransport(f"{shared.url}/mcp", headers={"Authorization": f"Bearer {shared.agent}"})
        async with MCPAdapter(Client(transport)) as adapter:
            tools = await adapter.list_tools()
            model = Scripted(calls=[call("pay", "1", text="bare"), call("look", "2")])
            app, config = create_agent(model, tools, checkpointer=InMemorySaver()), thread()
            paused = await app.ainvoke({"messages": [("user", "go")]}, config)
            (pause,) = paused["__interrupt__"]
            (question,) = pause.value["requests"]
            assert pause.value["type"] == "mcp_elicitation" and question["key"].startswith("apr_"), pause
            assert done_with(shared, "bare") == []
            answer = {question["key"]: {"action": "accept", "content": {"approve": True}}}
            said = await app.ainvoke(Command(resume={"responses": answer}), config)
            assert "pay: bare" in texts(said["messages"][-1]), said["messages"][-1]

    asyncio.run(go())
    assert done_with(shared, "bare") == ["pay"]
