"""The gateway's tools for `create_agent`, and wherever LangChain takes tools."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from langchain_core.messages import ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from pydantic import ConfigDict, SkipValidation

from . import turn
from .client import JSON, member
from .node import MCPToolNode


class GatewayTool(BaseTool):
    """One tool of the gateway. Its calls take the way of a node's: same ids, same interrupts."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    node: SkipValidation[MCPToolNode]
    #: never, sometimes or always: whether people are asked.
    approval: str = "never"
    canonical_name: str = ""

    def invoke(self, input: str | dict[str, Any] | ToolCall, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        made = self.node.call([self.call_of(input)], config)[0]
        return self.answer(input, made)

    async def ainvoke(
        self, input: str | dict[str, Any] | ToolCall, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Any:
        made = (await self.node.acall([self.call_of(input)], config))[0]
        return self.answer(input, made)

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        return self.invoke(kwargs)

    def call_of(self, input: str | dict[str, Any] | ToolCall) -> ToolCall:
        if isinstance(input, dict) and input.get("type") == "tool_call":
            return {"name": self.name, "args": input["args"], "id": input.get("id"), "type": "tool_call"}
        args = input if isinstance(input, dict) else {}
        # A call that no model made has no id that could come again.
        return {"name": self.name, "args": dict(args), "id": f"direct-{uuid4()}", "type": "tool_call"}

    def answer(self, input: str | dict[str, Any] | ToolCall, made: ToolMessage) -> Any:
        is_call = isinstance(input, dict) and input.get("type") == "tool_call"
        return made if is_call else made.content


def tool_of(node: MCPToolNode, listed: JSON) -> GatewayTool:
    definition = member(listed, "definition")
    schema = definition.get("inputSchema") or {"type": "object", "properties": {}}
    return GatewayTool(
        node=node,
        name=member(listed, "wire_name"),
        canonical_name=str(listed.get("name", "")),
        description=str(definition.get("description") or definition.get("title") or listed.get("name")),
        args_schema=schema,
        approval=str(listed.get("approval", "never")),
        metadata={"toolgate": {"effects": listed.get("effects"), "approval": listed.get("approval")}},
    )


def load(node: MCPToolNode, *, session: str | None = None) -> list[GatewayTool]:
    """The tools that the node's token sees, or that a session sees."""
    listed = node.gateway.run(turn.tools({"session": session} if session else None))
    return [tool_of(node, one) for one in listed]


async def aload(node: MCPToolNode, *, session: str | None = None) -> list[GatewayTool]:
    """The tools that the node's token sees, or that a session sees."""
    listed = await node.gateway.arun(turn.tools({"session": session} if session else None))
    return [tool_of(node, one) for one in listed]
