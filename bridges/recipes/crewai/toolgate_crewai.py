"""Tools behind a Toolgate gateway for CrewAI: a call waits for its approval, and a crew that starts again makes no call twice.

    with Toolgate(url, token) as client:
        gate = Gate(client, key="ticket-7")
        answer = Task(description="Answer my letters.", expected_output="…", agent=writer, tools=gate.tools("answer"))
        print(Crew(agents=[writer], tasks=[answer]).kickoff())

A crew does not pause for people: the call waits in its tool. CrewAI tells a tool no id of its call, so the id follows from what is
called: key, task, tool, arguments, and how many such calls the task has made. A crew that starts again asks its model again; where the
model calls the same, it gets the recorded results. Where it writes something else, that is a new call, and people are asked about it.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from crewai.tools import BaseTool
from crewai.tools.tool_failure import ToolFailurePolicy
from pydantic import BaseModel, ConfigDict, PrivateAttr
from toolgate_client import GatewayError, Toolgate

PATIENCE_SECONDS = 60.0
RETRY_SECONDS = 0.5
LOOK_SECONDS = 2.0
WAITING = frozenset({"pending_approval", "pending_input"})
#: The same call was sent before, and is under way.
RUNNING = "call_running"
#: Faults of the gateway after which a call may be sent again as it is.
PASSING = frozenset({"shutting_down", "store_down", "ledger_down"})


class GatewayFault(Exception):
    """The gateway was not reached in time, or refused the request as a whole. The crew may start again."""


class Gate:
    """A gateway, with one run for each key."""

    def __init__(self, client: Toolgate, *, key: str, patience: float = PATIENCE_SECONDS) -> None:
        self._client = client
        self._key = key
        self._patience = patience
        self._run: str | None = None
        self._lock = threading.Lock()
        self._taken: dict[str, set[int]] = {}

    def tools(self, task: str) -> list[BaseTool]:
        """What an agent may call. `task` tells the tasks of a key apart, and is the same when the crew starts again."""
        listed, cursor = [], None
        while True:
            words = {"cursor": cursor} if cursor else {}
            page: Any = self._ask(lambda words=words: self._client.list_tools(**words))  # type: ignore[misc]
            listed += page["tools"]
            cursor = page.get("next_cursor")
            if cursor is None:
                return [as_tool(self, task, one) for one in listed]

    def call(self, task: str, name: str, arguments: dict[str, Any]) -> str:
        """Makes a call, and returns what it said once people have decided, if they were asked."""
        what = hashlib.sha256(json.dumps([task, name, arguments], sort_keys=True).encode()).hexdigest()
        with self._numbered(what) as number:
            limit = time.monotonic() + self._patience
            while True:
                result = self._send(f"{what}.{number}", name, arguments)
                code = (result.get("error") or {}).get("code")
                if result["status"] in WAITING or code == RUNNING:
                    # People and long calls take as long as they take; a fault after that is given all of its time.
                    limit = time.monotonic() + self._patience
                elif code not in PASSING:
                    return told(result)
                elif time.monotonic() >= limit:
                    raise GatewayFault(f"the gateway could not make the call: {told(result)}")
                time.sleep(LOOK_SECONDS)

    @contextmanager
    def _numbered(self, what: str) -> Iterator[int]:
        """The number of a call among equal ones, of which some may run at once. One that ended in a fault has its number again."""
        with self._lock:
            taken = self._taken.setdefault(what, set())
            number = next(one for one in itertools.count(1) if one not in taken)
            taken.add(number)
        try:
            yield number
        except BaseException:
            with self._lock:
                taken.discard(number)
            raise

    def _send(self, id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if self._run is None:
            made = self._ask(lambda: self._client.create_run({"key": self._key}))
            self._run = made["run"]["id"]
        body: Any = {"calls": [{"id": id, "name": name, "arguments": arguments}]}
        said = self._ask(lambda: self._client.call_tools(str(self._run), body, prefer="respond-async"))
        return said["results"][0]  # type: ignore[no-any-return]

    def _ask(self, request: Callable[[], Any]) -> Any:
        limit = time.monotonic() + self._patience
        while True:
            try:
                return request()
            except (httpx.TransportError, GatewayError) as error:
                may_pass = not isinstance(error, GatewayError) or error.retry
                if not may_pass or time.monotonic() >= limit:
                    raise GatewayFault(f"the gateway was not reached, or refused: {error}") from error
            time.sleep(RETRY_SECONDS)


class GatewayTool(BaseTool):
    """One tool of the gateway."""

    #: A fault ends the crew. Told to the model, it would lead to another call.
    tool_failure_policy: ToolFailurePolicy | None = ToolFailurePolicy.RAISE
    _gate: Gate = PrivateAttr()
    _task: str = PrivateAttr()
    _wire_name: str = PrivateAttr()
    _schema: dict[str, Any] = PrivateAttr()

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """As the model wrote it: the gateway checks arguments, and tells the model what is wrong with them."""
        return self._run(**kwargs)

    async def arun(self, *args: Any, **kwargs: Any) -> Any:
        return await self._arun(**kwargs)

    def _run(self, **kwargs: Any) -> str:
        return self._gate.call(self._task, self._wire_name, meant(kwargs, self._schema))

    async def _arun(self, **kwargs: Any) -> str:
        return await asyncio.to_thread(self._run, **kwargs)


def as_tool(gate: Gate, task: str, listed: Any) -> GatewayTool:
    definition = listed["definition"]
    tool = GatewayTool(
        name=listed["wire_name"],
        description=definition.get("description") or listed["wire_name"],
        args_schema=arguments_of(definition["inputSchema"]),
        # An answer that CrewAI remembers would hide what the gateway says now.
        cache_function=never,
    )
    tool._gate, tool._task, tool._wire_name, tool._schema = gate, task, listed["wire_name"], definition["inputSchema"]
    return tool


def arguments_of(schema: dict[str, Any]) -> type[BaseModel]:
    """What CrewAI shows a model. It takes a class; not every schema can become the fields of one, so this one shows the schema itself."""
    of_tool = {"type": "object", "properties": {}, **shown(schema)}

    class Arguments(BaseModel):
        model_config = ConfigDict(extra="allow")

        @classmethod
        def model_json_schema(cls, *_args: Any, **_kwargs: Any) -> dict[str, Any]:
            return json.loads(json.dumps(of_tool))  # type: ignore[no-any-return]

    return Arguments


def shown(schema: Any) -> dict[str, Any]:
    """CrewAI asks a model for every argument, so what may be left out may be null here; `meant` takes that out again."""
    if not isinstance(schema, dict):
        return {}
    told = {key: value for key, value in schema.items() if key not in ("$schema", "$id")}
    required = schema.get("required") or []
    for key, value in schema.items():
        if key == "properties":
            told[key] = {name: shown(one) if name in required else {"anyOf": [shown(one), {"type": "null"}]} for name, one in value.items()}
        elif key == "$defs":
            told[key] = {name: shown(one) for name, one in value.items()}
        elif key in ("anyOf", "oneOf", "allOf"):
            told[key] = [shown(one) for one in value]
        elif key == "items":
            told[key] = shown(value)
    return told


def never(_arguments: Any = None, _result: Any = None) -> bool:
    return False


def meant(value: Any, schema: Any) -> Any:
    """What a model left out comes as null: CrewAI asks it for every argument."""
    schema = schema if isinstance(schema, dict) else {}
    if isinstance(value, list):
        return [meant(one, schema.get("items")) for one in value]
    if not isinstance(value, dict):
        return value
    properties, required = schema.get("properties") or {}, schema.get("required") or []
    left_out = {name for name, one in value.items() if one is None and name in properties and name not in required}
    return {name: meant(one, properties.get(name)) for name, one in value.items() if name not in left_out}


def told(result: dict[str, Any]) -> str:
    """What the model hears."""
    data, error = result.get("data") or {}, result.get("error") or {}
    texts = [one["text"] for one in data.get("content", []) if one.get("type") == "text"]
    texts += [str(error[key]) for key in ("message", "why", "hint") if error.get(key)]
    return "\n".join(texts) if texts else json.dumps(data)
