"""An agent as a Temporal workflow, whose tools stand behind a Toolgate gateway: one activity for each turn, no call twice.

Temporal starts an activity again when its worker dies, and whatever it did happens again. Here the ids of calls follow from
workflow, activity and index, so an activity that starts again is answered with what the gateway has recorded. Where people must
agree the activity fails and is tried again later: a workflow waits for days without a worker that waits.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from datetime import timedelta
from typing import Any

from temporalio import activity, workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ApplicationError

with workflow.unsafe.imports_passed_through():
    import httpx

#: Longer than the slowest tool.
TURN_SECONDS = 600
#: A worker that is silent for this long is dead, and another one takes the turn up.
BEAT_SECONDS = 10
LOOK_SECONDS = 2
TURNS_MAX = 50
#: Ids and keys that are longer become a digest.
ID_CHARS_MAX = 200
WAITING = frozenset({"pending_approval", "pending_input"})
#: Refusals of a call that may be sent again as it is.
PASSING = frozenset({"call_running", "shutting_down", "store_down", "ledger_down"})
#: Refusals of a request that pass by themselves.
PASSING_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})


@activity.defn
async def make_turn(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Makes all calls of one answer of a model, each `{"name", "arguments"}`; the gateway's results are in their order."""
    beating = asyncio.create_task(beat())
    try:
        return await made(activity.info(), calls)
    finally:
        beating.cancel()


async def beat() -> None:
    while True:
        activity.heartbeat()
        await asyncio.sleep(BEAT_SECONDS / 4)


async def made(about: activity.Info, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    run = (await ask("/runs", {"key": short(f"temporal:{about.workflow_id}")}))["run"]["id"]
    ids = [short(f"{about.workflow_id}.{about.activity_id}.{index}") for index in range(len(calls))]
    body = {"calls": [{"id": id, **call} for id, call in zip(ids, calls, strict=True)]}
    results: list[dict[str, Any]] = (await ask(f"/runs/{run}/tool-calls", body))["results"]
    for result in results:
        code = (result.get("error") or {}).get("code")
        if result["status"] in WAITING or code in PASSING:
            raise later(f"{result['id']}: {code or result['status']}", result.get("approval_id"))
    return results


async def ask(path: str, body: dict[str, Any]) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {os.environ['TOOLGATE_TOKEN']}", "Prefer": "respond-async"}
    async with httpx.AsyncClient(base_url=os.environ["TOOLGATE_URL"], headers=headers, timeout=TURN_SECONDS) as client:
        try:
            response = await client.post(path, json=body)
        except httpx.TransportError as error:
            raise later(f"the gateway was not reached: {type(error).__name__}: {error}") from error
    if response.status_code in PASSING_STATUS:
        raise later(f"the gateway answered {response.status_code}")
    said: dict[str, Any] = response.json()
    if response.is_error:
        raise ApplicationError(f"{said.get('detail')} hint: {said.get('hint')}", said.get("code"), non_retryable=True)
    return said


def later(why: str, *details: Any) -> ApplicationError:
    return ApplicationError(why, *details, type="Waiting", next_retry_delay=timedelta(seconds=LOOK_SECONDS))


def short(id: str) -> str:
    fits = id.isprintable() and len(id) <= ID_CHARS_MAX
    return id if fits else hashlib.sha256(id.encode()).hexdigest()


async def turn(number: int, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A turn in a workflow. A number names one turn, also when the workflow continues as new."""
    return await workflow.execute_activity(
        make_turn,
        calls,
        activity_id=f"turn-{number}",
        start_to_close_timeout=timedelta(seconds=TURN_SECONDS),
        heartbeat_timeout=timedelta(seconds=BEAT_SECONDS),
        retry_policy=RetryPolicy(maximum_interval=timedelta(seconds=LOOK_SECONDS)),
    )


@workflow.defn
class Agent:
    """A loop around a model: `ask_model` is an activity of yours, from messages to `{"text", "calls"}`."""

    @workflow.run
    async def run(self, goal: str) -> str:
        messages: list[dict[str, Any]] = [{"role": "user", "content": goal}]
        for number in range(TURNS_MAX):
            answer: dict[str, Any] = await workflow.execute_activity(
                "ask_model", messages, start_to_close_timeout=timedelta(seconds=TURN_SECONDS)
            )
            if not answer["calls"]:
                return str(answer["text"])
            results = await turn(number, answer["calls"])
            messages += [{"role": "assistant", **answer}, {"role": "tool", "content": results}]
        raise ApplicationError("the model does not come to an end", non_retryable=True)
