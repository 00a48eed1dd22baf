"""Tools behind a Toolgate gateway for the Claude Agent SDK: a call that waits for people is deferred, and no call runs twice.

    async with AsyncToolgate(url, token) as client:
        gate = Gate(client, key="ticket-7")
        options = ClaudeAgentOptions(
            mcp_servers={"toolgate": await gate.server()},
            hooks={"PreToolUse": [HookMatcher(matcher="mcp__toolgate__.*", hooks=[gate.before])]},
        )
        async for message in query(prompt="Answer my letters.", options=options):
            …

Before a tool is used, the hook makes the call over REST under the id that the model gave it, in a run that is made once for each key. If
people must agree, it answers `defer`: the query ends, and its result message has `deferred_tool_use`. Resume the session when they have
decided; the hook is asked again, with the same id. Otherwise it allows the tool, which reads the recorded result.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
from claude_agent_sdk import HookContext, HookInput, HookJSONOutput, McpSdkServerConfig, SdkMcpTool, create_sdk_mcp_server
from toolgate_client import AsyncToolgate, GatewayError

SERVER = "toolgate"
#: How the hook tells a tool which call this is. What a model writes there is replaced.
CALL = "toolgate_call"
PATIENCE_SECONDS = 30.0
RETRY_SECONDS = 0.5
WAITING = frozenset({"pending_approval", "pending_input"})


class Gate:
    def __init__(self, client: AsyncToolgate, *, key: str, patience: float = PATIENCE_SECONDS) -> None:
        self._client = client
        self._key = key
        self._patience = patience
        self._run: str | None = None

    async def server(self) -> McpSdkServerConfig:
        """The gateway's tools, for `mcp_servers`."""
        return create_sdk_mcp_server(SERVER, tools=await self.tools())

    async def tools(self) -> list[SdkMcpTool[Any]]:
        listed, cursor = [], None
        while True:
            page: Any = await self._client.list_tools(**({"cursor": cursor} if cursor else {}))
            listed += page["tools"]
            cursor = page.get("next_cursor")
            if cursor is None:
                return [self._tool(one["wire_name"], one["definition"]) for one in listed]

    async def before(self, given: HookInput, tool_use_id: str | None, context: HookContext) -> HookJSONOutput:
        """The hook: whatever it cannot bring to the gateway is denied."""
        name = given["tool_name"].removeprefix(f"mcp__{SERVER}__")
        id = given["tool_use_id"]
        arguments = {key: value for key, value in given["tool_input"].items() if key != CALL}
        try:
            result = await self._send(id, name, arguments)
        except (httpx.TransportError, GatewayError) as error:
            # Whether the call has run is not known. Deferred, it is sent again under the same id.
            may_pass = not isinstance(error, GatewayError) or error.retry
            return decided("defer" if may_pass else "deny", f"the gateway was not reached, or refused: {error}")
        error = result.get("error") or {}
        if result["status"] in WAITING:
            return decided("defer", error.get("tell_user") or error["message"])
        if result["status"] == "denied":
            return decided("deny", why(error))
        return decided("allow", f"the gateway says: {result['status']}", updatedInput={**arguments, CALL: id})

    def _tool(self, name: str, definition: Any) -> SdkMcpTool[Any]:
        async def read(given: dict[str, Any]) -> dict[str, Any]:
            id = given.pop(CALL, None)
            if id is None:
                return said("not run: the call did not come through the hook, or waits for people; make it again, alone", True)
            return told(await self._send(id, name, given))

        schema = definition["inputSchema"]
        properties = {**schema.get("properties", {}), CALL: {"type": "string", "description": "Leave this out."}}
        return SdkMcpTool(name, definition.get("description", ""), {**schema, "properties": properties}, read)

    async def _send(self, id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if self._run is None:
            made = await self._ask(lambda: self._client.create_run({"key": self._key}))
            self._run = made["run"]["id"]
        body: Any = {"calls": [{"id": id, "name": name, "arguments": arguments}]}
        answer = await self._ask(lambda: self._client.call_tools(str(self._run), body, prefer="respond-async"))
        return answer["results"][0]

    async def _ask(self, request: Callable[[], Awaitable[Any]]) -> Any:
        limit = time.monotonic() + self._patience
        while True:
            try:
                return await request()
            except (httpx.TransportError, GatewayError) as error:
                may_pass = not isinstance(error, GatewayError) or error.retry
                if not may_pass or time.monotonic() >= limit:
                    raise
            await asyncio.sleep(RETRY_SECONDS)


def decided(decision: Any, reason: str, **more: Any) -> HookJSONOutput:
    output = {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason, **more}
    return {"hookSpecificOutput": output}  # type: ignore[typeddict-item]


def why(error: dict[str, Any]) -> str:
    return "\n".join(str(error[key]) for key in ("message", "why", "hint") if error.get(key))


def said(text: str, is_error: bool) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "is_error": is_error}


def told(result: dict[str, Any]) -> dict[str, Any]:
    data, error = result.get("data") or {}, result.get("error")
    content = list(data.get("content", [])) + ([{"type": "text", "text": why(error)}] if error else [])
    return {"content": content, "is_error": bool(error) or bool(data.get("isError"))}
