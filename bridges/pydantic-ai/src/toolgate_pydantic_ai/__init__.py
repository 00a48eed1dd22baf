"""A hook for Pydantic AI: calls go through a Toolgate gateway, once each, and wait for people as deferred tools."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import httpx
from pydantic_ai import ApprovalRequired, CallDeferred, DeferredToolRequests, DeferredToolResults, ModelRetry, RunContext
from pydantic_ai.messages import ModelResponse, ToolCallPart

__all__ = ["GatewayFault", "Governed"]

TIMEOUT_SECONDS = 600.0
#: Refusals that a model can mend.
MENDABLE = frozenset({"invalid", "tool_error", "not_called"})
#: Refusals of a call that may be sent again as it is.
PASSING = frozenset({"call_running", "shutting_down", "store_down", "ledger_down"})
#: Refusals of a vote because the matter is settled: what the gateway says then counts.
SETTLED = frozenset({404, 409, 410})

JSON = dict[str, Any]


class GatewayFault(Exception):
    """The gateway was not reached, or refused the request as a whole. The agent may run again: calls keep their ids."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class Governed:
    """`process_tool_call` of an `MCPToolset`.

    Args:
        url: The gateway's address.
        token: A token of role `agent`, the same as that of the toolset.
        key: The key of the run for a context, such as the id of a conversation; the same key has the same run.
    """

    def __init__(self, url: str, token: str, *, key: Callable[[RunContext[Any]], str]) -> None:
        self.url = url.rstrip("/").removesuffix("/mcp")
        self._token = token
        self._key = key
        self._runs: dict[str, str] = {}

    async def __call__(self, ctx: RunContext[Any], call_tool: Any, name: str, tool_args: dict[str, Any]) -> Any:
        place, proposed = proposal(ctx)
        async with self._client() as client:
            run = await self._run(client, self._key(ctx))
            if ctx.tool_call_approved and proposed is not None and proposed != tool_args:
                await override(client, ctx.tool_call_metadata or {}, tool_args)
                tool_args = proposed
            made = {"run_id": run, "call_id": f"{place}.{ctx.tool_call_id}", "name": name}
            return told(await make(client, made, tool_args), made)

    async def decided(self, requests: DeferredToolRequests) -> DeferredToolResults | None:
        """What the agent goes on with once people have decided on everything and answered everything; None until then."""
        results = DeferredToolResults()
        async with self._client() as client:
            for call in requests.approvals:
                about = requests.metadata.get(call.tool_call_id) or {}
                if "approval_id" in about:
                    if not await settled(client, f"/approvals/{about['approval_id']}"):
                        return None
                    results.approvals[call.tool_call_id] = True
            for call in requests.calls:
                about = requests.metadata.get(call.tool_call_id) or {}
                if "input_id" in about:
                    if not await settled(client, f"/inputs/{about['input_id']}"):
                        return None
                    results.calls[call.tool_call_id] = await answered(client, about, call)
        return results

    def _client(self) -> httpx.AsyncClient:
        headers = {"Authorization": f"Bearer {self._token}", "Prefer": "respond-async"}
        return httpx.AsyncClient(base_url=self.url, headers=headers, timeout=TIMEOUT_SECONDS)

    async def _run(self, client: httpx.AsyncClient, key: str) -> str:
        if key not in self._runs:
            made = await ask(client, "POST", "/runs", {"key": key})
            self._runs[key] = made["run"]["id"]
        return self._runs[key]


def proposal(ctx: RunContext[Any]) -> tuple[int, JSON | None]:
    """Which answer of the model made the call, and the arguments that it gave. Some providers begin their ids anew in each answer."""
    answers = [message for message in ctx.messages if isinstance(message, ModelResponse)]
    for place in reversed(range(len(answers))):
        for part in answers[place].parts:
            if isinstance(part, ToolCallPart) and part.tool_call_id == ctx.tool_call_id:
                return place, part.args_as_dict()
    return len(answers), None


async def make(client: httpx.AsyncClient, made: JSON, arguments: JSON) -> JSON:
    """Makes a call under its id, or reads what became of it."""
    call = {"id": made["call_id"], "name": made["name"], "arguments": arguments}
    answer = await ask(client, "POST", f"/runs/{made['run_id']}/tool-calls", {"calls": [call]})
    result: JSON = answer["results"][0]
    error = result.get("error") or {}
    if error.get("code") in PASSING:
        raise GatewayFault(f"{error.get('message')}\nhint: {error.get('hint')}")
    return result


async def override(client: httpx.AsyncClient, about: JSON, arguments: JSON) -> None:
    """Other arguments are the vote of the person who gives them, with that person's own token."""
    approval, token = about.get("approval_id"), about.get("approver_token")
    if not approval or not token:
        raise GatewayFault(
            "arguments were overridden, and nobody's token came with them\n"
            "hint: give `DeferredToolResults` the metadata {tool_call_id: {\"approval_id\": …, \"approver_token\": …}}, with a token of role approver"
        )
    shown = await ask(client, "GET", f"/approvals/{quote(approval, safe='')}")
    if shown.get("state") != "pending":
        return
    vote = {"decision": "edit", "arguments": arguments, "effective": shown["effective"]}
    try:
        await ask(client, "POST", f"/approvals/{quote(approval, safe='')}/decide", vote, token)
    except GatewayFault as fault:
        if fault.status not in SETTLED:
            raise


async def settled(client: httpx.AsyncClient, path: str) -> bool:
    shown = await ask(client, "GET", path)
    return bool(shown.get("state") != "pending")


async def answered(client: httpx.AsyncClient, about: JSON, call: ToolCallPart) -> Any:
    try:
        return told(await make(client, about, call.args_as_dict()), about)
    except ModelRetry as retry:
        return retry


async def ask(client: httpx.AsyncClient, method: str, path: str, body: JSON | None = None, token: str | None = None) -> JSON:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    try:
        response = await client.request(method, path, json=body, headers=headers)
        said: JSON = response.json()
    except (httpx.HTTPError, ValueError) as error:
        raise GatewayFault(f"the gateway was not reached: {type(error).__name__}: {error}") from error
    if response.is_error:
        raise GatewayFault(f"{said.get('detail')}\nhint: {said.get('hint')}", response.status_code)
    return said


def told(result: JSON, made: JSON) -> Any:
    """What the model gets; or what the agent does instead."""
    status, error, data = result["status"], result.get("error") or {}, result.get("data") or {}
    about = {**{key: made[key] for key in ("run_id", "call_id", "name")}, "status": status}
    if status == "pending_approval":
        why = {key: error[key] for key in ("why", "decides", "until", "link") if key in error}
        raise ApprovalRequired(metadata={**about, "approval_id": result.get("approval_id"), **why})
    if status == "pending_input":
        inside = data.get("structuredContent") or data
        raise CallDeferred(metadata={**about, "input_id": inside["input_id"]})
    texts = [one.get("text", "") for one in data.get("content", []) if one.get("type") == "text"]
    if error or data.get("isError"):
        said = "\n".join([*texts, *[str(error[key]) for key in ("message", "hint") if error.get(key)]])
        if status in MENDABLE:
            raise ModelRetry(said)
        return said
    if data.get("structuredContent") is not None:
        return data["structuredContent"]
    return "\n".join(texts) if texts else json.dumps(data)
