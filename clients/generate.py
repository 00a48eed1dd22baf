#!/usr/bin/env python3
"""Writes the typed part of both client packages from the OpenAPI document of a gateway.

`clients/generate.py OPENAPI.json [--check]`: with `--check` nothing is written, and a difference fails. Only the standard library.
`clients/test` does it with the document of the program that was just built.
"""

import json
import keyword
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = HERE / "python/src/toolgate_client/_generated.py"
TYPESCRIPT = HERE / "typescript/src/generated.ts"

# What the clients have, by name. Other routes are a request away.
OPERATIONS = [
    ("upload_file", "post", "/files"),
    ("list_files", "get", "/files"),
    ("get_file", "get", "/files/{id}"),
    ("read_file", "get", "/files/{id}/content"),
    ("delete_file", "delete", "/files/{id}"),
    ("get_ref", "get", "/refs/{id}"),
    ("read_ref", "get", "/refs/{id}/content"),
    ("create_run", "post", "/runs"),
    ("list_runs", "get", "/runs"),
    ("get_run", "get", "/runs/{id}"),
    ("list_run_calls", "get", "/runs/{id}/calls"),
    ("call_tools", "post", "/runs/{id}/tool-calls"),
    ("pause_run", "post", "/runs/{id}/pause"),
    ("resume_run", "post", "/runs/{id}/resume"),
    ("cancel_run", "post", "/runs/{id}/cancel"),
    ("follow_run", "get", "/runs/{id}/events"),
    ("list_tools", "get", "/tools"),
    ("call_tool", "post", "/tools/call"),
    ("list_approvals", "get", "/approvals"),
    ("get_approval", "get", "/approvals/{id}"),
    ("decide", "post", "/approvals/{id}/decide"),
    ("list_inputs", "get", "/inputs"),
    ("get_input", "get", "/inputs/{id}"),
    ("answer_input", "post", "/inputs/{id}/answer"),
    ("list_ledger", "get", "/ledger"),
    ("get_call", "get", "/ledger/{call_id}"),
    ("verify_ledger", "get", "/ledger/verify"),
    ("export_ledger", "get", "/ledger/export"),
    ("follow_events", "get", "/events"),
]
# What an answer of each kind becomes.
KINDS = {"application/json": "json", "application/octet-stream": "bytes", "application/x-ndjson": "text", "text/event-stream": "events"}


class Operation:
    def __init__(self, document, name, method, path):
        self.name, self.method, self.path = name, method.upper(), path
        said = document["paths"][path][method]
        self.about = said.get("summary", "")
        self.path_names = re.findall(r"{(\w+)}", path)
        parameters = said.get("parameters", [])
        self.query = [one for one in parameters if one["in"] == "query"]
        self.headers = [one for one in parameters if one["in"] == "header" and one["name"] not in ("traceparent", "last-event-id")]
        content = said.get("requestBody", {}).get("content", {})
        self.body = content.get("application/json", {}).get("schema")
        self.sends_bytes = "application/octet-stream" in content
        self.kind, self.answer = "none", None
        for status, response in said["responses"].items():
            for media, of in response.get("content", {}).items():
                if status.startswith("2") and self.kind == "none":
                    self.kind, self.answer = KINDS[media], of["schema"]


def reachable(document, operations):
    """The schemas that the operations name, in the order of their names."""
    schemas, found = document["components"]["schemas"], set()

    def walk(value):
        if isinstance(value, list):
            for one in value:
                walk(one)
        elif isinstance(value, dict):
            name = value.get("$ref", "").removeprefix("#/components/schemas/") if isinstance(value.get("$ref"), str) else ""
            if name and name not in found:
                found.add(name)
                walk(schemas[name])
            for one in value.values():
                walk(one)

    for operation in operations:
        walk([operation.body, operation.answer if operation.kind == "json" else None, operation.query])
    return {name: schemas[name] for name in sorted(found)}


