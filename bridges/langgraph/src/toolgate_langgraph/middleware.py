"""A middleware for `create_agent`: the gateway's tools, read again before each request of the model, and called by the gateway.

It needs `langchain`: `pip install "toolgate-langgraph[agents]"`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware.types import AgentMiddleware, ModelRequest, ModelResponse, ToolCallRequest
from langchain_core.messages import ToolMessage
from langgraph.types import Command

from . import tools
from .node import MCPToolNode


class ToolgateMiddleware(AgentMiddleware[Any, Any, Any]):
    """Offers the gateway's tools to the model, and makes its calls.

    Tools that came, went or changed since the agent was made are offered as they are now. Tools that the agent has from elsewhere
    stay its own.
    """

    def __init__(self, node: MCPToolNode) -> None:
        super().__init__()
        self.node = node
        self.tools = []
        self._names: set[str] = set()

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        return handler(self._offered(request, tools.load(self.node)))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        return await handler(self._offered(request, await tools.aload(self.node)))

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        if not self._is_ours(request):
            return handler(request)
        return self.node.call([request.tool_call], request.runtime.config)[0]

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        if not self._is_ours(request):
            return await handler(request)
        return (await self.node.acall([request.tool_call], request.runtime.config))[0]

    def _offered(self, request: ModelRequest[Any], found: list[tools.GatewayTool]) -> ModelRequest[Any]:
        self._names.update(tool.name for tool in found)
        own = [tool for tool in request.tools if getattr(tool, "name", None) not in self._names]
        return request.override(tools=[*own, *found])

    def _is_ours(self, request: ToolCallRequest) -> bool:
        """A tool that the agent does not have itself. In another process a graph may go on with a call whose tool was never listed there."""
        return request.tool is None or isinstance(request.tool, tools.GatewayTool)
