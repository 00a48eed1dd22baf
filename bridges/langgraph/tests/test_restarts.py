"""What survives: a gateway that is killed, a graph that goes on in another process, a token that is revoked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import urllib.error
from pathlib import Path

import pytest
from conftest import call, done_with, graph, node, thread, turn
from house import until
from langgraph.types import Command
from toolgate_langgraph import GatewayUnreachable, TokenRefused

HERE = Path(__file__).resolve().parent


def decide(house, approval, word="approve"):
    house.ask("POST", f"/approvals/{approval}/decide", house.approver, {"decision": word})


def test_a_gateway_that_is_killed_between_interrupt_and_resume(house):
    app, config = graph(node(house)), thread()
    (pause,) = app.invoke(turn(call("note", "1", text="kill"), call("send", "2", text="kill")), config)["__interrupt__"]
    house.kill()
    with pytest.raises(GatewayUnreachable):
        app.invoke(Command(resume="look"), config)
    house.boot()
    assert app.invoke(Command(resume="look"), config)["__interrupt__"], "it still waits"
    decide(house, pause.value["toolgate"]["items"][0]["id"])
    house.kill()
    house.boot()
    said = app.invoke(Command(resume="look"), config)
    assert [made.status for made in said["messages"][1:]] == ["success", "success"]
    assert done_with(house, "kill") == ["note", "send"]
    assert house.say("ledger", "verify")


def is_live(house, token):
    try:
        return bool(house.ask("GET", "/tools", token))
    except urllib.error.HTTPError as error:
        assert error.code == 401
        return False


def in_another_process(house, *words):
    env = {**os.environ, "TOOLGATE_URL": house.url, "AGENT_TOKEN": house.agent}
    done = subprocess.run([sys.executable, HERE / "other_process.py", *words], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_graph_that_is_resumed_in_another_process(house, tmp_path):
    checkpoints = str(tmp_path / "graph.sqlite")
    started = in_another_process(house, checkpoints, "start")
    assert done_with(house, "elsewhere") == ["note"]
    decide(house, started["approval"])
    ended = in_another_process(house, checkpoints, "resume")
    assert ended["statuses"] == ["success", "success"]
    assert done_with(house, "elsewhere") == ["note", "send"]
    assert house.agent.encode() not in Path(checkpoints).read_bytes()


def test_a_graph_that_is_resumed_on_another_machine(house, tmp_path):
    """It has the checkpoints and a token of its own for the same agent, and nothing else of the first."""
    first, second = tmp_path / "first.sqlite", tmp_path / "second.sqlite"
    started = in_another_process(house, str(first), "start")
    house.agent = house.token()
    second.write_bytes(first.read_bytes())
    first.unlink()
    decide(house, started["approval"])
    ended = in_another_process(house, str(second), "resume")
    assert ended["statuses"] == ["success", "success"]
    assert done_with(house, "elsewhere") == ["note", "send"]


def revoke(house):
    """Revokes the agent's token."""
    listed = json.loads(house.say("--json", "token", "list"))
    (own,) = [one["id"] for one in listed if one["principal"] == "writer" and one["role"] == "agent"]
    house.say("token", "revoke", own)
    until(lambda: not is_live(house, house.agent), "the token is still live")


def test_a_token_that_is_revoked_while_a_node_waits(house):
    ended = []

    def work():
        try:
            graph(node(house, approvals="wait")).invoke(turn(call("note", "1", text="waits"), call("send", "2", text="waits")), thread())
        except TokenRefused as error:
            ended.append(str(error))

    waiting = threading.Thread(target=work)
    waiting.start()
    until(lambda: house.ask("GET", "/approvals?state=pending", house.approver)["approvals"], "nobody is asked")
    revoke(house)
    waiting.join(60)
    assert len(ended) == 1 and "revoked" in ended[0], ended
    assert done_with(house, "waits") == ["note"]


def test_a_token_that_is_revoked_in_the_middle_of_a_graph(house):
    app, config = graph(node(house)), thread()
    app.invoke(turn(call("note", "1", text="revoked"), call("send", "2", text="revoked")), config)
    revoke(house)
    with pytest.raises(TokenRefused, match="revoked"):
        app.invoke(Command(resume="look"), config)
    assert done_with(house, "revoked") == ["note"]
