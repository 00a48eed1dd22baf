"""A LangGraph agent behind the gateway: its model asks for three calls in a row, and says what it saw, as one JSON object.

The model is made up: it searches, describes what was found first, calls that, and stops. Everything between the model
and the gateway is LangChain and its MCP adapter as they are.
"""

import asyncio
import json
import sys
import warnings

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult

with warnings.catch_warnings():
    # It says that it is in beta.
    warnings.simplefilter("ignore")
    from fastmcp import Client
    from fastmcp.client.transports import StreamableHttpTransport
    from langchain.mcp import MCPAdapter


def text(message):
    """The text of an answer, however the adapter wraps it."""
    if isinstance(message.content, str):
        return message.content
    return "\n".join(part["text"] for part in message.content if part.get("type") == "text")


class Model(BaseChatModel):
    """Three calls in order, each made of the answer before."""

    names: list = []

    @property
    def _llm_type(self):
        return "made-up"

    def bind_tools(self, tools, **_):
        return Model(names=[tool.name for tool in tools])

    def _generate(self, messages, stop=None, run_manager=None, **_):
        answers = [text(message) for message in messages if isinstance(message, ToolMessage)]
        return ChatResult(generations=[ChatGeneration(message=self.next(answers))])

    def next(self, answers):
        if len(answers) == 0:
            return self.call("search_tools", {"query": "echo text back"})
        if len(answers) == 1:
            name = next(word for word in answers[0].replace("(", " ").split() if word.endswith("echo"))
            return self.call("describe_tools", {"names": [name]})
        if len(answers) == 2:
            name = json.loads(answers[1])["name"]
            return self.call("call_tool", {"name": name, "arguments": {"text": "grüße"}})
        return AIMessage(content=answers[2])

    def call(self, name, args):
        assert name in self.names, f"{name} is not among {self.names}"
        return AIMessage(content="", tool_calls=[{"name": name, "args": args, "id": f"call-{name}"}])


async def main():
    request = json.loads(sys.argv[1])
    headers = {"Authorization": f"Bearer {request['token']}"}
    async with MCPAdapter(Client(StreamableHttpTransport(request["url"], headers=headers))) as gateway:
        tools = await gateway.list_tools()
        ended = await create_agent(Model(), tools).ainvoke({"messages": [("user", "Say grüße.")]})
    answers = [message for message in ended["messages"] if isinstance(message, ToolMessage)]
    saw = {
        "tools": sorted(tool.name for tool in tools),
        "calls": [message.name for message in answers],
        "found": text(answers[0]),
        "described": json.loads(text(answers[1])),
        "said": text(ended["messages"][-1]),
    }
    print(json.dumps(saw))


asyncio.run(asyncio.wait_for(main(), 100))
