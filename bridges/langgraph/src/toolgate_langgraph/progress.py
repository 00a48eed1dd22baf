"""What tools say of their progress, heard while the gateway makes a turn's calls.

The gateway tells it among the live events of a run and keeps nothing of it. So it is followed from the moment before the calls are
made to their end, and only for a stream that somebody reads. Whatever goes wrong here goes wrong here alone: a turn needs none of it.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from threading import Event, Thread
from typing import Any

import httpx

Report = dict[str, Any]
#: Told of each report of a call.
Hear = Callable[[Report], None]

#: The name of the event.
NAME = "tool.call.progress"
#: The longest wait for the stream before the calls are made without it.
OPEN_SECONDS = 1.0
#: The longest wait for its end.
END_SECONDS = 5.0
#: A gateway breaks the silence more often.
TIMEOUT = httpx.Timeout(60.0, connect=10.0)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Watch:
    """The run whose calls report, and who is told."""

    run: str
    hear: Hear


def is_read(write: object) -> bool:
    """Whether somebody reads the graph's custom stream. Without a reader, what LangGraph gives is a function that refers to nothing."""
    code = getattr(write, "__code__", None)
    return code is None or bool(code.co_names or code.co_freevars)


async def follow(client: httpx.AsyncClient, request: httpx.Request, hear: Hear, opened: Callable[[], None]) -> None:
    """Tells what is reported from now on. Ends with the stream, or when it is cancelled."""
    try:
        response = await client.send(request, stream=True)
        try:
            response.raise_for_status()
            opened()
            async for report in reports(response.aiter_text()):
                hear(report)
        finally:
            await response.aclose()
    except Exception:
        log.debug("progress is not heard any more", exc_info=True)
    finally:
        opened()


async def reports(texts: AsyncIterator[str]) -> AsyncIterator[Report]:
    """The reports among server-sent events."""
    rest = ""
    async for text in texts:
        *blocks, rest = (rest + text).split("\n\n")
        for block in blocks:
            fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
            if fields.get("event") == NAME:
                yield json.loads(fields["data"])


@asynccontextmanager
async def beside(client: httpx.AsyncClient, request: httpx.Request, hear: Hear) -> AsyncIterator[None]:
    """Follows in a task, for graphs that await."""
    opened = asyncio.Event()
    task = asyncio.create_task(follow(client, request, hear, opened.set))
    try:
        try:
            await asyncio.wait_for(opened.wait(), OPEN_SECONDS)
        except TimeoutError:
            log.debug("the calls are made before progress can be heard")
        yield
    finally:
        task.cancel()
        await asyncio.wait({task}, timeout=END_SECONDS)


class InThread:
    """Follows in a thread, for graphs that wait. The thread has an event loop, since only there can reading be ended at any time."""

    def __init__(self, request: httpx.Request, hear: Hear) -> None:
        self._request = request
        self._hear = hear
        self._opened = Event()
        self._is_over = False
        self._end: Callable[[], None] | None = None
        # The stream's writer finds its graph by the context.
        self._thread = Thread(target=copy_context().run, args=(self._work,), name="toolgate-progress", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()
        self._opened.wait(OPEN_SECONDS)

    def __exit__(self, *_: object) -> None:
        self._is_over = True
        if self._end is not None:
            self._end()
        self._thread.join(END_SECONDS)

    def _work(self) -> None:
        try:
            asyncio.run(self._follow())
        except (Exception, asyncio.CancelledError):
            log.debug("progress is not heard any more", exc_info=True)
        finally:
            self._opened.set()

    async def _follow(self) -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        self._end = partial(end, loop, task)
        if self._is_over:
            return
        async with httpx.AsyncClient() as client:
            await follow(client, self._request, self._tell, self._opened.set)

    def _tell(self, report: Report) -> None:
        if not self._is_over:
            self._hear(report)


def end(loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any]) -> None:
    """Ends a task of another thread."""
    try:
        loop.call_soon_threadsafe(task.cancel)
    except RuntimeError:
        log.debug("it has ended already")
