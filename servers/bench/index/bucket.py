"""The first search after a start when the index lies in S3: a gateway with an empty engine folder brings the files from the bucket.

The engine itself knows no bucket: it says which files it lacks, and the gateway brings them. So the gateway's own program is measured.
"""

import contextlib
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

import synthetic
from engine_client import Engine
from gateway_client import Gateway, GatewayFault

CHUNKS = 100_000
STARTS = 20
TOP_K = 10
INGEST_SECONDS_MAX = 4 * 3600
# The longest that one call may wait.
WAIT_SECONDS = 300
POINTER = {"namespace": "bench", "name": "bucket"}
PROFILE = "docs.default"
S3_SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "script/s3"


def run(engine, gateway, home, model, chunks, starts, say):
    """`engine` and `gateway` are programs; `home` is a folder for this alone."""
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    model = pathlib.Path(model).resolve()
    with _storage(say) as words:
        _configure(home, words, engine, model)
        built, sample = _fill(engine, gateway, home, model, chunks, say)
        queries = synthetic.Writer(synthetic.SEED + 2).queries(sample, 2 * starts)
        say(f"bucket: {starts} starts with an empty folder")
        times = [_start(gateway, home, first, second) for first, second in zip(queries[::2], queries[1::2])]
    shutil.rmtree(home, ignore_errors=True)
    return {**built, "starts": starts, **_summary(times)}


@contextlib.contextmanager
def _storage(say):
    """How to reach a bucket: that of TOOLGATE_TEST_S3, or that of a server which is started here and ends with the measurement."""
    if "TOOLGATE_TEST_S3" in os.environ:
        yield os.environ["TOOLGATE_TEST_S3"]
        return
    say("bucket: starting an S3 server")
    with tempfile.TemporaryDirectory(prefix="toolgate-bench-s3-") as folder:
        environment = {**os.environ, "TOOLGATE_S3": f"{folder}/server"}
        try:
            yield _s3("start", environment).strip()
        finally:
            _s3("stop", environment)


def _s3(word, environment):
    done = subprocess.run([S3_SCRIPT, word], stdout=subprocess.PIPE, env=environment)
    if done.returncode:
        raise SystemExit(f"error: script/s3 {word} failed\nhint: its words are above; TOOLGATE_TEST_S3 names a server that runs")
    return done.stdout.decode()


def _configure(home, words, engine, model):
    address, bucket, key, secret = words.split()
    # A part of the bucket for this measurement alone.
    part = f"bench-index-{os.getpid()}-{time.time_ns()}"
    lines = [
        '[policy]\ntemplate = "exploratory"',
        f"[engine]\ncommand = {_text(engine)}\nfolder = {_text(_engine_folder(home))}\nmodel = {_text(model)}",
        f"[files]\nurl = {_text(f's3://{bucket}/{part}')}\nendpoint = {_text(address)}\naccess_key_id = {_text(key)}\n"
        f"secret_access_key = {_text(secret)}\nallow_http = true",
        # What is ingested is said here, and nothing else is built while searches are timed.
        "[index]\nfollow = false",
    ]
    place = home / "toolgate.toml"
    place.touch(mode=0o600)
    place.write_text("\n".join(lines) + "\n")


def _text(value):
    """A string of TOML; the escapes of JSON are among its own."""
    return json.dumps(str(value), ensure_ascii=False)


def _engine_folder(home):
    return home / "engine"


def _fill(engine, gateway, home, model, chunks, say):
    """Documents with random vectors go through the gateway into an index in the bucket. Says what was built, and texts for queries."""
    count = chunks // synthetic.PASSAGES_OF_DOCUMENT
    say(f"bucket: writing {count} documents of {synthetic.PASSAGES_OF_DOCUMENT} passages with random vectors")
    sources = home / "sources"
    sample = _write_documents(engine, home, model, sources, count)
    with Gateway(gateway, home) as running:
        say("bucket: importing the documents")
        imported = running.say("substrate", "import", str(sources), "--kind", "folder")
        running.call("substrate.pointer.create", {**POINTER, "manifest_sha256": imported["manifest"]})
        say("bucket: building the index")
        began = time.perf_counter()
        index = _ingested(running)
        seconds = time.perf_counter() - began
    _check_built(index, count)
    shutil.rmtree(sources)
    return {"chunks": index["chunks"], "documents": index["documents"], "ingest_seconds": seconds}, sample


