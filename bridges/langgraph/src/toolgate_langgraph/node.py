"""`MCPToolNode`: the calls of a turn, made by the gateway, once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, cast

from langchain_core.messages import AIMessage, AnyMessage, ToolCall, ToolMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.config import get_stream_writer
from langgraph.runtime import get_runtime
from langgraph.types import interrupt

from . import people, turn
from .client import JSON, Gateway, Steps
from .ids import Place
from .messages import message
from .progress import Hear, Report, is_read

Approvals = Literal["interrupt", "wait", "return"]
#: The form in which calls came, which is the form of the result.
InputKind = Literal["list", "dict", "tool_calls"]
Call = tuple[str, ToolCall]


class MCPToolNode(Runnable[Any, Any]):
    """A node that makes the tool calls of the last message through a Toolgate gateway.

    It takes what LangGraph's `ToolNode` takes: a state with messages, a list of messages, a list of tool calls, or what `Send`
    gives to one call. All calls of a turn are one request. Their ids follow from thread, checkpoint namespace and tool call, so a
    node that runs again, after an interrupt, a crash or a retry, reads results and makes no call twice.

    Args:
        gateway: The gateway, or its address with `token`.
        token: A token of role `agent`.
        approvals: `interrupt` pauses the graph where people must say something, once for all calls of the turn. `wait` waits in
            the node. `return` gives the model a message that says what the call waits for.
        wait_seconds: The longest wait; after it the model gets that message.
        messages_key: The key of the messages in the state.
    """

    def __init__(
        self,
        gateway: Gateway | str,
        token: str | None = None,
        *,
        approvals: Approvals = "interrupt",
        wait_seconds: float | None = None,
        messages_key: str = "messages",
        name: str = "tools",
    ) -> None:
        if isinstance(gateway, str):
            if token is None:
                raise ValueError("an address needs a token: MCPToolNode(url, token)")
            gateway = Gateway(gateway, token)
        if approvals not in ("interrupt", "wait", "return"):
            raise ValueError(f"approvals is interrupt, wait or return, not {approvals!r}")
        self.gateway = gateway
        self.approvals: Approvals = approvals
        self.wait_seconds = wait_seconds
        self.messages_key = messages_key
        self.name = name
        self._runs: dict[str, str] = {}

    # ------------------------------------------------------------------------------------------------------- as a node

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        calls, kind = self._parse(input)
        return self._combine(self.call(calls, config), kind)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        calls, kind = self._parse(input)
        return self._combine(await self.acall(calls, config), kind)

    # ------------------------------------------------------------------------------------------------ calls by themselves

    def call(self, calls: Sequence[ToolCall], config: RunnableConfig | None = None) -> list[ToolMessage]:
        """Makes calls, and returns a message for each."""
        return self.gateway.run(self._turn(calls, config)) if calls else []

    async def acall(self, calls: Sequence[ToolCall], config: RunnableConfig | None = None) -> list[ToolMessage]:
        """Makes calls, and returns a message for each."""
        return await self.gateway.arun(self._turn(calls, config)) if calls else []

    def run_id(self, config: RunnableConfig | None = None) -> str:
        """The gateway's run for this thread."""
        config, context, _ = surroundings(config)
        return self.gateway.run(turn.run_of(Place.of(config, context), self._runs))

    async def arun_id(self, config: RunnableConfig | None = None) -> str:
        """The gateway's run for this thread."""
        config, context, _ = surroundings(config)
        return await self.gateway.arun(turn.run_of(Place.of(config, context), self._runs))

    def checkpoint(self, name: str, state: Any, config: RunnableConfig | None = None) -> JSON:
        """Saves a state with the run, which operators see: `run.checkpoint`. A name has one state."""
        return self.gateway.run(turn.checkpoint(self.run_id(config), name, state))

    async def acheckpoint(self, name: str, state: Any, config: RunnableConfig | None = None) -> JSON:
        """Saves a state with the run, which operators see: `run.checkpoint`. A name has one state."""
        return await self.gateway.arun(turn.checkpoint(await self.arun_id(config), name, state))

    # ---------------------------------------------------------------------------------------------------------- a turn

    def _turn(self, calls: Sequence[ToolCall], config: RunnableConfig | None) -> Steps[list[ToolMessage]]:
        config, context, tell = surroundings(config)
        place = Place.of(config, context)
        named = named_calls(place, calls)
        run = yield from turn.run_of(place, self._runs)
        tell_calling(tell, run, named)
        hear = hearing(run, named)
        said: dict[str, str] = {}
        if self.approvals == "wait":
            results = yield from turn.wait(run, named, tell, self.wait_seconds, hear)
        else:
            results = yield from turn.make(run, named, hear)
        if self.approvals == "interrupt":
            results, said = yield from asking_people(run, named, results, tell, hear, (config, context))
        tell_done(tell, run, named, results)
        return messages(named, results, said)

    # ------------------------------------------------------------------------------------------------------ in and out

    def _parse(self, input: Any) -> tuple[list[ToolCall], InputKind]:
        if isinstance(input, list):
            last = input[-1] if input else None
            if isinstance(last, dict) and last.get("type") == "tool_call":
                return cast("list[ToolCall]", input), "tool_calls"
            return calls_of(input), "list"
        if isinstance(input, dict) and input.get("__type") == "tool_call_with_context":
            return [input["tool_call"]], "tool_calls"
        if isinstance(input, dict) and input.get("type") == "tool_call":
            return [cast("ToolCall", input)], "tool_calls"
        if isinstance(input, dict):
            return calls_of(input.get(self.messages_key) or []), "dict"
        return calls_of(getattr(input, self.messages_key, None) or []), "dict"

    def _combine(self, made: list[ToolMessage], kind: InputKind) -> Any:
        return made if kind == "list" else {self.messages_key: made}


