"""A hook for Pydantic AI: calls go through a Toolgate gateway, once each, and wait for people as deferred tools."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
from pydantic_ai import ApprovalRequired, ModelRetry, RunContext

__all__ = ["GatewayFault", "Governed"]

TIMEOUT_SECONDS = 600.0
WAITING = frozenset({"pending_approval", "pending_input"})
#: Refusals that a model can mend.
MENDABLE = frozenset({"invalid", "tool_error", "not_called"})


class GatewayFault(Exception):
    """The gateway was not reached, or refused the request as a whole. The agent may run again: calls keep their ids."""


class Governed:
    """`process_tool_call` of an `MCPToolset`.

    Args:
        url: The gateway's address.
        token: A token of role `agent`, the same as that of the toolset.
        key: The key of the run for a context, such as the id of a conversation; the same key has the same run.
    """

    def __init__(self, url: str, token: str, *, key: Callable[[RunContext[Any]], str]) -> None:
        self.url = url.rstrip("/").removesuffix("/mcp")
        self._headers = {"Authorization": f"Bearer {token}", "Prefer": "respond-async"}
        self._key = key
        self._runs: dict[str, str] = {}

    async def __call__(self, ctx: RunContext[Any], call_tool: Any, name: str, tool_args: dict[str, Any]) -> Any:
        key = self._key(ctx)
        async with httpx.AsyncClient(base_url=self.url, headers=self._headers, timeout=TIMEOUT_SECONDS) as client:
            if key not in self._runs:
                made = await ask(client, "/runs", {"key": key})
                self._runs[key] = made["run"]["id"]
            call = {"id": ctx.tool_call_id, "name": name, "arguments": tool_args}
            answer = await ask(client, f"/runs/{self._runs[key]}/tool-calls", {"calls": [call]})
        return told(answer["results"][0])


async def ask(client: httpx.AsyncClient, path: str, body: dict[str, Any]) -> Any:
    try:
        response = await client.post(path, json=body)
        said = response.json()
    except (httpx.HTTPError, ValueError) as error:
        raise GatewayFault(f"the gateway was not reached: {type(error).__name__}: {error}") from error
    if response.is_error:
        raise GatewayFault(f"{said.get('detail')}\nhint: {said.get('hint')}")
    return said


def told(result: dict[str, Any]) -> Any:
    """What the model gets; or what the agent does instead."""
    status, error = result["status"], result.get("error") or {}
    if status in WAITING:
        about = {key: error[key] for key in ("why", "decides", "until", "link") if key in error}
        raise ApprovalRequired(metadata={"approval_id": result.get("approval_id"), "status": status, **about})
    data = result.get("data") or {}
    texts = [one.get("text", "") for one in data.get("content", []) if one.get("type") == "text"]
    if error or data.get("isError"):
        said = "\n".join([*texts, *[str(error[key]) for key in ("message", "hint") if error.get(key)]])
        if status in MENDABLE:
            raise ModelRetry(said)
        return said
    if data.get("structuredContent") is not None:
        return data["structuredContent"]
    return "\n".join(texts) if texts else json.dumps(data)
