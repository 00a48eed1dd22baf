"""Searches among a million passages that nobody wrote: how long they take, how much memory they need, and how soon a change is found."""

import shutil
import statistics
import time

import corpus
import measures
import profiles
import synthetic
from engine_client import Engine, Refused

QUERIES = 1000
WARM_UP = 50
TOP_K = 10
CHANGES = 5
STARTS = 5
# Texts that queries are made of.
SAMPLE = 2000


def run(program, home, model, chunks, say):
    """`home` is the engine's folder for this alone: its vectors are of nothing."""
    shutil.rmtree(home, ignore_errors=True)
    profile = profiles.shipped("docs.default")
    words = profiles.words_alone(profile)
    listing, built, sample = _build(program, home, model, profile, chunks, say)
    queries = synthetic.Writer(synthetic.SEED + 2).queries(sample, QUERIES + WARM_UP)
    found = {"chunks": listing["chunks"], "documents": listing["documents"], "index_mib": sum(file["bytes"] for file in listing["files"]) / 2**20, **built}
    say("latency: first searches")
    found["first_search"] = _first_searches(program, home, model, listing, profile, queries[0])
    found["first_search_elsewhere"] = _first_elsewhere(program, home, model, listing, profile, queries[0])
    with Engine(program, home, model) as engine:
        say("latency: searches")
        found["hybrid"] = _times(engine, listing, profile, queries)
        found["words"] = _times(engine, listing, words, queries)
        found["resident_mib"], found["anonymous_mib"] = engine.resident()
        say("latency: one changed document")
        found["change"] = _changes(engine, listing, profile)
    shutil.rmtree(home, ignore_errors=True)
    return found


def _build(program, home, model, profile, chunks, say):
    with Engine(program, home, model) as engine:
        facts = engine.greeting()["model"]
    if not facts:
        raise SystemExit("error: the engine has no model\nhint: script/model fetches one; TOOLGATE_MODEL names its folder")
    count = chunks // synthetic.PASSAGES_OF_DOCUMENT
    say(f"latency: writing {count} documents of {synthetic.PASSAGES_OF_DOCUMENT} passages with random vectors")
    kept = synthetic.KeptVectors(home, facts["digest"], facts["dimensions"])
    for documents in synthetic.write_documents(synthetic.Writer(), count):
        kept.put([text for document in documents for text in document.encoded_texts()])
    kept.close()
    say("latency: building the index")
    sample, times = [], {"putting": 0.0, "text_bytes": 0}
    with Engine(program, home, model) as engine:
        began = time.perf_counter()
        listing, sums = corpus.build(engine, "bench/latency", profile, _batches(engine, count, sample, times))
        seconds = time.perf_counter() - began - times["putting"]
    if sums["embedded"] or sums["chunks"] != count * synthetic.PASSAGES_OF_DOCUMENT:
        raise SystemExit(
            f"error: {sums['embedded']} of {sums['chunks']} passages were encoded, so the engine cuts them otherwise than synthetic.py expects\n"
            "hint: compare Document.encoded_texts with Chunk::embedded_text, and KeptVectors with servers/engine/src/embeddings"
        )
    return listing, {"build_seconds": seconds, "text_mb": times["text_bytes"] / 1e6}, sample


def _batches(engine, count, sample, times):
    """The same documents again; their DocIRs are removed when they are in the index."""
    before, began = [], time.perf_counter()
    for documents in synthetic.write_documents(synthetic.Writer(), count):
        for docir_id in before:
            (engine.contents / docir_id).unlink(missing_ok=True)
        written = [document.docir() for document in documents]
        before = [engine.put(data) for data in written]
        times["text_bytes"] += sum(len(body) for document in documents for _, body in document.sections)
        if len(sample) < SAMPLE:
            sample += [body for document in documents for _, body in document.sections][: SAMPLE - len(sample)]
        times["putting"] += time.perf_counter() - began
        yield [corpus.ingest(document.path, docir_id, docir_id) for document, docir_id in zip(documents, before)]
        began = time.perf_counter()


def _times(engine, listing, profile, queries):
    """One search at a time, there and back over the lines; the encoding of the query is part of it."""
    times = []
    for number, query in enumerate(queries):
        request = corpus.search(listing, profile, query, TOP_K)
        began = time.perf_counter()
        answer = engine.ask("search", request)
        milliseconds = (time.perf_counter() - began) * 1000
        if answer["by_meaning"] != ("meaning" in profile):
            raise SystemExit(f"error: vectors took part where they should not, or the other way round: {answer['warnings']}")
        if number >= WARM_UP:
            times.append(milliseconds)
    return {"p50_ms": statistics.median(times), "p90_ms": measures.percentile(times, 0.9), "p99_ms": measures.percentile(times, 0.99), "worst_ms": max(times), "searches": len(times)}


def _first_searches(program, home, model, listing, profile, query):
    """From the start of the process to the first answer. The files are in its folder, and in the memory of the system as far as they fit."""
    times = []
    for _ in range(STARTS):
        with Engine(program, home, model) as engine:
            engine.ask("search", corpus.search(listing, profile, query, TOP_K))
            times.append((time.perf_counter() - engine.started) * 1000)
    return {"median_ms": statistics.median(times), "worst_ms": max(times)}


def _first_elsewhere(program, home, model, listing, profile, query):
    """The same with an empty folder: the engine says what it lacks and is brought it, as by the gateway. A copy on this machine stands for the bucket."""
    empty = home.with_name(home.name + "-empty")
    shutil.rmtree(empty, ignore_errors=True)
    search = corpus.search(listing, profile, query, TOP_K)
    with Engine(program, empty, model) as engine:
        try:
            engine.ask("search", search)
        except Refused as refused:
            if refused.code != "missing_contents":
                raise
            engine.bring(refused.missing, home)
            engine.ask("search", search)
        milliseconds = (time.perf_counter() - engine.started) * 1000
    shutil.rmtree(empty, ignore_errors=True)
    return {"ms": milliseconds}


def _changes(engine, listing, profile):
    """From the new file of one document to the first search that finds it: parsed, cut, encoded, put, written, opened."""
    times = []
    for number in range(CHANGES):
        word = f"quoxifer{'abcdefgh'[number]}"
        source = f"# Document {number}\n\nThe {word} was not here before. This sentence says that the document has changed.\n".encode()
        path = f"{number * 7:07}.txt"
        began = time.perf_counter()
        artifact = engine.put(source)
        parsed = engine.ask("parse", corpus.parse(artifact, "text/markdown", path))
        document = corpus.ingest(path, artifact, parsed["docir"], "text/markdown")
        listing, _ = corpus.build(engine, "bench/latency", profile, [[document]], base=listing)
        hits = engine.ask("search", corpus.search(listing, profile, word, TOP_K))["hits"]
        times.append(time.perf_counter() - began)
        if not hits or hits[0]["path"] != path:
            raise SystemExit(f"error: the changed document {path} is not the first hit for {word}")
    return {"median_s": statistics.median(times), "worst_s": max(times)}
