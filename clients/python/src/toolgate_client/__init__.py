"""A thin client of a Toolgate gateway."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx

from ._generated import VERSIONS, Answer, AsyncOperations, Event, Operations, Words

__all__ = ["AsyncToolgate", "Event", "GatewayError", "GatewayTooNew", "GatewayTooOld", "Toolgate"]

TIMEOUT_SECONDS = 600.0
#: How an answer to a token says the gateway's version.
VERSION_HEADER = "toolgate-version"
FITTING = tuple(int(part) for part in VERSIONS.split("."))


class GatewayError(Exception):
    """A refusal, as the gateway says it."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        self.status = status
        self.problem = problem
        self.code = str(problem.get("code", ""))
        self.retry = bool(problem.get("retry"))
        hint = problem.get("hint")
        said = str(problem.get("detail") or problem.get("title") or f"the gateway answered {status}")
        super().__init__(f"{said}\nhint: {hint}" if hint else said)


class GatewayTooOld(GatewayError):
    """The gateway's version is before those that this client was made for."""


class GatewayTooNew(GatewayError):
    """The gateway's version is after those that this client was made for."""


class Toolgate(Operations):
    """The gateway at an address, for callers that wait."""

    def __init__(self, url: str, token: str, *, timeout: float = TIMEOUT_SECONDS) -> None:
        self._client = httpx.Client(base_url=address(url), headers=bearer(token), timeout=timeout)

    def __enter__(self) -> Toolgate:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._client.close()

    def _send(self, method: str, path: str, query: Words, headers: Words, body: Any) -> Answer:
        response = self._client.request(method, path, **given(query, headers, body))
        check_version(response)
        if response.is_error:
            raise error_of(response)
        return response

    def _follow(self, path: str, query: Words) -> Iterator[Event]:
        with self._client.stream("GET", path, **given(query, {}, None), timeout=None) as response:
            check_version(response)
            if response.is_error:
                response.read()
                raise error_of(response)
            lines: list[str] = []
            for line in response.iter_lines():
                event = taken(lines, line)
                if event is not None:
                    yield event


class AsyncToolgate(AsyncOperations):
    """The gateway at an address, for callers that await."""

    def __init__(self, url: str, token: str, *, timeout: float = TIMEOUT_SECONDS) -> None:
        self._client = httpx.AsyncClient(base_url=address(url), headers=bearer(token), timeout=timeout)

    async def __aenter__(self) -> AsyncToolgate:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._client.aclose()

    async def _send(self, method: str, path: str, query: Words, headers: Words, body: Any) -> Answer:
        response = await self._client.request(method, path, **given(query, headers, body))
        check_version(response)
        if response.is_error:
            raise error_of(response)
        return response

    async def _follow(self, path: str, query: Words) -> AsyncIterator[Event]:
        async with self._client.stream("GET", path, **given(query, {}, None), timeout=None) as response:
            check_version(response)
            if response.is_error:
                await response.aread()
                raise error_of(response)
            lines: list[str] = []
            async for line in response.aiter_lines():
                event = taken(lines, line)
                if event is not None:
                    yield event


def address(url: str) -> str:
    return url.rstrip("/").removesuffix("/mcp")


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def given(query: Words, headers: Words, body: Any) -> dict[str, Any]:
    words: dict[str, Any] = {
        "params": {key: value for key, value in query.items() if value is not None},
        "headers": {key: str(value) for key, value in headers.items() if value is not None},
    }
    if isinstance(body, bytes):
        words["content"] = body
    elif body is not None:
        words["json"] = body
    return words


def check_version(response: httpx.Response) -> None:
    """Refuses a gateway of another version. An answer that names none is not refused."""
    said = response.headers.get(VERSION_HEADER, "")
    found = re.match(r"(\d+)\.(\d+)", said)
    if found is None:
        return
    version = (int(found[1]), int(found[2]))
    detail = f"the gateway has version {said}, and this toolgate-client was made for version {VERSIONS}"
    if version < FITTING:
        hint = f"update the gateway to version {VERSIONS}, or install the toolgate-client of its version"
        raise GatewayTooOld(response.status_code, {"detail": detail, "hint": hint})
    if version > FITTING:
        hint = "install the toolgate-client of the gateway's version: it lies in `clients/python` there"
        raise GatewayTooNew(response.status_code, {"detail": detail, "hint": hint})


def error_of(response: httpx.Response) -> GatewayError:
    try:
        problem = response.json()
    except ValueError:
        problem = {}
    return GatewayError(response.status_code, problem if isinstance(problem, dict) else {})


def taken(lines: list[str], line: str) -> Event | None:
    """Takes in one line of a stream; an empty one ends an event."""
    if line:
        lines.append(line)
        return None
    fields: dict[str, list[str]] = {}
    for one in lines:
        name, _, value = one.partition(":")
        fields.setdefault(name, []).append(value.removeprefix(" "))
    lines.clear()
    if "data" not in fields:
        return None
    data = "\n".join(fields["data"])
    try:
        decoded: Any = json.loads(data)
    except ValueError:
        decoded = data
    return {"event": fields.get("event", ["message"])[-1], "id": fields.get("id", [None])[-1], "data": decoded}