def asking_people(
    run: str,
    named: Sequence[Call],
    results: list[JSON],
    tell: turn.Tell,
    hear: Hear | None,
    around: tuple[RunnableConfig, Any],
) -> Steps[tuple[list[JSON], dict[str, str]]]:
    """Pauses the graph where results wait for people. On resume the gateway's state counts: a call that still waits pauses again."""
    waiting = yield from turn.waiting(named, results)
    if not waiting:
        return results, {}
    tell_waiting(tell, run, waiting)
    answer = people.newest(people.request(run, waiting))
    # A call whose tool, policy or state has changed since the interrupt asks under another id now. The answer is about what was
    # shown then, so it is no vote on what is asked only now.
    decided = people.decisions(answer, [one for one in waiting if not one.is_new])
    too_early = people.decisions(answer, [one for one in waiting if one.is_new])
    token = people.token_of(*around)
    votes = (yield from people.vote(decided, token)) if token else []
    results = yield from turn.make(run, named, hear)
    waiting = yield from turn.waiting(named, results)
    if waiting:
        interrupt(people.request(run, waiting, [*votes, *(people.unseen(one) for one, _ in too_early if token)]))
    return results, people.spoken(decided, votes) if votes else {}


def calls_of(messages: Sequence[AnyMessage]) -> list[ToolCall]:
    """The tool calls of the last message of the model that have no answer yet."""
    for number in range(len(messages) - 1, -1, -1):
        last = messages[number]
        if isinstance(last, AIMessage):
            answered = {one.tool_call_id for one in messages[number + 1 :] if isinstance(one, ToolMessage)}
            return [call for call in last.tool_calls if call.get("id") not in answered]
    raise ValueError("there is no message of a model whose tools could be called")


def named_calls(place: Place, calls: Sequence[ToolCall]) -> list[Call]:
    ids = place.call_ids([call.get("id") or "" for call in calls])
    return list(zip(ids, calls, strict=True))


def messages(named: Sequence[Call], results: Sequence[JSON], said: dict[str, str]) -> list[ToolMessage]:
    found = []
    for (_, call), result in zip(named, results, strict=True):
        details = (result.get("error") or {}).get("details") or {}
        approval = result.get("approval_id") or details.get("approval_id")
        found.append(message(call, result, said.get(str(approval))))
    return found


def surroundings(config: RunnableConfig | None) -> tuple[RunnableConfig, Any, turn.Tell]:
    """The configuration, the runtime's context and the way to the stream; outside of a graph there are none."""
    try:
        runtime = get_runtime()
        return config or {}, runtime.context, partial(tell_stream, get_stream_writer())
    except (RuntimeError, KeyError):
        return config or {}, None, lambda _: None


def tell_stream(write: Any, said: JSON) -> None:
    write({"toolgate": said})


def hearing(run: str, named: Sequence[Call]) -> Hear | None:
    """Where reports of progress go: to the stream, if somebody reads it."""
    try:
        write = get_stream_writer()
    except (RuntimeError, KeyError):
        return None
    return partial(tell_progress, write, run, dict(named)) if is_read(write) else None


def tell_progress(write: Any, run: str, named: dict[str, ToolCall], report: Report) -> None:
    id = str(report.get("id"))
    # Other calls of the run are told where they are made.
    if id in named:
        call = named[id]
        said = {key: report.get(key) for key in ("progress", "total", "message")}
        block = {"run": run, "state": "progress", **about((id, call))}
        write({"type": "progress", "tool_call_id": call.get("id"), **said, "toolgate": block})


def tell_calling(tell: turn.Tell, run: str, named: Sequence[Call]) -> None:
    for one in named:
        tell({"run": run, "state": "calling", **about(one)})


def tell_waiting(tell: turn.Tell, run: str, waiting: Sequence[turn.Waiting]) -> None:
    tell({"run": run, "state": "waiting", "for": [one.id for one in waiting]})


def tell_done(tell: turn.Tell, run: str, named: Sequence[Call], results: Sequence[JSON]) -> None:
    for one, result in zip(named, results, strict=True):
        tell({"run": run, "state": "done", **about(one), "status": result.get("status")})


def about(one: Call) -> JSON:
    id, call = one
    return {"call": id, "tool_call_id": call.get("id"), "tool": call["name"]}


__all__ = ["Approvals", "MCPToolNode"]
