"""A small MCP server on stdio whose tools misbehave on request. The first argument says which kind it is."""

import hashlib
import json
import os
import subprocess
import sys
import time

KIND = sys.argv[1]
NAMES = [
    "echo", "ask", "ask_roots", "hang", "progress", "big", "big_late_id", "exit", "half", "stray", "flood", "log", "env",
    "fork", "change", "deep", "nonsense", "count", "touch", "big_nameless", "late",
]
calls = 0
waiting = {}
listens = {}


def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def say(line):
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def reply(request, result):
    if KIND == "modern":
        result = {"resultType": "complete", **result}
    send({"jsonrpc": "2.0", "id": request["id"], "result": result})


def fail(request, code, message):
    send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}})


def text(value):
    return {"content": [{"type": "text", "text": value}]}


def notify(method, params=None):
    send({"jsonrpc": "2.0", "method": method, **({"params": params} if params is not None else {})})


CAPABILITIES = {
    "tools": {"listChanged": True},
    "resources": {"subscribe": True},
    "logging": {},
}


if os.environ.get("TAKES_NONE") == "1":
    del CAPABILITIES["resources"]
if os.environ.get("KNOWS_CALLERS") == "1":
    CAPABILITIES["experimental"] = {"dev.toolgate/caller": {}}


def page(request):
    if KIND == "endless":
        return {"tools": [{"name": "one"}, {"noname": 1}, 7], "nextCursor": "again"}
    if KIND == "empty":
        return {"tools": []}
    cursor = request.get("params", {}).get("cursor")
    start = int(cursor) if cursor else 0
    names = NAMES + ["added"] * (calls > 0 and os.environ.get("GROWS") == "1")
    result = {"tools": [{"name": name, "inputSchema": {"type": "object"}, "x": 1.10} for name in names[start:start + 8]]}
    if start + 8 < len(names):
        result["nextCursor"] = str(start + 8)
    return result


def call(request):
    global calls
    calls += 1
    params = request["params"]
    name, arguments = params["name"], params.get("arguments", {})
    token = params.get("_meta", {}).get("progressToken")
    if name == "echo":
        reply(request, {**text("echo"), "structuredContent": arguments})
    elif name == "digest":
        # One digest for each argument, in their order.
        digests = {key: [len(value), hashlib.sha256(value.encode()).hexdigest()] for key, value in arguments.items()}
        reply(request, text(json.dumps(digests)))
    elif name == "count":
        reply(request, text(str(calls)))
    elif name == "meta":
        reply(request, text(json.dumps(params.get("_meta"))))
    elif name in ("ask", "ask_roots"):
        question = f"q{request['id']}"
        waiting[question] = request
        method = "elicitation/create" if name == "ask" else "roots/list"
        send({"jsonrpc": "2.0", "id": question, "method": method, "params": {"message": "name?"}})
    elif name == "hang":
        say(f"hanging {request['id']}")
    elif name == "progress":
        for at in range(3):
            notify("notifications/progress", {"progressToken": token, "progress": at, "total": 3})
        reply(request, text(json.dumps(token)))
    elif name == "big":
        reply(request, text("x" * arguments["bytes"]))
    elif name == "big_late_id":
        send({"result": text("x" * arguments["bytes"]), "jsonrpc": "2.0", "id": request["id"]})
    elif name == "big_nameless":
        send({"jsonrpc": "2.0", "id": str(request["id"]), "result": text("x" * arguments["bytes"])})
        say("sent")
    elif name == "late":
        reply(request, text("done"))
        notify("notifications/message", {"level": "info", "data": "late"})
        send({"jsonrpc": "2.0", "id": "late", "method": "roots/list"})
    elif name == "exit":
        say("I am leaving")
        sys.exit(3)
    elif name == "half":
        sys.stdout.write('{"jsonrpc":"2.0","id":')
        sys.stdout.flush()
        sys.exit(0)
    elif name == "stray":
        send({"jsonrpc": "2.0", "id": 999999, "result": {}})
        reply(request, text("first"))
        reply(request, text("second"))
    elif name == "flood":
        for _ in range(20000):
            notify("notifications/message", {"level": "info", "data": "x" * 100})
            notify("notifications/resources/list_changed")
        reply(request, text("after the flood"))
    elif name == "log":
        notify("notifications/message", {"level": "info", "data": "during"})
        reply(request, text("logged"))
    elif name == "env":
        reply(request, text(json.dumps(dict(os.environ))))
    elif name == "fork":
        child = subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL)
        reply(request, text(json.dumps([os.getpid(), child.pid])))
    elif name == "change":
        notify("notifications/tools/list_changed")
        reply(request, text("changed"))
    elif name == "touch":
        params = {"uri": arguments["uri"]}
        for id in list(listens):
            params["_meta"] = {"io.modelcontextprotocol/subscriptionId": id}
        notify("notifications/resources/updated", params)
        reply(request, text("touched"))
    elif name == "deep":
        sys.stdout.write('{"jsonrpc":"2.0","id":%d,"result":%s1%s}\n' % (request["id"], "[" * 200, "]" * 200))
        sys.stdout.flush()
    elif name == "nonsense":
        sys.stdout.write("this is not JSON\n")
        reply(request, text("still here"))
    else:
        fail(request, -32602, "unknown tool: " + name)


