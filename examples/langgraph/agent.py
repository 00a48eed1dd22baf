"""A LangGraph agent behind Toolgate, which waits where a person must agree."""

import asyncio
import json
import os
import urllib.request

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_mcp_adapters.client import MultiServerMCPClient
from langgraph.prebuilt import create_react_agent
from mcp.types import CallToolResult, TextContent

URL = os.environ["TOOLGATE_URL"]
HEADERS = {"Authorization": f"Bearer {os.environ['AGENT_TOKEN']}"}
PAUSE_SECONDS = float(os.environ.get("PAUSE_SECONDS", "2"))


def pending(result):
    """The approval that a call waits for, or nothing."""
    envelope = (getattr(result, "meta", None) or {}).get("dev.toolgate/envelope", {})
    return envelope.get("approval_id") if envelope.get("status") == "pending_approval" else None


def look(approval):
    """The approval as it stands. Its asker may read it."""
    request = urllib.request.Request(f"{URL.removesuffix('/mcp')}/approvals/{approval}", headers=HEADERS)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


async def wait_for_people(request, handler):
    """Waits until people have decided. Once they agreed, the same call again attaches to their yes and runs, once."""
    while True:
        result = await handler(request)
        approval = pending(result)
        if approval is None:
            return result
        print(f"{request.name} waits for a person: {approval}", flush=True)
        while (now := await asyncio.to_thread(look, approval))["state"] == "pending":
            await asyncio.sleep(PAUSE_SECONDS)
        if now["state"] != "approved":
            # The same call again would ask the same people again.
            reasons = [vote["reason"] for vote in now["votes"] if vote.get("reason")]
            text = f"{now['tool']} may not run: {now['state']}. " + " ".join(reasons)
            return CallToolResult(content=[TextContent(type="text", text=text)], isError=True)


def text(message):
    """The text of an answer, however the adapters wrap it."""
    if isinstance(message.content, str):
        return message.content
    return "\n".join(part["text"] for part in message.content if part.get("type") == "text")


class Scripted(BaseChatModel):
    """A made-up model: reads the inbox, answers the first letter, and says what came of it."""

    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **_):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **_):
        answers = [text(message) for message in messages if isinstance(message, ToolMessage)]
        return ChatResult(generations=[ChatGeneration(message=self.next(answers))])

    def next(self, answers):
        if not answers:
            return self.call("letters__read_inbox", {})
        if len(answers) == 1:
            letter = json.loads(answers[0])[0]
            return self.call("letters__send", {"to": letter["from"], "text": "Friday is fine."})
        return AIMessage(content=answers[1])

    def call(self, name, args):
        return AIMessage(content="", tool_calls=[{"name": name, "args": args, "id": f"call-{name}"}])


async def main():
    gateway = {"transport": "streamable_http", "url": URL, "headers": HEADERS}
    client = MultiServerMCPClient({"toolgate": gateway}, tool_interceptors=[wait_for_people])
    agent = create_react_agent(Scripted(), await client.get_tools())
    ended = await agent.ainvoke({"messages": [("user", "Answer my letters.")]})
    print(text(ended["messages"][-1]))


asyncio.run(main())