def _write_documents(engine, home, model, sources, count):
    """Markdown files, and their vectors where the engine keeps those that it knows. Says some of the texts."""
    sources.mkdir()
    folder, sample = _engine_folder(home), []
    with Engine(engine, folder, model) as asked:
        facts = asked.greeting()["model"]
    if not facts:
        raise SystemExit("error: the engine has no model\nhint: script/model fetches one; TOOLGATE_MODEL names its folder")
    kept = synthetic.KeptVectors(folder, facts["digest"], facts["dimensions"])
    for documents in synthetic.write_documents(synthetic.Writer(), count):
        for document in documents:
            (sources / document.path).with_suffix(".md").write_text(_markdown(document))
        kept.put([text for document in documents for text in document.encoded_texts()])
        sample = sample or [body for document in documents for _, body in document.sections]
    kept.close()
    return sample


def _markdown(document):
    parts = [f"# {document.title}", *(f"## {heading}\n\n{body}" for heading, body in document.sections)]
    return "\n\n".join(parts) + "\n"


def _ingested(gateway):
    """The index, when it is there: the same ingest is asked for again until it is done."""
    ends = time.perf_counter() + INGEST_SECONDS_MAX
    while time.perf_counter() < ends:
        said = gateway.call("index.ingest", {"target": {"pointer": POINTER}, "profile": PROFILE, "wait_seconds": WAIT_SECONDS})
        if said["state"] == "partial":
            raise GatewayFault(f"{said['problem_count']} documents are not in the index: {said['problems'][:3]}")
        if said["state"] == "done":
            return said["index"]
    raise GatewayFault(f"the ingest did not end within {INGEST_SECONDS_MAX} s")


def _check_built(index, count):
    if index["embedded"] or index["chunks"] != count * synthetic.PASSAGES_OF_DOCUMENT:
        raise SystemExit(
            f"error: {index['embedded']} of {index['chunks']} passages were encoded, so the engine cuts them otherwise than synthetic.py expects\n"
            "hint: compare Document.encoded_texts with Chunk::embedded_text, and KeptVectors with servers/engine/src/embeddings"
        )


def _start(gateway, home, first, second):
    """One start: nothing of the index is on this side of the bucket. The encoding of the query is part of a search."""
    folder = _engine_folder(home)
    shutil.rmtree(folder)
    with Gateway(gateway, home) as running:
        _search(running, first)
        answered = time.perf_counter()
        brought = sum(file.stat().st_size for file in (folder / "contents").iterdir())
        began = time.perf_counter()
        _search(running, second)
        ended = time.perf_counter()
    if not brought:
        raise SystemExit("error: the engine was brought nothing, so this was no search of an index in a bucket")
    milliseconds = {"from_start": answered - running.started, "from_ready": answered - running.ready, "second": ended - began}
    return {**{name: seconds * 1000 for name, seconds in milliseconds.items()}, "brought_mib": brought / 2**20}


def _search(gateway, query):
    said = gateway.call("index.search", {"query": query, "scope": {"pointers": [POINTER]}, "profile": PROFILE, "top_k": TOP_K})
    if not said["by_meaning"]:
        raise SystemExit("error: words alone were searched")
    if not said["hits"] or not all(hit.get("citation") for hit in said["hits"]):
        raise SystemExit("error: a search found nothing, or does not cite what it found")


def _summary(times):
    found = {"brought_mib": times[0]["brought_mib"]}
    for name in ("from_start", "from_ready", "second"):
        row = [one[name] for one in times]
        found[name] = {"p50_ms": statistics.median(row), "worst_ms": max(row), "all_ms": row}
    return found
