"""Tools behind a Toolgate gateway for Microsoft Agent Framework: the hint becomes `approval_mode`, and no call runs twice.

    async with AsyncToolgate(url, token) as client:
        gate = Gate(client, key="ticket-7")
        agent = Agent(chat_client, tools=await gate.tools(), middleware=[gate])
        said = await agent.run("Answer my letters.", session=session)
        while asked := said.user_input_requests:
            while await gate.waiting(asked):
                await asyncio.sleep(2)
            said = await agent.run(gate.answer(asked), session=session)

Calls go over REST under the ids that the framework gave them, in a run that is made once for each key: sent again they are answered
with their recorded results. Store the session while people decide; it may go on in another process.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import httpx
from agent_framework import Content, FunctionInvocationContext, FunctionMiddleware, FunctionTool, Message, MiddlewareFailure
from toolgate_client import AsyncToolgate, GatewayError

PATIENCE_SECONDS = 60.0
RETRY_SECONDS = 0.5
LOOK_SECONDS = 2.0
WAITING = frozenset({"pending_approval", "pending_input"})


class GatewayFault(MiddlewareFailure):
    """The gateway was not reached in time, or refused the request as a whole. The agent may run again: calls keep their ids."""


class Gate(FunctionMiddleware):
    def __init__(self, client: AsyncToolgate, *, key: str, patience: float = PATIENCE_SECONDS) -> None:
        self._client = client
        self._key = key
        self._patience = patience
        self._run: str | None = None

    async def tools(self) -> list[FunctionTool]:
        """What the agent may call; what people may be asked about is marked."""
        listed, cursor = [], None
        while True:
            page: Any = await self._client.list_tools(**({"cursor": cursor} if cursor else {}))
            listed += page["tools"]
            cursor = page.get("next_cursor")
            if cursor is None:
                return [as_tool(one) for one in listed]

    async def waiting(self, asked: Sequence[Content]) -> list[dict[str, Any]]:
        """Makes the calls that the agent paused for, and says which of them wait for people, with the reason and the link."""
        calls = [one.function_call for one in asked if one.function_call is not None]
        results = await asyncio.gather(*[self._send(call.id or call.call_id, call.name, call.parse_arguments()) for call in calls])
        return [result for result in results if result["status"] in WAITING]

    def answer(self, asked: Sequence[Content]) -> Message:
        """Lets the agent go on. Whether a call has run is what the gateway says: one that was denied is told so."""
        return Message(role="user", contents=[one.to_function_approval_response(approved=True) for one in asked])

    async def process(self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]) -> None:
        if not (context.function.additional_properties or {}).get("toolgate"):
            return await call_next()
        # The id of the model may come again in its next answer; that of the framework does not.
        id = context.metadata.get("function_call_occurrence_id") or context.metadata["call_id"]
        arguments = dict(context.arguments)
        result = await self._send(id, context.function.name, arguments)
        while result["status"] in WAITING:
            await asyncio.sleep(LOOK_SECONDS)
            result = await self._send(id, context.function.name, arguments)
        context.result = told(result)

    async def _send(self, id: Any, name: Any, arguments: Any) -> dict[str, Any]:
        if self._run is None:
            made = await self._ask(lambda: self._client.create_run({"key": self._key}))
            self._run = made["run"]["id"]
        body: Any = {"calls": [{"id": id, "name": name, "arguments": dict(arguments or {})}]}
        said = await self._ask(lambda: self._client.call_tools(str(self._run), body, prefer="respond-async"))
        return said["results"][0]

    async def _ask(self, request: Callable[[], Awaitable[Any]]) -> Any:
        limit = time.monotonic() + self._patience
        while True:
            try:
                return await request()
            except (httpx.TransportError, GatewayError) as error:
                may_pass = not isinstance(error, GatewayError) or error.retry
                if not may_pass or time.monotonic() >= limit:
                    raise GatewayFault(f"the gateway was not reached, or refused: {error}") from error
            await asyncio.sleep(RETRY_SECONDS)


def as_tool(listed: Any) -> FunctionTool:
    definition = listed["definition"]
    return FunctionTool(
        name=listed["wire_name"],
        description=definition.get("description", ""),
        input_model=definition["inputSchema"],
        approval_mode="never_require" if listed.get("approval", "never") == "never" else "always_require",
        additional_properties={"toolgate": True},
        func=alone,
    )


async def alone(**_: Any) -> str:
    raise GatewayFault("give the Gate to the agent as well: Agent(…, middleware=[gate])")


def told(result: dict[str, Any]) -> str:
    """What the model hears."""
    data, error = result.get("data") or {}, result.get("error") or {}
    texts = [one["text"] for one in data.get("content", []) if one.get("type") == "text"]
    texts += [str(error[key]) for key in ("message", "why", "hint") if error.get(key)]
    return "\n".join(texts) if texts else json.dumps(data)
