"""People in the middle of a graph: what an interrupt shows, and what its answer means.

The shape is `HITLRequest` of LangChain's human-in-the-loop middleware, which user interfaces know, with a block `toolgate` beside
it. The gateway's state counts. A decision in the answer becomes a vote only with a token of the person who resumes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphInterrupt
from langgraph.types import interrupt

from . import errors
from .client import JSON, Ask, Steps
from .turn import Waiting

#: Where the resumer's token stands: in the runtime's context, or under this key of `configurable`. LangGraph does not store keys
#: with two underscores in front.
TOKEN = "toolgate_approver_token"
#: Refusals of a vote that say that the matter is decided, or that this person may not decide it: the gateway's state counts.
SETTLED = frozenset({404, 409, 410})

SLOT_TYPES: dict[str, JSON] = {
    "text": {"type": "string"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
    "file": {"type": "string", "description": "The id of a file, file_…"},
}


def request(run: str, waiting: Sequence[Waiting], votes: Sequence[JSON] = ()) -> JSON:
    """The value of an interrupt."""
    asked = [action(one) for one in waiting]
    only_questions = all(one.kind == "question" for one in waiting)
    block: JSON = {"run": run, "items": [item(one) for one in waiting]}
    if votes:
        block["votes"] = list(votes)
    return {
        "type": "toolgate_question" if only_questions else "toolgate_approval",
        "action_requests": [one for one, _ in asked],
        "review_configs": [config for _, config in asked],
        "toolgate": block,
    }


def action(one: Waiting) -> tuple[JSON, JSON]:
    name, args = one.call["name"], one.call["args"]
    if one.kind == "question":
        text = str(one.shown.get("prompt_key") or "A question")
        return {"name": name, "args": args, "description": text}, {"action_name": name, "allowed_decisions": ["respond"]}
    requirement = one.shown.get("requirement") or {}
    gates = requirement.get("gates") or []
    reasons = [str(gate["reason"]) for gate in gates if gate.get("reason")]
    text = "\n".join([f"{one.shown.get('tool', name)} waits for a person.", *reasons])
    allowed = ["approve", "reject", "respond"]
    if requirement.get("editable"):
        allowed.insert(1, "edit")
    shown = one.shown.get("arguments")
    return (
        {"name": name, "args": shown if isinstance(shown, dict) else args, "description": text},
        {"action_name": name, "allowed_decisions": allowed},
    )


def item(one: Waiting) -> JSON:
    about: JSON = {"kind": one.kind, "id": one.id, "tool_call_id": one.call.get("id"), "state": one.shown.get("state")}
    if one.kind == "question":
        keys = ("slot_type", "slot_id", "prompt_key", "options")
        return {**about, **{key: one.shown[key] for key in keys if key in one.shown}, "answer_schema": answer_schema(one.shown)}
    shown = ("tool", "principal", "effective", "expires_at", "requirement", "votes")
    return {**about, **{key: one.shown[key] for key in shown if key in one.shown}}


def answer_schema(question: JSON) -> JSON:
    """The JSON Schema of an answer."""
    values = [option["value"] for option in question.get("options") or []]
    match question.get("slot_type"):
        case "choice":
            return {"type": "string", "enum": values}
        case "multi_choice":
            return {"type": "array", "items": {"type": "string", "enum": values}, "uniqueItems": True}
        case kind:
            return SLOT_TYPES.get(str(kind), {})


def newest(value: JSON) -> Any:
    """The newest answer to the interrupts of this node; without one the node ends here, until it is resumed.

    A node that was resumed before starts again, and the earlier answers come first. Those have been voted on, perhaps by others.
    """
    answer = interrupt(value)
    while True:
        try:
            answer = interrupt(value)
        except GraphInterrupt:
            return answer


def token_of(config: RunnableConfig, context: Any) -> str | None:
    """The token of the person who resumes."""
    said = context.get(TOKEN) if isinstance(context, dict) else getattr(context, TOKEN, None)
    said = said or (config.get("configurable") or {}).get(f"__{TOKEN}")
    return None if said is None else str(said)


def decisions(answer: Any, waiting: Sequence[Waiting]) -> list[tuple[Waiting, JSON]]:
    """The decisions of an answer, each with what it decides. An answer in another form only asks to look again."""
    if isinstance(answer, dict) and isinstance(answer.get("answers"), dict):
        said = answer["answers"]
        return [(one, {"type": "respond", "message": said[one.id]}) for one in waiting if one.id in said]
    given = answer.get("decisions") if isinstance(answer, dict) else answer
    if isinstance(given, dict) and "type" in given:
        given = [given]
    if not isinstance(given, list) or not all(isinstance(one, dict) and "type" in one for one in given):
        return []
    named = {one.get("id"): one for one in given if one.get("id")}
    if named:
        return [(one, named[one.id]) for one in waiting if one.id in named]
    if len(given) != len(waiting):
        return []
    return list(zip(waiting, given, strict=True))


def vote(decided: Sequence[tuple[Waiting, JSON]], token: str) -> Steps[list[JSON]]:
    """Sends decisions on as the votes and answers of the person whose token it is. Says what became of each."""
    told = []
    for one, decision in decided:
        ask = asked_of(one, decision, token)
        if ask is None:
            told.append({"id": one.id, "counted": False, "why": f"{decision.get('type')!r} is not possible here"})
            continue
        try:
            yield ask
            told.append({"id": one.id, "counted": True})
        except errors.TokenRefused as error:
            if error.status == 401:
                raise
            told.append({"id": one.id, "counted": False, "why": error.message})
        except errors.ToolgateError as error:
            if error.status not in SETTLED and error.status != 422:
                raise
            told.append({"id": one.id, "counted": False, "why": error.message})
    return told


def unseen(one: Waiting) -> JSON:
    """What became of a decision about something that its giver was not shown."""
    return {"id": one.id, "counted": False, "why": "this was asked after the answer was given: something has changed, so look at it again"}


def asked_of(one: Waiting, decision: JSON, token: str) -> Ask | None:
    kind, message = decision.get("type"), decision.get("message")
    if one.kind == "question":
        if kind != "respond":
            return None
        return Ask("POST", f"/inputs/{quote(one.id, safe='')}/answer", {"answer": message}, token=token)
    body: JSON = {}
    if one.shown.get("effective"):
        body["effective"] = one.shown["effective"]
    if message:
        body["reason"] = str(message)
    match kind:
        case "approve":
            body["decision"] = "approve"
        case "edit":
            edited = decision.get("edited_action") or {}
            if edited.get("name", one.call["name"]) != one.call["name"] or not isinstance(edited.get("args"), dict):
                return None
            body.update(decision="edit", arguments=edited["args"])
        case "reject" | "respond":
            body["decision"] = "deny"
        case _:
            return None
    return Ask("POST", f"/approvals/{quote(one.id, safe='')}/decide", body, token=token)


def spoken(decided: Sequence[tuple[Waiting, JSON]], votes: Sequence[JSON]) -> dict[str, str]:
    """What people said in the place of a tool, by approval."""
    return {
        one.id: str(decision.get("message", ""))
        for (one, decision), said in zip(decided, votes, strict=True)
        if said["counted"] and one.kind == "approval" and decision.get("type") == "respond"
    }
