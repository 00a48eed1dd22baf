#!/usr/bin/env python3
"""An agent loop of one's own: list tools, ask a model, run what it wants, wait where a person must agree."""

import json
import os
import sys
import time
import urllib.error
import urllib.request

GATEWAY = os.environ.get("TOOLGATE", "http://127.0.0.1:8700")
TOKEN = os.environ["AGENT_TOKEN"]
PAUSE_SECONDS = float(os.environ.get("PAUSE_SECONDS", "2"))
TURNS_MAX = 10


def ask_gateway(path, body=None):
    """One request; what the gateway refuses comes back as the same kind of answer."""
    request = urllib.request.Request(GATEWAY + path, method="POST" if body else "GET")
    request.add_header("Authorization", f"Bearer {TOKEN}")
    request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, json.dumps(body).encode() if body else None) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refused:
        problem = json.load(refused)
        sys.exit(f"{problem.get('detail')}\nhint: {problem.get('hint', 'see the log of the gateway')}")


def decided(approval_id):
    """Waits until people have decided, or their time is up."""
    while (approval := ask_gateway(f"/approvals/{approval_id}"))["state"] == "pending":
        time.sleep(PAUSE_SECONDS)
    return approval


def call(name, arguments):
    """Runs a tool. Once people have agreed, the same call again attaches to their yes and runs, once."""
    while True:
        answer = ask_gateway("/tools/call", {"name": name, "arguments": arguments})
        if answer["status"] != "pending_approval":
            print(f"{name}: {answer['status']}", flush=True)
            return answer
        print(f"{name}: waits for a person ({answer['approval_id']})", flush=True)
        approval = decided(answer["approval_id"])
        if approval["state"] != "approved":
            # The same call again would ask the same people again.
            print(f"{name}: {approval['state']}", flush=True)
            return {"status": approval["state"], "error": {"message": no(approval), "hint": "do something else"}}


def no(approval):
    """Why it may not run, in the words of the person who said no."""
    reasons = [vote["reason"] for vote in approval["votes"] if vote.get("reason")]
    return f"{approval['tool']} may not run: {approval['state']}. " + " ".join(reasons)


def for_model(answer):
    """What the model reads: the texts of the result, or what went wrong and what to do."""
    if "error" in answer:
        return f"{answer['error']['message']}\nhint: {answer['error'].get('hint', '')}"
    return "\n".join(part["text"] for part in answer["data"]["content"] if part["type"] == "text")


def model(messages, tools):
    """A made-up model: reads the inbox, answers the first letter, and stops. Yours goes here."""
    results = [message for message in messages if message["role"] == "tool"]
    if not results:
        return [("letters__read_inbox", {})], None
    if len(results) == 1:
        letter = json.loads(results[0]["content"])[0]
        return [("letters__send", {"to": letter["from"], "text": "Friday is fine."})], None
    done = results[1]["content"].startswith("Sent")
    return [], "The letter is on its way." if done else f"No letter: {results[1]['content']}"


def main():
    tools = [tool["definition"] for tool in ask_gateway("/tools")["tools"]]
    messages = [{"role": "user", "content": "Answer my letters."}]
    for _ in range(TURNS_MAX):
        calls, last_word = model(messages, tools)
        if last_word:
            print(last_word)
            return
        for name, arguments in calls:
            messages.append({"role": "tool", "name": name, "content": for_model(call(name, arguments))})


main()
