"""Tools behind a Toolgate gateway in the OpenAI Agents SDK: people agree where the gateway says so, and no call is made twice.

`require_approval` stops a run before each call that may do something. The state of the run is stored there, and has the ids of the
calls. So a run that starts again after a crash sends its calls again under the same ids, and is answered with what the gateway has
recorded.
"""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from agents import Agent, RunConfig, Runner, RunState
from agents.mcp import MCPServerStreamableHttp, MCPToolMetaContext

APPROVAL, CALL, RUN, ENVELOPE = (f"dev.toolgate/{word}" for word in ("approval", "call_id", "run_id", "envelope"))
TIMEOUT_SECONDS = 600.0
LOOK_SECONDS = 2.0
PATIENCE_SECONDS = 60.0
#: The same call was sent before, and is under way.
RUNNING = "call_running"
#: Faults of the gateway after which a call may be sent again as it is.
PASSING = frozenset({"shutting_down", "store_down", "ledger_down"})


class GatewayFault(Exception):
    """The gateway was not reached, or refused the request as a whole. Run again: what was made is not made again."""


class Gateway:
    """A gateway as the MCP server of an agent, with one run for each key, such as the id of a conversation."""

    def __init__(self, url: str, token: str, key: str) -> None:
        self._url, self._key, self._run = url.rstrip("/"), key, ""
        self._headers = {"Authorization": f"Bearer {token}"}
        self.server = MCPServerStreamableHttp(
            {"url": f"{self._url}/mcp", "headers": self._headers, "timeout": TIMEOUT_SECONDS},
            name="toolgate",
            client_session_timeout_seconds=TIMEOUT_SECONDS,
            require_approval=stops_before,
            tool_meta_resolver=self._meta_of,
            # A fault on the way ends the run. Told to the model, it would lead to a new call.
            failure_error_function=None,
        )

    async def __aenter__(self) -> Gateway:
        made = await self._ask("POST", "/runs", {"key": self._key})
        self._run = made["run"]["id"]
        await self.server.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.server.cleanup()

    async def decided(self, name: str, arguments: dict[str, Any], id: str) -> None:
        """Makes a call, and returns once it has its result: people have decided by then, if they were asked."""
        limit = time.monotonic() + PATIENCE_SECONDS
        while True:
            result = wire(await self.server.call_tool(name, arguments, self._meta(id)))
            envelope = (result.get("_meta") or {}).get(ENVELOPE) or {}
            error = envelope.get("error") or {}
            if envelope.get("status") == "pending_approval":
                await self._settled(f"/approvals/{quote(envelope['approval_id'], safe='')}")
            elif envelope.get("status") == "pending_input":
                await self._settled(f"/inputs/{quote(result['structuredContent']['input_id'], safe='')}")
            elif error.get("code") == RUNNING:
                await asyncio.sleep(LOOK_SECONDS)
            elif error.get("code") not in PASSING:
                return
            elif time.monotonic() < limit:
                await asyncio.sleep(LOOK_SECONDS)
                continue
            else:
                raise GatewayFault(f"the gateway has refused for {PATIENCE_SECONDS:g} s: {error.get('message')}")
            # People and long calls take as long as they take; a fault after that is given all of its time.
            limit = time.monotonic() + PATIENCE_SECONDS

    async def _settled(self, path: str) -> None:
        while (await self._ask("GET", path))["state"] == "pending":
            await asyncio.sleep(LOOK_SECONDS)

    def _meta_of(self, context: MCPToolMetaContext) -> dict[str, Any]:
        return self._meta(context.run_context.tool_call_id)  # type: ignore[attr-defined]

    def _meta(self, id: str) -> dict[str, Any]:
        return {RUN: self._run, CALL: id}

    async def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        async with httpx.AsyncClient(base_url=self._url, headers=self._headers, timeout=TIMEOUT_SECONDS) as client:
            try:
                response = await client.request(method, path, json=body)
                said: dict[str, Any] = response.json()
            except (httpx.HTTPError, ValueError) as error:
                raise GatewayFault(f"the gateway was not reached: {type(error).__name__}: {error}") from error
        if response.is_error:
            raise GatewayFault(f"{said.get('detail')}\nhint: {said.get('hint')}")
        return said


def stops_before(run_context: Any, agent: Any, tool: Any) -> bool:
    """Whether the run's state is stored before a call: people may be asked, or it may do something."""
    listed = wire(tool)
    asked = (listed.get("_meta") or {}).get(APPROVAL) in ("sometimes", "always")
    return asked or not (listed.get("annotations") or {}).get("readOnlyHint")


def wire(said: Any) -> dict[str, Any]:
    """As it was sent: the versions of the MCP library name its members differently."""
    return said.model_dump(by_alias=True)  # type: ignore[no-any-return]


async def go(agent: Agent[Any], gateway: Gateway, said: str, stored: Path, config: RunConfig | None = None) -> Any:
    """Runs an agent to its end; started again with the same file, it goes on where it was."""
    state = await RunState.from_string(agent, stored.read_text()) if stored.exists() else None
    while True:
        if state is not None:
            for waiting in state.get_interruptions():
                call: Any = waiting.raw_item
                await gateway.decided(call.name, json.loads(call.arguments or "{}"), call.call_id)
                # Whatever people decided: the call that follows is answered with it.
                state.approve(waiting)
        result = await Runner.run(agent, said if state is None else state, run_config=config)
        if not result.interruptions:
            stored.unlink(missing_ok=True)
            return result.final_output
        state = result.to_state()
        store(stored, state.to_string())


def store(file: Path, text: str) -> None:
    """Whole, or not at all."""
    new = file.with_suffix(".new")
    new.write_text(text)
    new.replace(file)