def members(schema, schemas):
    """The members of an object, with those of its parts; `None` if it is no such object."""
    if "allOf" in schema:
        found = {}
        for part in schema["allOf"]:
            part = schemas.get(part.get("$ref", "").removeprefix("#/components/schemas/"), part)
            of_part = members(part, schemas)
            if of_part is None:
                return None
            found.update(of_part)
        return found
    if "properties" not in schema:
        return None
    needed = schema.get("required", [])
    return {key: (value, key in needed) for key, value in schema["properties"].items()}


def clean(text):
    """One line that ends no comment of either language."""
    return " ".join((text or "").split()).replace("*/", "* /").replace('"', "'").replace("\\", "/")


# ------------------------------------------------------------------------------------------------------------------ Python


def py(schema):
    if not isinstance(schema, dict) or not schema:
        return "Any"
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    if "enum" in schema:
        return "Literal[" + ", ".join("None" if one is None else json.dumps(one) for one in schema["enum"]) + "]"
    if "const" in schema:
        return f"Literal[{json.dumps(schema['const'])}]"
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return union([py(one) for one in schema[key]], "Any")
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return union([py({**schema, "type": kind}) for kind in kinds], "Any")
    match kinds:
        case "string":
            return "str"
        case "integer":
            return "int"
        case "number":
            return "float"
        case "boolean":
            return "bool"
        case "null":
            return "None"
        case "array":
            return f"list[{py(schema.get('items'))}]"
        case "object" if isinstance(schema.get("additionalProperties"), dict):
            return f"dict[str, {py(schema['additionalProperties'])}]"
        # What documents call an object is any JSON value in some places.
        case _:
            return "Any"


def union(choices, anything):
    choices = list(dict.fromkeys(choices))
    return anything if anything in choices else " | ".join(choices)


def py_name(name):
    name = re.sub(r"\W", "_", name)
    return name + "_" if keyword.iskeyword(name) or name in ("from", "in") else name


def py_types(schemas):
    for name, schema in schemas.items():
        found = members(schema, schemas)
        if found is None:
            yield f"\n\n{name}: TypeAlias = {json.dumps(py(schema))}\n"
        elif all(key.isidentifier() and not keyword.iskeyword(key) for key in found):
            yield f"\n\nclass {name}(TypedDict, total=False):\n"
            about = clean(schema.get("description"))
            yield f'    """{about}"""\n\n' if about else ""
            for key, (value, needed) in found.items():
                yield f"    {key}: {'Required' if needed else 'NotRequired'}[{py(value)}]\n"
            yield "" if found or about else "    pass\n"
        else:
            yield f"\n\n{name} = TypedDict(\n    {json.dumps(name)},\n    {{\n"
            for key, (value, needed) in found.items():
                yield f"        {json.dumps(key)}: {json.dumps(('Required' if needed else 'NotRequired') + '[' + py(value) + ']')},\n"
            yield "    },\n    total=False,\n)\n"


def py_method(one, waits):
    answer = {"json": py(one.answer), "bytes": "bytes", "text": "str", "none": "None"}.get(one.kind)
    send = "await self._send" if waits else "self._send"
    parameters = [f"{py_name(name)}: str" for name in one.path_names]
    if one.sends_bytes:
        parameters.append("content: bytes")
    if one.body is not None:
        parameters.append(f"body: {py(one.body)}")
    optional = [f"{py_name(of['name'])}: {'str' if of.get('required') else 'str | int | None = None'}" for of in one.query + one.headers]
    optional.sort(key=lambda text: "=" in text)
    if optional:
        parameters += ["*", *optional]
    path = "f" + json.dumps(re.sub(r"{(\w+)}", lambda found: "{quoted(" + py_name(found[1]) + ")}", one.path)) if one.path_names else json.dumps(one.path)
    query = "{" + ", ".join(f"{json.dumps(of['name'])}: {py_name(of['name'])}" for of in one.query) + "}"
    headers = "{" + ", ".join(f"{json.dumps(of['name'])}: {py_name(of['name'])}" for of in one.headers) + "}"
    given = "body" if one.body is not None else "content" if one.sends_bytes else "None"
    arguments = f"{json.dumps(one.method)}, {path}, {query}, {headers}, {given}"
    about = clean(one.about)
    head = f"(self, {', '.join(parameters)})" if parameters else "(self)"
    if one.kind == "events":
        kind = "AsyncIterator[Event]" if waits else "Iterator[Event]"
        return f'    def {one.name}{head} -> {kind}:\n        """{about}."""\n        return self._follow({path}, {query})\n\n'
    word = "async def" if waits else "def"
    body = {"json": f"return cast({json.dumps(answer)}, {send}({arguments}).json())", "bytes": f"return {send}({arguments}).content", "text": f"return {send}({arguments}).text"}
    if waits:
        body = {"json": f"return cast({json.dumps(answer)}, ({send}({arguments})).json())", "bytes": f"return ({send}({arguments})).content", "text": f"return ({send}({arguments})).text"}
    line = body.get(one.kind, f"{send}({arguments})")
    return f'    {word} {one.name}{head} -> {answer}:\n        """{about}."""\n        {line}\n\n'


