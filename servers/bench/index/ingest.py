"""The speed of ingest: text that is parsed already, by words alone and with vectors, until the index is written."""

import shutil
import time

import corpus
import profiles
import synthetic
from engine_client import Engine

WORDS_MB = 100
VECTORS_MB = 1
# Descriptions of one document.
SECTIONS = 20


def run(program, home, model, packages, quick, say):
    """Real text if there is any. `home` is a folder for this alone, so that no vector is known."""
    shutil.rmtree(home, ignore_errors=True)
    share = 10 if quick else 1
    origin = "descriptions of Debian's packages" if packages else "words by Zipf's law"
    profile = profiles.shipped("docs.default")
    found = {"text": origin}
    for name, one, limit in (("words", profiles.words_alone(profile), WORDS_MB / share), ("vectors", profile, VECTORS_MB / share)):
        say(f"ingest: {name}, up to {limit:g} MB of {origin}")
        with Engine(program, home, model if name == "vectors" else None) as engine:
            # A model that is still being loaded is not what is measured.
            engine.greeting()
            documents, size = _documents(engine, packages, limit * 1e6)
            began = time.perf_counter()
            listing, sums = corpus.build(engine, f"bench/ingest-{name}", one, corpus.batched(documents))
            seconds = time.perf_counter() - began
        found[name] = {"mb": size / 1e6, "seconds": seconds, "mb_per_s": size / 1e6 / seconds, "passages_per_s": listing["chunks"] / seconds, "encoded": sums["embedded"]}
        shutil.rmtree(home, ignore_errors=True)
    return found


def _documents(engine, packages, bytes_max):
    """Documents with as many bytes of text as wanted, or as there are."""
    documents, size, sections = [], 0, []
    for heading, body in _sections(packages):
        if size >= bytes_max:
            break
        size += len(body.encode())
        sections.append((heading, body))
        if len(sections) == SECTIONS:
            documents.append(_document(engine, len(documents), sections))
            sections = []
    if sections:
        documents.append(_document(engine, len(documents), sections))
    return documents, size


def _sections(packages):
    if packages:
        yield from ((package.summary or package.name, package.description) for package in packages if package.description)
        return
    writer = synthetic.Writer()
    while True:
        yield from (("Part", text) for text in writer.texts(1000))


def _document(engine, number, sections):
    docir_id = engine.put(corpus.docir(f"Document {number}", sections))
    return corpus.ingest(f"{number:06}.txt", docir_id, docir_id)
