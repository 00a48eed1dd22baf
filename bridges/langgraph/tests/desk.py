"""An MCP server for the tests: what its tools did stands in a file, one line for each time."""

import json
import os
import sys
import time

OUTBOX = sys.argv[1]
#: How long a report may be on its way.
COPY_SECONDS = 10
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": False}
NOTHING = {"type": "object", "properties": {}, "additionalProperties": False}
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def tools():
    reads = {"readOnlyHint": True, "openWorldHint": False}
    writes = {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False}
    listed = [
        ("look", "Looks at the desk.", NOTHING, reads),
        ("note", "Writes a note.", TEXT, writes),
        ("send", "Sends a letter.", TEXT, writes),
        ("pay", "Pays a bill. The person at the client decides.", TEXT, writes),
        ("fail", "Always fails.", NOTHING, reads),
        ("draw", "Draws a picture.", NOTHING, reads),
        ("copy", "Copies a letter, and says how far it is.", TEXT, reads),
    ]
    news = new_list()
    return [
        {"name": name, "description": about, "inputSchema": news.get(name, schema), "annotations": hints}
        for name, about, schema, hints in listed
        if news.get(name, schema) is not None
    ]


def new_list():
    """Other schemas of tools by name; null where a tool is gone."""
    if not os.path.exists(OUTBOX + ".new-list"):
        return {}
    with open(OUTBOX + ".new-list", encoding="utf-8") as file:
        return json.load(file)


def text(said, **more):
    return {"content": [{"type": "text", "text": said}], **more}


def call(name, arguments, token):
    if name == "copy":
        return copy(arguments["text"], token)
    if name in ("note", "send", "pay"):
        with open(OUTBOX, "a", encoding="utf-8") as file:
            file.write(json.dumps([name, arguments["text"]]) + "\n")
        return text(f"{name}: {arguments['text']}", structuredContent={"done": name})
    if name == "fail":
        return text("the desk is on fire", isError=True)
    if name == "draw":
        return {"content": [{"type": "image", "data": PNG, "mimeType": "image/png"}]}
    return text("an empty desk")


def copy(letter, token):
    """Reports the first half, and goes on when the report was heard."""
    if token is None:
        return text("nobody asked how far it is")
    half = {"progressToken": token, "progress": 1, "total": 2, "message": f"half of {letter}"}
    print(json.dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": half}), flush=True)
    limit = time.monotonic() + COPY_SECONDS
    while not os.path.exists(f"{OUTBOX}.heard-{letter}"):
        if time.monotonic() > limit:
            return text("nobody heard it", isError=True)
        time.sleep(0.01)
    return text(f"copied {letter}")


def main():
    said = None
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        method, params = request["method"], request.get("params") or {}
        if method == "initialize":
            capabilities = {"tools": {"listChanged": True}}
            said = {"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": {"name": "desk", "version": "1"}}
        elif method == "tools/list":
            said = {"tools": tools()}
        elif method == "tools/call":
            token = (params.get("_meta") or {}).get("progressToken")
            said = call(params["name"], params.get("arguments") or {}, token)
        else:
            said = {}
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": said}
        print(json.dumps(answer), flush=True)


main()
