"""The recipe on a real Temporal server and a real gateway; worker and gateway are killed in the middle of a turn."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import uuid
from pathlib import Path

import house as of_house
import pytest
import recipe
from house import House, free_port, until
from temporalio import activity
from temporalio.client import Client, WorkflowFailureError
from temporalio.worker import Worker

QUEUE = "letters"
#: A busy machine takes its time.
of_house.SECONDS = 200
#: A tool whose work is seen before its answer.
SLOW = 'print(json.dumps(answer), flush=True)'
SLOWER = 'import time; time.sleep(2 if "note" in line and "slowly" in line else 0); ' + SLOW


@pytest.fixture
def house(tmp_path):
    house = House(tmp_path, f"127.0.0.1:{free_port()}")
    desk = tmp_path / "desk.py"
    desk.write_text(desk.read_text().replace(SLOW, SLOWER))
    house.boot()
    house.agent, house.approver, house.admin = house.token(), house.token("approver", "ann"), house.token("admin", "root")
    until(lambda: "desk__send" in str(house.ask("GET", "/tools", house.agent)), "the tools are not there")
    yield house
    house.stop()


@pytest.fixture
def temporal(tmp_path):
    port = free_port()
    words = ["server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", str(port), "--db-filename", str(tmp_path / "temporal.db")]
    program = shutil.which("temporal", path=str(Path(sys.executable).parent))
    log = (tmp_path / "temporal.log").open("wb")
    server = subprocess.Popen([program, *words], stdout=log, stderr=log)
    yield f"127.0.0.1:{port}"
    server.terminate()
    server.wait(20)


class Workers:
    """Processes with one worker each."""

    def __init__(self, house, temporal):
        self.house, self.temporal, self.alive = house, temporal, None

    def start(self):
        env = {**os.environ, "TOOLGATE_URL": self.house.url, "TOOLGATE_TOKEN": self.house.agent, "TEMPORAL": self.temporal}
        log = (self.house.folder / "worker.log").open("ab")
        self.alive = subprocess.Popen([sys.executable, __file__], env=env, stdout=log, stderr=log)

    def kill(self):
        self.alive.send_signal(signal.SIGKILL)
        self.alive.wait()


@pytest.fixture
def workers(house, temporal):
    workers = Workers(house, temporal)
    workers.start()
    yield workers
    workers.kill()


async def connected(temporal):
    for _ in range(2000):
        try:
            return await Client.connect(temporal)
        except RuntimeError:
            await asyncio.sleep(0.1)
    raise AssertionError("the Temporal server does not get ready")


async def when(check, failure):
    await asyncio.to_thread(until, check, failure)


def note_is_recorded(house):
    events = house.ask("GET", "/ledger?limit=100", house.admin)["events"]
    return any((one["kind"], one.get("tool")) == ("tool.call.completed", "desk:note") for one in events)


@pytest.mark.parametrize("word", ["approve", "deny"])
def test_a_turn_is_made_once_when_worker_and_gateway_are_killed_in_it(house, temporal, workers, word):
    async def go():
        client = await connected(temporal)
        work = await client.start_workflow(recipe.Agent.run, "slowly", id=f"ticket-{word}", task_queue=QUEUE)
        await when(lambda: house.done() == [["note", "slowly"]], "the turn does not begin")
        workers.kill()
        await when(lambda: house.ask("GET", "/approvals?state=pending", house.approver)["approvals"], "nobody is asked")
        await when(lambda: note_is_recorded(house), "the note is not recorded")
        house.kill()
        workers.start()
        house.boot()
        (waiting,) = house.ask("GET", "/approvals?state=pending", house.approver)["approvals"]
        house.ask("POST", f"/approvals/{waiting['id']}/decide", house.approver, {"decision": word, "reason": "a test"})
        return json.loads(await asyncio.wait_for(work.result(), 200))

    results = asyncio.run(go())
    assert [one["status"] for one in results] == ["succeeded", "succeeded" if word == "approve" else "denied"], results
    assert house.done() == [["note", "slowly"], *([["send", "slowly"]] if word == "approve" else [])]
    assert house.say("ledger", "verify")


def test_a_token_that_is_refused_ends_the_workflow(house, temporal, workers):
    async def go():
        client = await connected(temporal)
        workers.kill()
        house.agent = "tg_nobody"
        workers.start()
        work = await client.start_workflow(recipe.Agent.run, "never", id=f"ticket-{uuid.uuid4()}", task_queue=QUEUE)
        with pytest.raises(WorkflowFailureError):
            await asyncio.wait_for(work.result(), 200)

    asyncio.run(go())
    assert house.done() == []


@activity.defn
async def ask_model(messages):
    """A model that writes a note and a letter, and says then what it was told."""
    if len(messages) > 1:
        return {"text": json.dumps(messages[-1]["content"]), "calls": []}
    calls = [{"name": f"desk__{name}", "arguments": {"text": messages[0]["content"]}} for name in ("note", "send")]
    return {"text": "", "calls": calls}


async def work():
    client = await connected(os.environ["TEMPORAL"])
    await Worker(client, task_queue=QUEUE, workflows=[recipe.Agent], activities=[recipe.make_turn, ask_model]).run()


if __name__ == "__main__":
    asyncio.run(work())