def python(version, operations, schemas):
    yield '"""Written by `clients/generate.py` from the OpenAPI document of the gateway."""\n\n'
    yield "# ruff: noqa\nfrom __future__ import annotations\n\nfrom collections.abc import AsyncIterator, Iterator\n"
    yield "from typing import Any, Literal, NotRequired, Protocol, Required, TypeAlias, TypedDict, cast\nfrom urllib.parse import quote\n\n"
    yield f'#: Versions of the gateway that this was made for.\nVERSIONS = "{version}"\n\n'
    yield "Words = dict[str, str | int | None]\n\n\nclass Event(TypedDict):\n    \"\"\"One event of a stream: its name, its id, and its data as JSON.\"\"\"\n\n"
    yield "    event: str\n    id: str | None\n    data: Any\n\n\nclass Answer(Protocol):\n    @property\n    def content(self) -> bytes: ...\n\n    @property\n    def text(self) -> str: ...\n\n    def json(self) -> Any: ...\n\n\n"
    yield "def quoted(text: str) -> str:\n    return quote(text, safe=\"\")\n"
    yield from py_types(schemas)
    for waits in (False, True):
        word, name, stream = ("async def", "AsyncOperations", "AsyncIterator") if waits else ("def", "Operations", "Iterator")
        yield f"\n\nclass {name}:\n    \"\"\"The routes of the gateway.\"\"\"\n\n"
        yield f"    {word} _send(self, method: str, path: str, query: Words, headers: Words, body: Any) -> Answer:\n        raise NotImplementedError\n\n"
        yield f"    def _follow(self, path: str, query: Words) -> {stream}[Event]:\n        raise NotImplementedError\n\n"
        yield "".join(py_method(one, waits) for one in operations).rstrip() + "\n"


# -------------------------------------------------------------------------------------------------------------- TypeScript


