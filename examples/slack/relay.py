#!/usr/bin/env python3
"""Brings approvals to Slack and decisions back: `relay.py --listen 127.0.0.1:8790`.

`/toolgate` takes what Toolgate's webhook sends; `/slack/actions` takes the buttons that people press in Slack. Both are
signed, and nothing that is not is looked at.
"""

import argparse
import base64
import hashlib
import hmac
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

GATEWAY = os.environ["TOOLGATE"]
WEBHOOK = os.environ.get("WEBHOOK_NAME", "slack")
SECRET = os.environ["WEBHOOK_SECRET"]
SLACK_URL = os.environ["SLACK_WEBHOOK_URL"]
SLACK_SECRET = os.environ["SLACK_SIGNING_SECRET"]
PEOPLE = json.loads(os.environ["PEOPLE"])
SHOW_ARGUMENTS = os.environ.get("SHOW_ARGUMENTS", "yes") != "no"

AGE_SECONDS_MAX = 300
BODY_BYTES_MAX = 1 << 20
# Slack cuts a text block off at 3,000 characters.
ARGUMENTS_CHARS_MAX = 2500
WAIT_SECONDS_MAX = 10


# ------------------------------------------------------------------------------------------------------------ signatures


def webhook_key():
    """`whsec_` and Base64, or any other text as its own bytes."""
    return base64.b64decode(SECRET[6:]) if SECRET.startswith("whsec_") else SECRET.encode()


def webhook_signature(message_id, timestamp, body):
    """As Standard Webhooks has it."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(webhook_key(), signed, hashlib.sha256)).decode()


def is_fresh(timestamp):
    return timestamp.isdigit() and abs(time.time() - int(timestamp)) <= AGE_SECONDS_MAX


def is_from_toolgate(headers, body):
    timestamp = headers.get("webhook-timestamp", "")
    expected = webhook_signature(headers.get("webhook-id", ""), timestamp, body)
    given = headers.get("webhook-signature", "").split(" ")
    return is_fresh(timestamp) and any(hmac.compare_digest(one, expected) for one in given)


def is_from_slack(headers, body):
    timestamp = headers.get("x-slack-request-timestamp", "")
    signed = f"v0:{timestamp}:".encode() + body
    expected = "v0=" + hmac.new(SLACK_SECRET.encode(), signed, hashlib.sha256).hexdigest()
    return is_fresh(timestamp) and hmac.compare_digest(headers.get("x-slack-signature", ""), expected)


# -------------------------------------------------------------------------------------------------------------- messages


def plain(text):
    """Text of agents and tools: it may neither link nor call anybody by name."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def message_about(approval):
    """A message for people, with two buttons and, where there is one, a link to the console."""
    reasons = [gate.get("reason") or gate["id"] for gate in approval["requirement"]["gates"]]
    lines = [
        f"*{plain(approval['principal'])}* wants to call *{plain(approval['tool'])}*",
        *(f"_{plain(reason)}_" for reason in reasons),
        f"until {approval['expires_at']}",
    ]
    blocks = [section("\n".join(lines))]
    if SHOW_ARGUMENTS:
        # Backticks would end the block of code that the arguments stand in.
        shown = json.dumps(approval["arguments"], indent=2, ensure_ascii=False).replace("```", "'''")
        blocks.append(section(f"```{plain(shown[:ARGUMENTS_CHARS_MAX])}```"))
    # A decision is for what this message shows, whatever becomes of it meanwhile.
    value = json.dumps({"id": approval["id"], "effective": approval["effective"]})
    buttons = [button("Approve", "approve", value, "primary"), button("Deny", "deny", value, "danger")]
    if "link" in approval:
        buttons.append({"type": "button", "text": words("Open"), "url": approval["link"], "action_id": "open"})
    blocks.append({"type": "actions", "elements": buttons})
    return {"text": f"{approval['principal']} wants to call {approval['tool']}", "blocks": blocks}


def words(text):
    return {"type": "plain_text", "text": text}


def section(text):
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def button(text, action, value, style):
    return {"type": "button", "text": words(text), "action_id": action, "value": value, "style": style}


def post(url, body, headers=None):
    """Sends JSON; the status and what came back."""
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json", **(headers or {})})
    try:
        with urllib.request.urlopen(request, timeout=WAIT_SECONDS_MAX) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read()


# ------------------------------------------------------------------------------------------------------------------ ways


def from_toolgate(body):
    """Slack is told; Toolgate sends it again where that fails."""
    event = json.loads(body)
    approval = event["data"]
    if event["type"].endswith("approval.requested"):
        message = message_about(approval)
    elif event["type"].endswith("approval.resolved"):
        message = {"text": f"{plain(approval['tool'])} for {plain(approval['principal'])}: {approval['state']}"}
    else:
        return 200
    status, _ = post(SLACK_URL, message)
    return 200 if status == 200 else 502


def from_slack(body):
    """A pressed button becomes a decision, and the presser hears what became of it."""
    payload = json.loads(urllib.parse.parse_qs(body.decode())["payload"][0])
    action = payload["actions"][0]
    if action["action_id"] not in ("approve", "deny"):
        return 200
    person = PEOPLE.get(payload["user"]["id"])
    if person is None:
        said = {"text": "You are not among those who may decide here.", "response_type": "ephemeral", "replace_original": False}
    else:
        said = decide(json.loads(action["value"]), action["action_id"], person)
    post(payload["response_url"], said)
    return 200


def decide(shown, decision, person):
    told = {"approval_id": shown["id"], "effective": shown["effective"], "decision": decision, "reason": "decided in Slack", "person": person}
    body = json.dumps(told).encode()
    message_id, timestamp = f"msg_{uuid.uuid4().hex}", str(int(time.time()))
    headers = {
        "Content-Type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": webhook_signature(message_id, timestamp, body),
    }
    request = urllib.request.Request(f"{GATEWAY}/webhooks/{WEBHOOK}/decisions", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=WAIT_SECONDS_MAX) as answer:
            state = json.load(answer)["approval"]["state"]
            return {"text": f"{person}: {decision}. It is {state} now.", "replace_original": True}
    except urllib.error.HTTPError as refused:
        detail = json.load(refused).get("detail", "it was refused")
        return {"text": f"Nothing was decided: {plain(detail)}", "response_type": "ephemeral", "replace_original": False}


WAYS = {"/toolgate": (is_from_toolgate, from_toolgate), "/slack/actions": (is_from_slack, from_slack)}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        self.send_response(self.answer())
        self.send_header("Content-Length", "0")
        self.end_headers()

    def answer(self):
        length = self.headers.get("Content-Length", "")
        if self.path not in WAYS or not length.isdigit() or int(length) > BODY_BYTES_MAX:
            return 404
        is_signed, take = WAYS[self.path]
        body = self.rfile.read(int(length))
        if not is_signed(self.headers, body):
            return 401
        try:
            return take(body)
        except (KeyError, ValueError, OSError) as error:
            print(f"could not take {self.path}: {error!r}", flush=True)
            return 502


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--listen", default="127.0.0.1:8790")
    host, port = parser.parse_args().listen.rsplit(":", 1)
    server = ThreadingHTTPServer((host, int(port)), Handler)
    print(f"listening on http://{host}:{server.server_port}", flush=True)
    server.serve_forever()


main()