def handle(message):
    method = message.get("method")
    if method is None:
        request = waiting.pop(message.get("id"), None)
        if request:
            answer = message.get("result", message.get("error"))
            reply(request, text(json.dumps(answer)))
        return
    if "id" not in message:
        if method == "notifications/cancelled":
            id = message["params"]["requestId"]
            listens.pop(id, None)
            say(f"cancelled {id}")
        elif method.startswith("notifications/dev.toolgate/"):
            say(method + " " + json.dumps(message["params"]))
        else:
            say(method)
        return
    if method == "server/discover":
        if KIND == "modern":
            reply(message, {
                "supportedVersions": ["2026-07-28"], "capabilities": CAPABILITIES, "ttlMs": 0, "cacheScope": "public",
                "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "neighbour", "version": "1"}},
            })
        elif KIND == "fragile":
            say("what is server/discover?")
            sys.exit(1)
        elif KIND == "silent":
            pass
        else:
            fail(message, -32601, "unknown method")
    elif method == "initialize":
        if KIND == "modern":
            fail(message, -32601, "unknown method")
            return
        version = "1999-01-01" if KIND == "alien" else "2025-06-18"
        say("capabilities " + json.dumps(message["params"]["capabilities"]))
        reply(message, {
            "protocolVersion": version, "capabilities": CAPABILITIES, "serverInfo": {"name": "neighbour", "version": "1"},
            "instructions": "be kind",
        })
    elif method == "tools/list":
        reply(message, page(message))
    elif method == "resources/list":
        reply(message, {"resources": []})
    elif method == "resources/templates/list":
        reply(message, {"resourceTemplates": []})
    elif method == "tools/call":
        call(message)
    elif method == "resources/subscribe" and message["params"]["uri"] in ("test://refused", "test://poison"):
        fail(message, -32602, "not that one")
    elif method == "subscriptions/listen":
        wanted = message["params"]["notifications"]
        say("listening " + json.dumps(wanted))
        uris = wanted.get("resourceSubscriptions", [])
        if "test://poison" in uris:
            fail(message, -32602, "not that one")
            return
        listens[message["id"]] = True
        taken = {**wanted, "resourceSubscriptions": [uri for uri in uris if uri != "test://refused"]}
        notify("notifications/subscriptions/acknowledged", {
            "notifications": taken, "_meta": {"io.modelcontextprotocol/subscriptionId": message["id"]}})
    else:
        say(method + " " + json.dumps(message.get("params")))
        reply(message, {})


if "GATE" in os.environ:
    # The first of its kind starts at once, the others when the gate is open.
    first, gate = os.environ["GATE"] + ".first", os.environ["GATE"]
    if os.path.exists(first):
        say("at the gate")
        while not os.path.exists(gate):
            time.sleep(0.01)
    open(first, "w").close()
if KIND == "stillborn":
    say("cannot find my configuration")
    sys.exit(1)
if KIND == "stubborn":
    import signal
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL)
for line in sys.stdin:
    handle(json.loads(line))
if KIND == "stubborn":
    while True:
        time.sleep(1)