def ts(schema):
    if not isinstance(schema, dict) or not schema:
        return "unknown"
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    if "enum" in schema:
        return " | ".join(json.dumps(one) for one in schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"])
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return union([ts(one) for one in schema[key]], "unknown")
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return union([ts({**schema, "type": kind}) for kind in kinds], "unknown")
    match kinds:
        case "string" | "boolean" | "null":
            return kinds
        case "integer" | "number":
            return "number"
        case "array":
            return f"Array<{ts(schema.get('items'))}>"
        case "object" if isinstance(schema.get("additionalProperties"), dict):
            return f"{{ [key: string]: {ts(schema['additionalProperties'])} }}"
        case _:
            return "unknown"


def ts_types(schemas):
    for name, schema in schemas.items():
        found = members(schema, schemas)
        about = clean(schema.get("description"))
        yield f"\n/** {about} */\n" if about else "\n"
        if found is None:
            yield f"export type {name} = {ts(schema)};\n"
            continue
        yield f"export interface {name} {{\n"
        for key, (value, needed) in found.items():
            yield f"  {key if key.isidentifier() else json.dumps(key)}{'' if needed else '?'}: {ts(value)};\n"
        yield "}\n"


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def ts_method(one):
    answer = {"json": ts(one.answer), "bytes": "Uint8Array", "text": "string", "none": "void"}.get(one.kind)
    parameters = [f"{camel(name)}: string" for name in one.path_names]
    if one.sends_bytes:
        parameters.append("content: Uint8Array | string")
    if one.body is not None:
        parameters.append(f"body: {ts(one.body)}")
    options = one.query + one.headers
    if options:
        needs = any(of.get("required") for of in options)
        said = "; ".join(f"{json.dumps(of['name'])}{'' if of.get('required') else '?'}: string | number" for of in options)
        parameters.append(f"options: {{ {said} }}" + ("" if needs else " = {}"))
    path = "`" + re.sub(r"{(\w+)}", lambda found: "${encodeURIComponent(" + camel(found[1]) + ")}", one.path) + "`" if one.path_names else json.dumps(one.path)
    query = "{ " + ", ".join(f"{json.dumps(of['name'])}: options[{json.dumps(of['name'])}]" for of in one.query) + " }" if one.query else "{}"
    headers = "{ " + ", ".join(f"{json.dumps(of['name'])}: options[{json.dumps(of['name'])}]" for of in one.headers) + " }" if one.headers else "{}"
    given = "body" if one.body is not None else "content" if one.sends_bytes else "undefined"
    head = f"  /** {clean(one.about)}. */\n  "
    if one.kind == "events":
        return head + f"{camel(one.name)}({', '.join(parameters)}): AsyncIterable<GatewayEvent> {{\n    return this.follow({path}, {query});\n  }}\n\n"
    call = f"await this.send({json.dumps(one.method)}, {path}, {query}, {headers}, {given})"
    lines = {
        "json": f"return (await ({call}).json()) as {answer};",
        "bytes": f"return new Uint8Array(await ({call}).arrayBuffer());",
        "text": f"return await ({call}).text();",
    }
    return head + f"async {camel(one.name)}({', '.join(parameters)}): Promise<{answer}> {{\n    {lines.get(one.kind, call + ';')}\n  }}\n\n"


def typescript(version, operations, schemas):
    yield "// Written by `clients/generate.py` from the OpenAPI document of the gateway.\n\n"
    yield f'/** Versions of the gateway that this was made for. */\nexport const VERSIONS = "{version}";\n\n'
    yield "export type Words = { [key: string]: string | number | undefined };\n\n"
    yield "/** One event of a stream: its name, its id, and its data as JSON. */\nexport interface GatewayEvent {\n  event: string;\n  id?: string;\n  data: unknown;\n}\n"
    yield from ts_types(schemas)
    yield "\n/** The routes of the gateway. */\nexport abstract class Operations {\n"
    yield "  protected abstract send(method: string, path: string, query: Words, headers: Words, body: unknown): Promise<Response>;\n\n"
    yield "  protected abstract follow(path: string, query: Words): AsyncIterable<GatewayEvent>;\n\n"
    yield "".join(ts_method(one) for one in operations).rstrip() + "\n}\n"


def main():
    document = json.loads(pathlib.Path(sys.argv[1]).read_text())
    operations = [Operation(document, *one) for one in OPERATIONS]
    schemas = reachable(document, operations)
    # Versions that differ behind their second number fit.
    version = ".".join(document["info"]["version"].split(".")[:2])
    stale = []
    for file, parts in ((PYTHON, python(version, operations, schemas)), (TYPESCRIPT, typescript(version, operations, schemas))):
        text = "".join(parts)
        if "--check" not in sys.argv:
            file.write_text(text)
        elif not file.exists() or file.read_text() != text:
            stale.append(str(file.relative_to(HERE.parent)))
    if stale:
        sys.exit(f"error: {', '.join(stale)} is not what the OpenAPI document says\nhint: clients/test --write writes it anew")


main()
