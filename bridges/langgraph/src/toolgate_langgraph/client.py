"""The gateway over HTTP: one way to ask, for graphs that wait and for graphs that await.

What is asked is written once, as a generator that yields requests and pauses. `Gateway.run` and `Gateway.arun` carry it out.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Generator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import quote
from weakref import WeakKeyDictionary

import httpx

from . import errors, progress

JSON = dict[str, Any]
T = TypeVar("T")

#: Versions of the gateway that this package was made for.
VERSIONS = "0.1"
FITTING = tuple(int(part) for part in VERSIONS.split("."))
#: How an answer to a token says the gateway's version.
VERSION_HEADER = "toolgate-version"
#: Calls are made with `Prefer: respond-async`, so only the tools themselves take time.
TIMEOUT_SECONDS = 600.0
CONNECT_SECONDS = 10.0
#: Refusals that pass by themselves.
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass(frozen=True)
class Ask:
    """One request."""

    method: str
    path: str
    body: JSON | None = None
    query: dict[str, str] = field(default_factory=dict)
    #: Another token than the node's: that of the person who resumes the graph.
    token: str | None = None
    #: What is heard while the answer is awaited.
    watch: progress.Watch | None = None


@dataclass(frozen=True)
class Pause:
    """Nothing for a while."""

    seconds: float


@dataclass(frozen=True)
class Answer:
    """A JSON answer with its status."""

    status: int
    body: JSON


Steps = Generator[Ask | Pause, Answer, T]


class Gateway:
    """A gateway and the token to call it with.

    Nothing is sent before the first call.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float = TIMEOUT_SECONDS,
        transport: httpx.BaseTransport | None = None,
        async_transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.url = url.rstrip("/").removesuffix("/mcp")
        self._token = token
        self._timeout = httpx.Timeout(timeout, connect=CONNECT_SECONDS)
        self._transport = transport
        self._async_transport = async_transport
        self._client: httpx.Client | None = None
        # A connection belongs to the event loop that opened it.
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = WeakKeyDictionary()

    def __repr__(self) -> str:
        return f"Gateway({self.url!r})"

    def run(self, steps: Steps[T]) -> T:
        """Carries out steps and waits for them."""
        said: Answer | errors.ToolgateError | None = None
        while True:
            try:
                step = following(steps, said)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            if isinstance(step, Pause):
                time.sleep(step.seconds)
                said = None
                continue
            try:
                with self._beside(step.watch):
                    said = self._send(step)
            except errors.ToolgateError as error:
                said = error

    async def arun(self, steps: Steps[T]) -> T:
        """Carries out steps."""
        said: Answer | errors.ToolgateError | None = None
        while True:
            try:
                step = following(steps, said)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
                said = None
                continue
            try:
                async with self._abeside(step.watch):
                    said = await self._asend(step)
            except errors.ToolgateError as error:
                said = error

    def close(self) -> None:
        """Closes the connections of graphs that wait."""
        if self._client is not None:
            self._client.close()
            self._client = None

    async def aclose(self) -> None:
        """Closes the connections of this event loop."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()

    def _send(self, ask: Ask) -> Answer:
        if self._client is None:
            self._client = httpx.Client(timeout=self._timeout, transport=self._transport)
        try:
            return read(self._client.send(self._request(ask)))
        except httpx.HTTPError as error:
            raise unreachable(self.url, error) from error

    async def _asend(self, ask: Ask) -> Answer:
        try:
            return read(await self._aclient().send(self._request(ask)))
        except httpx.HTTPError as error:
            raise unreachable(self.url, error) from error

    def _aclient(self) -> httpx.AsyncClient:
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            client = httpx.AsyncClient(timeout=self._timeout, transport=self._async_transport)
            self._clients[loop] = client
        return client

    def _beside(self, watch: progress.Watch | None) -> AbstractContextManager[None]:
        """Hears of progress meanwhile. A transport of the caller's own leads its own way, which a thread does not know."""
        if watch is None or self._transport is not None:
            return nullcontext()
        return progress.InThread(self._events(watch.run), watch.hear)

    def _abeside(self, watch: progress.Watch | None) -> AbstractAsyncContextManager[None]:
        if watch is None:
            return nullcontext()
        return progress.beside(self._aclient(), self._events(watch.run), watch.hear)

    def _events(self, run: str) -> httpx.Request:
        """What happens in a run from now on."""
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "text/event-stream"}
        extensions = {"timeout": progress.TIMEOUT.as_dict()}
        url = f"{self.url}/runs/{quote(run, safe='')}/events"
        return httpx.Request("GET", url, params={"after": "now"}, headers=headers, extensions=extensions)

    def _request(self, ask: Ask) -> httpx.Request:
        headers = {"Authorization": f"Bearer {ask.token or self._token}", "Prefer": "respond-async"}
        extensions = {"timeout": self._timeout.as_dict()}
        url = f"{self.url}{ask.path}"
        return httpx.Request(
            ask.method, url, params=ask.query or None, json=ask.body, headers=headers, extensions=extensions
        )


