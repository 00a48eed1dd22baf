#!/usr/bin/env python3
"""A letter box as an MCP server: two tools, standard input and output, the standard library alone.

`read_inbox` only looks. `send` writes the letter to the file that is given as the one argument: what stands there was sent.
"""

import json
import pathlib
import sys

TOOLS = [
    {
        "name": "read_inbox",
        "description": "Reads the letters that came in.",
        "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    },
    {
        "name": "send",
        "description": "Sends a letter to someone outside.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "to": {"type": "string", "description": "Who gets it"},
                "text": {"type": "string", "description": "What it says"},
            },
            "required": ["to", "text"],
            "additionalProperties": False,
        },
        "annotations": {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": True},
    },
]

INBOX = [{"from": "ann@example.com", "text": "Can we meet on Friday?"}]


def text(said):
    return {"content": [{"type": "text", "text": said}]}


def call(name, arguments, outbox):
    if name == "read_inbox":
        return text(json.dumps(INBOX))
    pathlib.Path(outbox).parent.mkdir(exist_ok=True)
    with open(outbox, "a", encoding="utf-8") as file:
        file.write(json.dumps(arguments) + "\n")
    return text(f"Sent to {arguments['to']}.")


def answer(message, outbox):
    params = message.get("params") or {}
    match message["method"]:
        case "initialize":
            return {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "letters", "version": "1"},
            }
        case "ping":
            return {}
        case "tools/list":
            return {"tools": TOOLS}
        case "tools/call":
            return call(params["name"], params.get("arguments") or {}, outbox)
    return None


def main():
    outbox = sys.argv[1]
    for line in sys.stdin:
        message = json.loads(line)
        if "method" not in message or "id" not in message:
            continue  # A notification, or an answer: nothing here waits for either.
        result = answer(message, outbox)
        body = {"result": result} if result is not None else {"error": {"code": -32601, "message": "unknown method"}}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **body}), flush=True)


main()
