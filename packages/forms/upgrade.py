"""An upgrade: a store of an older version, a data folder and a Postgres database, is taken on by the program of an installed package."""

import gzip
import json
import os
import sqlite3
import subprocess
import urllib.parse

from .program import ROOT, Failed, run
from .trial import Gateway, bare_environment

FIXTURES = ROOT / "crates/base/toolgate-store/tests/fixtures"
# What the ledger of the older version had.
EVENTS = 663
DATABASE = "older_version"


def try_it(program, work):
    home = work / "upgrade"
    home.mkdir()
    environment = bare_environment(home, f"{program.parent}:/usr/bin:/bin")
    server = os.environ.get("TOOLGATE_TEST_POSTGRES")
    if server is None:
        raise Failed("TOOLGATE_TEST_POSTGRES names no Postgres\nhint: TOOLGATE_TEST_POSTGRES=$(script/postgres start) script/package …")
    tried = [
        walk(program, environment, home / "sqlite", load_sqlite),
        walk(program, environment, home / "postgres", lambda gate: load_postgres(gate, server)),
    ]
    return "; ".join(tried)


def dump(kind):
    return gzip.decompress((FIXTURES / f"ledger1.{kind}.sql.gz").read_bytes()).decode()


def load_sqlite(gate):
    gate.data.mkdir()
    store = sqlite3.connect(gate.data / "toolgate.db")
    store.executescript(dump("sqlite"))
    store.close()
    return "data folder"


def load_postgres(gate, server):
    """Into a database of its own, on the server that the tests use."""
    address = urllib.parse.urlsplit(server)._replace(path=f"/{DATABASE}").geturl()
    for statement in (f"DROP DATABASE IF EXISTS {DATABASE}", f"CREATE DATABASE {DATABASE}"):
        run("psql", "-q", "-c", statement, server)
    run("psql", "-q", "-v", "ON_ERROR_STOP=1", address, input=dump("postgres"))
    configuration = gate.folder / "toolgate.toml"
    configuration.write_text(configuration.read_text() + f'[store]\nurl = "{address}"\nstream = "one"\n')
    return "Postgres"


def walk(program, environment, folder, load):
    gate = Gateway([program], folder, environment)
    kind = load(gate)

    def told(*words):
        command = [str(program), *words, "--json", "--config", str(folder / "toolgate.toml"), "--data", str(gate.data)]
        done = subprocess.run(command, capture_output=True, text=True, env=gate.environment, check=False)
        return done.returncode, done.stdout + done.stderr

    code, said = told("store", "upgrade", "--check")
    before = json.loads(said)
    if code != 1 or before["current"] or not before["missing"]:
        raise Failed(f"the check of an older store ended with {code}: {said}")
    for words, wanted in ((("store", "upgrade"), 0), (("store", "upgrade", "--check"), 0), (("ledger", "verify"), 0)):
        code, said = told(*words)
        if code != wanted:
            raise Failed(f"`toolgate {' '.join(words)}` on an older store ended with {code}: {said}")
    if str(EVENTS) not in said:
        raise Failed(f"the ledger of the older version had {EVENTS} events; now: {said}")
    with gate:
        code, said = told("store", "upgrade", "--check")
        if code != 0:
            raise Failed(f"beside a gateway, the check ended with {code}: {said}")
        code, token = told("token", "create", "--role", "agent")
        gate.tokens = {"agent": json.loads(token)["token"]} if code == 0 else {}
        gate.first_call()
    return f"{kind}: {len(before['missing'])} steps from form {before['stored']}, {EVENTS} events verified, first call"
