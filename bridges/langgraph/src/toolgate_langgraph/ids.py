"""Where a call stands in a graph, and the id that follows from it.

A node that runs again after an interrupt, a crash or a retry has the same thread, namespace and tool calls. So its calls get the
same ids, and the gateway answers them with what it has recorded.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig

#: Longer ids of models are cut; the digest tells them apart.
SHOWN_CHARS = 80
KEY_CHARS_MAX = 200


@dataclass(frozen=True)
class Place:
    """The run, and the part of a graph that makes calls."""

    thread: str | None
    namespace: str
    run: str | None
    session: str | None

    @classmethod
    def of(cls, config: RunnableConfig, context: Any = None) -> Place:
        configurable = config.get("configurable") or {}

        def said(key: str) -> str | None:
            value = configurable.get(key)
            if value is None and isinstance(context, dict):
                value = context.get(key)
            elif value is None:
                value = getattr(context, key, None)
            return None if value is None else str(value)

        thread = configurable.get("thread_id")
        namespace = str(configurable.get("checkpoint_ns") or "")
        return cls(None if thread is None else str(thread), namespace, said("toolgate_run"), said("toolgate_session"))

    def run_key(self) -> str | None:
        """The key of the thread's run."""
        if self.thread is None:
            return None
        key = f"langgraph:{self.thread}"
        printable = key.isprintable() and len(key) <= KEY_CHARS_MAX
        return key if printable else f"langgraph:{digest(self.thread)}"

    def call_ids(self, tool_call_ids: list[str]) -> list[str]:
        """An id for each call. Some models repeat ids, or give none."""
        seen: dict[str, int] = {}
        ids = []
        for number, said in enumerate(tool_call_ids):
            own = said or f"call-{number}"
            seen[own] = seen.get(own, 0) + 1
            shown = "".join(one for one in own if one.isprintable())[:SHOWN_CHARS]
            ids.append(f"{shown}.{digest(self.thread or '', self.namespace, own, str(seen[own]))}")
        return ids


def digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]
