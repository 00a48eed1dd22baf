"""What is asked of the gateway for one turn of a model: the run of the thread, the calls, and what people must say."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from langchain_core.messages import ToolCall

from . import errors
from .client import JSON, Ask, Pause, Steps, member
from .ids import Place
from .progress import Hear, Watch

#: The pause between two looks at what people decide, in seconds: it grows up to the second.
LOOK_SECONDS = (0.2, 5.0)
#: A gateway refuses more at once.
CALLS_MAX = 128
#: Of pages with tools.
PAGES_MAX = 100
WAITING = frozenset({"pending_approval", "pending_input"})

#: Told of each call, of waiting, and of each result.
Tell = Callable[[JSON], None]


@dataclass(frozen=True)
class Waiting:
    """A call that waits for people: an approval, or an answer."""

    kind: str
    id: str
    call: ToolCall
    #: The approval or the question, as the gateway shows it.
    shown: JSON = field(default_factory=dict)
    #: True if the newest attempt of the call was the one that asked: nobody can have answered it before.
    is_new: bool = False


def run_of(place: Place, known: dict[str, str]) -> Steps[str]:
    """The run that a graph's calls belong to: a named one, that of a named session, or one for each thread, made once."""
    if place.run is not None:
        return place.run
    if place.session is not None:
        shown = yield Ask("GET", f"/sessions/{quote(place.session, safe='')}")
        run = shown.body.get("run")
        if run is None:
            raise errors.RequestRefused(
                f"session {place.session} belongs to no run",
                hint="name a session of a run in configurable `toolgate_session`, or a run in `toolgate_run`, or neither",
            )
        return str(run)
    key = place.run_key()
    name = key or ""
    if name not in known:
        made = yield Ask("POST", "/runs", {} if key is None else {"key": key})
        known[name] = str(member(made.body, "run", "id"))
    return known[name]


def make(run: str, calls: Sequence[tuple[str, ToolCall]], hear: Hear | None = None) -> Steps[list[JSON]]:
    """Makes calls under their ids, or reads what became of them. `hear` is told of their progress."""
    results: list[JSON] = []
    watch = None if hear is None else Watch(run, hear)
    for start in range(0, len(calls), CALLS_MAX):
        part = calls[start : start + CALLS_MAX]
        body = {"calls": [{"id": id, "name": call["name"], "arguments": call["args"]} for id, call in part]}
        answer = yield Ask("POST", f"/runs/{quote(run, safe='')}/tool-calls", body, watch=watch)
        found = member(answer.body, "results")
        if not isinstance(found, list) or len(found) != len(part):
            raise errors.GatewayTooNew("the gateway did not answer each call", hint="update the package")
        results.extend(found)
    return [settled(result) for result in results]


def settled(result: JSON) -> JSON:
    """A result for the model; or an error, if the call may be sent again as it is."""
    error = result.get("error") or {}
    code = error.get("code")
    if code in ("run_ended", "session_closed", "unknown_run"):
        raise errors.RunGone(
            str(error.get("message")),
            hint="a thread whose run has ended needs a new thread, or another run in configurable `toolgate_run`",
            code=str(code),
        )
    if code in ("call_running", "shutting_down", "store_down", "ledger_down"):
        raise errors.GatewayUnreachable(str(error.get("message")), hint=str(error.get("hint", "")), code=str(code))
    return result


def waits(result: JSON) -> tuple[str, str] | None:
    """The kind and the id of what a result waits for."""
    if result.get("status") == "pending_approval" and result.get("approval_id"):
        return "approval", str(result["approval_id"])
    if result.get("status") == "pending_input":
        data = result.get("data") or {}
        inside = data.get("structuredContent") or data
        if inside.get("input_id"):
            return "question", str(inside["input_id"])
    return None


def waiting(calls: Sequence[tuple[str, ToolCall]], results: Sequence[JSON]) -> Steps[list[Waiting]]:
    """The calls that wait for people, with what people are asked."""
    found = []
    for (_, call), result in zip(calls, results, strict=True):
        held = waits(result)
        if held is None:
            continue
        kind, id = held
        folder = "approvals" if kind == "approval" else "inputs"
        shown = yield Ask("GET", f"/{folder}/{quote(id, safe='')}")
        asked_by = shown.body.get("call")
        found.append(Waiting(kind, id, call, shown.body, asked_by is not None and asked_by == result.get("tool_call_id")))
    return found


def wait(
    run: str, calls: Sequence[tuple[str, ToolCall]], tell: Tell, limit: float | None, hear: Hear | None = None
) -> Steps[list[JSON]]:
    """Makes calls, and waits until people have decided on all of them."""
    began, pause = time.monotonic(), LOOK_SECONDS[0]
    results = yield from make(run, calls, hear)
    while any(waits(result) for result in results):
        waited = time.monotonic() - began
        if limit is not None and waited >= limit:
            return results
        tell({"run": run, "state": "waiting", "seconds": round(waited, 1), "for": [id for _, id in filter(None, map(waits, results))]})
        yield Pause(pause if limit is None else min(pause, max(0.01, limit - waited)))
        pause = min(pause * 1.5, LOOK_SECONDS[1])
        open_ = yield from waiting(calls, results)
        if all(one.shown.get("state") == "pending" for one in open_):
            continue
        results = yield from make(run, calls, hear)
    return results


def tools(query: dict[str, str] | None = None) -> Steps[list[JSON]]:
    """The tools that the token, or a session, sees."""
    found: list[JSON] = []
    cursor: dict[str, str] = {}
    for _ in range(PAGES_MAX):
        page = yield Ask("GET", "/tools", query={"limit": "200", **(query or {}), **cursor})
        found.extend(member(page.body, "tools"))
        if not page.body.get("next_cursor"):
            break
        cursor = {"cursor": str(page.body["next_cursor"])}
    return found


def checkpoint(run: str, name: str, state: Any) -> Steps[JSON]:
    """Saves a state with the run, under a name that has one state."""
    call: ToolCall = {"name": "run__checkpoint", "args": {"run_id": run, "state": state, "checkpoint_id": name}, "id": name, "type": "tool_call"}
    results = yield from make(run, [(f"checkpoint.{name}"[:200], call)])
    error = results[0].get("error")
    if error or results[0].get("status") != "succeeded":
        said = error or {"message": f"the state was not saved: {results[0].get('status')}"}
        raise errors.RequestRefused(
            str(said.get("message")),
            hint=str(said.get("hint") or 'give the agent `capabilities = ["run"]`'),
            code=str(said.get("code", "")),
        )
    return results[0]
