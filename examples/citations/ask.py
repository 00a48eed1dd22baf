#!/usr/bin/env python3
"""A folder of contracts becomes a knowledge base, and answers say where they stand."""

import json
import os
import pathlib
import sys
import time
import urllib.error
import urllib.request

GATEWAY = os.environ.get("TOOLGATE", "http://127.0.0.1:8700")
TOKEN = os.environ["AGENT_TOKEN"]
CONTRACTS = pathlib.Path(__file__).parent / "contracts"
POINTER = {"namespace": "legal", "name": "contracts"}
TRIES_MAX = 60


def call(tool, refusals=(), **arguments):
    """The data of a tool's answer; None if it is refused with one of these codes."""
    request = urllib.request.Request(f"{GATEWAY}/tools/{tool}", json.dumps(arguments).encode(), method="POST")
    request.add_header("Authorization", f"Bearer {TOKEN}")
    request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["data"]
    except urllib.error.HTTPError as refused:
        said = json.load(refused)
        error = said.get("error") or {"message": said.get("detail"), "hint": said.get("hint")}
        if error.get("code") in refusals:
            return None
        sys.exit(f"{tool}: {error.get('message')}\nhint: {error.get('hint')}")


def upload():
    """A manifest of the folder, and a pointer that leads to it."""
    entries = []
    for path in sorted(CONTRACTS.iterdir()):
        stored = call("substrate.artifact.upload", text=path.read_text(), filename=path.name)
        entries.append({"path": path.name, "artifact_sha256": stored["sha256"]})
    made = call("substrate.manifest.create", entries=entries, message="contracts")
    call("substrate.pointer.create", ("pointer_exists",), manifest_sha256=made["sha256"], **POINTER)


def index():
    """The ingest is a run; what is not done within its time goes on, and searches find nothing before it is."""
    call("index.ingest", target={"pointer": POINTER}, wait_seconds=60)
    for _ in range(TRIES_MAX):
        if call("index.search", ("no_index",), query="lease", scope={"pointers": [POINTER]}) is not None:
            return
        time.sleep(0.5)
    sys.exit("the index is not there after all this time")


def ask(query):
    answer = call("knowledge.kb_query", kb="contracts", query=query)
    print(f"? {query}")
    if not answer["found"]:
        print("  Nothing found.")
    for passage in answer["passages"]:
        for sentence in passage["sentences"]:
            print(f"  {sentence['text']} ({passage['path']}, {' > '.join(passage['headings'])})")
            print(f"    {GATEWAY}{sentence['citation']['address']}")


upload()
index()
call("knowledge.kb_create", name="contracts", pointers=[POINTER], manner="strict-evidence")
ask("notice period of the office lease")
ask("parental leave of astronauts")
