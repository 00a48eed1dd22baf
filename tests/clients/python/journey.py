"""What every client does with the conforming server behind the gateway, and what it saw, as one JSON object.

A client is an adapter (`older.py`, `newer.py`) over one version of the SDK. Results are plain JSON as on the wire, so the
steps are the same for all of them. `../node/journey.mjs` is the same journey in the other language; the end-to-end tests
of the gateway hold both to the same expectations.
"""

import asyncio
import json
import sys

WATCHED = "test://watched-resource"
MODEL_ANSWER = "The model says hello"
FORM = {"username": "ada", "email": "ada@example.org"}
ROOT = "file:///test/root"
WAIT_SECONDS = 15


class Refused(Exception):
    """The peer answered with a JSON-RPC error."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code, self.message = code, message


class Notes:
    """What came in without being asked for."""

    def __init__(self):
        self.asked, self.logs, self.heard = [], [], []

    def elicited(self, message):
        self.asked.append(["elicitation", message])
        return {"action": "accept", "content": FORM}

    def sampled(self, prompt):
        self.asked.append(["sampling", prompt])
        text = {"type": "text", "text": MODEL_ANSWER}
        return {"role": "assistant", "content": text, "model": "test-model", "stopReason": "endTurn"}

    def roots(self):
        self.asked.append(["roots", None])
        return {"roots": [{"uri": ROOT, "name": "Test Root"}]}


async def until(question, what):
    """Asks until the answer is yes; a wait that is too long ends the journey."""
    for _ in range(WAIT_SECONDS * 50):
        if question():
            return
        await asyncio.sleep(0.02)
    raise TimeoutError(f"waited in vain for {what}")


def text(result):
    return result["content"][0]["text"]


async def travel(client, notes, prefix):
    name = lambda own: prefix + own
    saw = {"protocol": client.protocol, "server": client.server_name}

    for kind, key in (("tools", "name"), ("prompts", "name"), ("resources", "uri"), ("templates", "uriTemplate")):
        saw[kind] = [entry[key] for entry in await client.list(kind)]
    saw["echo"] = text(await client.call(name("echo"), {"text": "grüße"}))
    saw["structured"] = (await client.call(name("test_structured_content"), {"number": 21}))["structuredContent"]
    saw["mixed"] = [block["type"] for block in (await client.call(name("test_multiple_content_types"), {}))["content"]]

    saw["progress"] = []
    await client.call(name("test_tool_with_progress"), {}, lambda done, total: saw["progress"].append([done, total]))

    failed = await client.call(name("test_error_handling"), {})
    saw["failed"] = {"isError": failed.get("isError"), "text": text(failed)}
    try:
        await client.call(name("no_such_tool"), {})
        saw["unknown_tool"] = None
    except Refused as refused:
        saw["unknown_tool"] = {"code": refused.code, "message": refused.message}

    saw["elicitation"] = text(await client.call(name("test_elicitation"), {"message": "Who are you?"}))
    saw["sampling"] = text(await client.call(name("test_sampling"), {"prompt": "Say hello"}))
    saw["roots"] = text(await client.call(name("test_roots"), {}))
    saw["asked"] = notes.asked

    await client.want_logs()
    await client.call(name("test_tool_with_logging"), {})
    await until(lambda: len(notes.logs) >= 3, "three lines of log")
    saw["logs"] = notes.logs

    saw["read"] = (await client.read("test://static-text"))["contents"][0]["text"]
    saw["read_template"] = json.loads((await client.read("test://template/123/data"))["contents"][0]["text"])["id"]
    try:
        await client.read("test://no-such-resource")
        saw["unknown_resource"] = None
    except Refused as refused:
        saw["unknown_resource"] = refused.code
    prompt = await client.prompt(name("test_prompt_with_arguments"), {"arg1": "one", "arg2": "two"})
    saw["prompt"] = prompt["messages"][0]["content"]["text"]
    completed = await client.complete(name("test_prompt_with_arguments"), "arg1", "par")
    saw["completion"] = completed["completion"]["values"]

    # A list that was still filling up when the client came has changed as well; that is not what is waited for.
    notes.heard.clear()
    async with client.watching(WATCHED):
        await client.call(name("test_trigger_resource_update"), {})
        await until(lambda: ["updated", WATCHED] in notes.heard, "the update of a resource")
        saw["read_updated"] = (await client.read(WATCHED))["contents"][0]["text"]
        for kind in ("tools", "prompts", "resources"):
            await client.call(name(f"test_trigger_{kind[:-1]}_change"), {})
            await until(lambda: ["changed", kind] in notes.heard, f"the change of {kind}")
    saw["heard"] = sorted(set(map(tuple, notes.heard)))
    saw["changed_tools"] = [tool["name"] for tool in await client.list("tools")]

    saw["cancelled"] = await cancel(client, name)
    return saw


async def search(client, notes, prefix):
    """Finds a tool that is not listed, reads what it takes, and calls it."""
    saw = {"tools": [tool["name"] for tool in await client.list("tools")]}
    found = await client.call("search_tools", {"query": "echo text back"})
    saw["found"] = found["structuredContent"]["data"]["tools"]
    described = await client.call("describe_tools", {"names": saw["found"][:1]})
    saw["described"] = json.loads(text(described))
    wish = {"name": saw["described"]["name"], "arguments": {"text": "grüße"}}
    saw["called"] = text(await client.call("call_tool", wish))
    unknown = await client.call("call_tool", {"name": prefix + "ecko", "arguments": {}})
    saw["unknown"] = {"isError": unknown["isError"], "text": text(unknown)}
    return saw


JOURNEYS = {"all": travel, "search": search}


async def cancel(client, name):
    """Gives up on a call until the server says that it noticed."""
    for _ in range(WAIT_SECONDS):
        await client.give_up_on(name("test_cancellation"))
        for _ in range(20):
            seen = int(text(await client.call(name("test_cancellations_seen"), {})))
            if seen:
                return seen
            await asyncio.sleep(0.05)
    return 0


def main(connect):
    """`connect` yields a client for the request given as the only argument."""
    request = json.loads(sys.argv[1])

    async def run():
        notes = Notes()
        async with connect(request, notes) as client:
            return await JOURNEYS[request.get("journey", "all")](client, notes, request["prefix"])

    saw = asyncio.run(asyncio.wait_for(run(), 100))
    print(json.dumps(saw))
