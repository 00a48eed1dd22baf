"""An agent that keeps its own loop, as LangGraph does, and the gateway keeps its record: steps, tool calls, states.

It works in four steps. Asked to, it dies between two of them; started again with the id of its run, it goes on from the state
that was saved last. At the end it makes a manifest of what it wrote, completes the run with it, and follows the refs of that
answer down to the bytes. What it saw is one JSON object on stdout.
"""

import asyncio
import json
import os
import sys
import urllib.request

from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

STEPS = 4


class Gateway:
    """The tools of the gateway, called by their names on the wire."""

    def __init__(self, client):
        self.client = client

    async def call(self, tool, **arguments):
        result = await self.client.call_tool(tool.replace(".", "__"), arguments)
        result = result.model_dump(by_alias=True, mode="json", exclude_none=True)
        if result.get("isError"):
            raise SystemExit(f"{tool}: {result['content'][0]['text']}")
        return result["structuredContent"]

    async def data(self, tool, **arguments):
        return (await self.call(tool, **arguments))["data"]


async def work(gateway, run, state, dies_after):
    """The loop: each step is reported, and its state saved, before the next begins."""
    while state["step"] < STEPS:
        name = f"step {state['step']}"
        await gateway.data("run.log_step", run_id=run, step_name=name, event="start", data={"seen": len(state["words"])})
        await gateway.data("run.log_tool_call", run_id=run, tool_name="think", event="start", arguments={"about": name})
        state["words"].append(name)
        await gateway.data("run.log_tool_call", run_id=run, tool_name="think", event="complete", result=name)
        await gateway.data("run.log_step", run_id=run, step_name=name, event="complete", duration_ms=1)
        state["step"] += 1
        await gateway.data("run.checkpoint", run_id=run, state=state, checkpoint_id=f"after-{name}")
        if state["step"] == dies_after:
            print(json.dumps({"run_id": run}), flush=True)
            os._exit(9)


async def finish(gateway, run, state):
    """Ends the run with a manifest, and returns the answers to the upload and to the end."""
    text = ", ".join(state["words"])
    uploaded = await gateway.call("substrate.artifact.upload", text=text, filename="report.md")
    entries = [{"path": "report.md", "artifact_sha256": uploaded["data"]["sha256"]}]
    manifest = await gateway.data("substrate.manifest.create", entries=entries, message="the report")
    ended = await gateway.call("run.complete", run_id=run, result={"steps": STEPS}, output_manifest_sha256=manifest["sha256"])
    return uploaded, ended


async def read(gateway, refs):
    """The texts of the artifacts that an answer names."""
    artifacts = [ref["sha256"] for ref in refs if ref["type"] == "artifact"]
    return [(await gateway.data("substrate.artifact.read", sha256=sha256))["text"] for sha256 in artifacts]


async def follow(gateway, refs):
    """From the manifests that an answer names to the bytes behind them."""
    found = {}
    for ref in refs:
        if ref["type"] != "manifest":
            continue
        checkout = await gateway.data("substrate.manifest.checkout", sha256=ref["sha256"])
        for entry in checkout["entries"]:
            address = await gateway.data("substrate.artifact.url", sha256=entry["artifact_sha256"])
            with urllib.request.urlopen(address["url"], timeout=20) as answer:
                found[entry["path"]] = answer.read().decode()
    return found


async def main():
    request = json.loads(sys.argv[1])
    headers = {"Authorization": f"Bearer {request['token']}"}
    async with create_mcp_http_client(headers=headers) as http:
        way = streamable_http_client(request["url"], http_client=http)
        async with Client(way, mode="auto" if request["era"] == "modern" else "legacy") as client:
            gateway = Gateway(client)
            run, state = request.get("run_id"), {"step": 0, "words": []}
            if run is None:
                run = (await gateway.data("run.create", run_type="research", name="bees"))["id"]
                await gateway.data("run.start", run_id=run)
            else:
                state = (await gateway.data("run.checkpoint_latest", run_id=run))["checkpoint"]["state"]
            resumed_at = state["step"]
            await work(gateway, run, state, request.get("dies_after"))
            uploaded, ended = await finish(gateway, run, state)
            artifacts = await read(gateway, uploaded["refs"])
            followed = await follow(gateway, ended["refs"])
            print(json.dumps({"resumed_at": resumed_at, "state": ended["data"]["state"], "artifacts": artifacts, "followed": followed}))


asyncio.run(asyncio.wait_for(main(), 100))
