"""A LangGraph agent behind Toolgate, which pauses where a person must agree, and goes on once they have."""

import json
import os
import time

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from toolgate_langgraph import MCPToolNode, load_tools

PAUSE_SECONDS = float(os.environ.get("PAUSE_SECONDS", "2"))


def text(message):
    """The text of an answer."""
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


def main():
    node = MCPToolNode(os.environ["TOOLGATE_URL"], os.environ["AGENT_TOKEN"])
    # A checkpointer that lasts, such as SqliteSaver, lets another process go on.
    agent = create_agent(Scripted(), load_tools(node), checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "letters"}}
    said = agent.invoke({"messages": [("user", "Answer my letters.")]}, thread)
    while pauses := said.get("__interrupt__"):
        for item in pauses[0].value["toolgate"]["items"]:
            print(f"{item['tool']} waits for a person: {item['id']}", flush=True)
        time.sleep(PAUSE_SECONDS)
        # Nothing that ran runs again: the gateway knows whether people have decided.
        said = agent.invoke(Command(resume="look again"), thread)
    print(text(said["messages"][-1]))


main()
