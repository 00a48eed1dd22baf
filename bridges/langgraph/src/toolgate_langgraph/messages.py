"""Results of the gateway as messages for a model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import ToolCall, ToolMessage

from .client import JSON

#: What the gateway may answer for calls that ran and did not fail.
GOOD = frozenset({"succeeded", "accepted"})
#: Refusals for tools that are not there, or not as they were, and what is added to them.
GONE = frozenset({"unknown_tool", "tool_retired", "tool_quarantined", "tool_unreadable", "server_disabled"})
CHANGED = "The list of tools has changed since it was read; the tools of this turn are not all there any more."


def message(call: ToolCall, result: JSON, said: str | None = None) -> ToolMessage:
    """The message for one call. `said` is what a person answered in the place of the tool."""
    data = result.get("data")
    refs = [ref for ref in result.get("refs") or [] if isinstance(ref, dict)]
    whole = data if isinstance(data, dict) else {}
    structured = whole.get("structuredContent")
    good = said is not None or (result.get("status") in GOOD and not whole.get("isError"))
    content = [text(said)] if said is not None else blocks(data, refs)
    if said is None and result.get("error"):
        content.extend(refusal(result["error"]))
    if not content:
        content.append(text(str(result.get("status", ""))))
    envelope = {key: value for key, value in result.items() if key not in ("data", "id")}
    return ToolMessage(
        content=content,
        name=call["name"],
        tool_call_id=call.get("id") or "",
        status="success" if good else "error",
        artifact={"structured_content": structured, "envelope": envelope, "refs": refs},
    )


def blocks(data: Any, refs: Sequence[JSON]) -> list[Any]:
    """The content of a result. What a model cannot take, and every ref, is a line of text."""
    if data is None:
        return [text(ref_line(ref)) for ref in refs]
    content = data.get("content") if isinstance(data, dict) else None
    if not isinstance(content, list):
        return [text(data if isinstance(data, str) else json.dumps(data, ensure_ascii=False))]
    found = [block(one) for one in content if isinstance(one, dict)]
    if not found and isinstance(data.get("structuredContent"), dict):
        found.append(text(json.dumps(data["structuredContent"], ensure_ascii=False)))
    shown = json.dumps(content)
    # A ref that stands in the text already is not said twice.
    found.extend(text(ref_line(ref)) for ref in refs if ref_id(ref) and ref_id(ref) not in shown)
    return found


def block(one: JSON) -> JSON:
    match one.get("type"):
        case "text":
            return text(str(one.get("text", "")))
        case "image" if one.get("data"):
            return {"type": "image", "base64": one["data"], "mime_type": one.get("mimeType", "image/png")}
        case "resource":
            inside = one.get("resource") or {}
            if isinstance(inside.get("text"), str):
                return text(inside["text"])
            return text(f"resource {inside.get('uri')} ({inside.get('mimeType', 'bytes')})")
        case "resource_link":
            return text(f"resource {one.get('uri')}: {one.get('title') or one.get('name') or ''}".rstrip(": "))
        case "audio":
            return text(f"audio ({one.get('mimeType', 'audio')}), which is not passed on as it is")
        case kind:
            return text(f"content of kind {kind}: {json.dumps(one, ensure_ascii=False)}")


def refusal(error: JSON) -> list[JSON]:
    """Why a call has no result, unless the content says that already."""
    lines = [str(error.get("message", error.get("code", "")))]
    if error.get("code") in GONE:
        lines.append(CHANGED)
    lines.extend(f"{name}: {error[key]}" for name, key in (("why", "why"), ("hint", "hint")) if error.get(key))
    return [text("\n".join(line for line in lines if line))]


def ref_id(ref: JSON) -> str:
    return str(ref.get("ref_id") or ref.get("id") or ref.get("sha256") or "")


def ref_line(ref: JSON) -> str:
    about = [str(ref[key]) for key in ("name", "media_type", "mime_type") if ref.get(key)]
    size = ref.get("size") or ref.get("bytes")
    if size:
        about.append(f"{size} bytes")
    return f"{ref.get('type', 'ref')} {ref_id(ref)}" + (f" ({', '.join(about)})" if about else "")


def text(said: str) -> JSON:
    return {"type": "text", "text": said}