def following(steps: Steps[T], said: Answer | errors.ToolgateError | None) -> Ask | Pause:
    """The next step. Some refusals are answers to what was asked: the steps see them first."""
    match said:
        case None:
            return next(steps)
        case Answer():
            return steps.send(said)
        case error:
            return steps.throw(error)


def unreachable(url: str, error: httpx.HTTPError) -> errors.GatewayUnreachable:
    return errors.GatewayUnreachable(
        f"the gateway at {url} was not reached: {type(error).__name__}: {error}",
        hint="run the node again, for example with a RetryPolicy: calls that ran are not made again",
    )


def read(response: httpx.Response) -> Answer:
    """The answer, or the error that it is."""
    check_version(response)
    try:
        body = response.json() if response.content else {}
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise strange(response)
    if response.status_code >= 400:
        raise refused(response.status_code, body)
    return Answer(response.status_code, body)


def check_version(response: httpx.Response) -> None:
    """Refuses a gateway of another version, before its answer is understood wrongly. An answer that names none is not refused."""
    said = response.headers.get(VERSION_HEADER, "")
    found = re.match(r"(\d+)\.(\d+)", said)
    if found is None:
        return
    version = (int(found[1]), int(found[2]))
    message = f"the gateway at {response.request.url.host} has version {said}, and this toolgate-langgraph was made for version {VERSIONS}"
    if version < FITTING:
        raise errors.GatewayTooOld(message, hint=f"update the gateway to version {VERSIONS}, or install the toolgate-langgraph of its version")
    if version > FITTING:
        raise errors.GatewayTooNew(message, hint="install the toolgate-langgraph of the gateway's version: it lies in `bridges/langgraph` there")


def strange(response: httpx.Response) -> errors.ToolgateError:
    said = f"{response.request.url} answered {response.status_code} with something that is no JSON object"
    if response.status_code in PASSING:
        return errors.GatewayUnreachable(said, hint="something between the graph and the gateway answered", status=response.status_code)
    return errors.RequestRefused(said, hint="the address must be that of a Toolgate gateway", status=response.status_code)


def refused(status: int, problem: JSON) -> errors.ToolgateError:
    """The error for an answer of kind `application/problem+json`."""
    code = str(problem.get("code", ""))
    message = str(problem.get("detail") or problem.get("title") or f"the gateway answered {status}")
    hint = str(problem.get("hint", ""))
    kind: type[errors.ToolgateError] = errors.RequestRefused
    if code == "field_unknown" and problem.get("field") in ("key", "calls", "parallel_max"):
        kind = errors.GatewayTooOld
        hint = f"this package needs a gateway of version {VERSIONS} that knows runs by key; update the gateway, or name a run in configurable `toolgate_run`"
    elif status in (401, 403):
        kind = errors.TokenRefused
        hint = hint or "give the node a live token: `toolgate token create --role agent` makes one"
    elif code in ("unknown_run", "run_ended", "session_closed") or status == 410:
        kind = errors.RunGone
        hint = f"{hint}; a thread whose run has ended needs a new thread, or another run in configurable `toolgate_run`".lstrip("; ")
    elif status == 404 and not code:
        kind = errors.GatewayTooOld
        hint = f"the address must be that of a Toolgate gateway of version {VERSIONS}"
    elif status in PASSING:
        kind = errors.GatewayUnreachable
    return kind(message, hint=hint, code=code, status=status)


def member(body: JSON, *path: str) -> Any:
    """A member that every gateway of these versions sends."""
    value: Any = body
    for key in path:
        if not isinstance(value, dict) or key not in value:
            raise errors.GatewayTooNew(
                f"the gateway's answer has no {'.'.join(path)}",
                hint=f"this package was made for gateways of version {VERSIONS}: update the package",
            )
        value = value[key]
    return value
