"""Tools behind a Toolgate gateway in LangGraph.

`MCPToolNode` takes the place of LangGraph's `ToolNode`; `load_tools` and `toolgate_langgraph.middleware` serve `create_agent`.
"""

from .client import Gateway
from .errors import (
    GatewayTooNew,
    GatewayTooOld,
    GatewayUnreachable,
    RequestRefused,
    RunGone,
    TokenRefused,
    ToolgateError,
)
from .node import MCPToolNode
from .tools import GatewayTool
from .tools import aload as aload_tools
from .tools import load as load_tools

__all__ = [
    "Gateway",
    "GatewayTool",
    "GatewayTooNew",
    "GatewayTooOld",
    "GatewayUnreachable",
    "MCPToolNode",
    "RequestRefused",
    "RunGone",
    "TokenRefused",
    "ToolgateError",
    "aload_tools",
    "load_tools",
]
