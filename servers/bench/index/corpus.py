"""Texts as documents of an index: parsed by the engine, or made here where parsing is not what is measured."""

import json

from engine_client import Refused

# Documents of one request.
BATCH = 1000


class Text:
    """A text with a path that says nothing about it, and a title or none."""

    def __init__(self, path, title, body):
        self.path = path
        self.title = title
        self.body = body

    def source(self):
        """The file: Markdown with the title as its heading, or plain text."""
        if self.title:
            return f"# {self.title}\n\n{self.body}\n".encode(), "text/markdown"
        return f"{self.body}\n".encode(), "text/plain"


def documents(engine, texts, made=False):
    """Texts as the engine ingests them."""
    sources = [text.source() for text in texts]
    artifacts = [engine.put(data) for data, _ in sources]
    if made:
        docirs = [engine.put(docir(text.title, [(None, text.body)])) for text in texts]
    else:
        docirs = _parsed(engine, texts, sources, artifacts)
    return [
        ingest(text.path, artifact, docir_id, media_type)
        for text, artifact, docir_id, (_, media_type) in zip(texts, artifacts, docirs, sources)
    ]


def _parsed(engine, texts, sources, artifacts):
    requests = [parse(artifact, media_type, text.path) for text, artifact, (_, media_type) in zip(texts, artifacts, sources)]
    answers = engine.ask_many("parse", requests)
    for text, answer in zip(texts, answers):
        if isinstance(answer, Refused):
            raise SystemExit(f"error: {text.path} could not be parsed: {answer}")
    return [answer["docir"] for answer in answers]


def parse(artifact, media_type, name, tier="standard"):
    return {"artifact": artifact, "media_type": media_type, "file_name": name, "tier": tier}


def ingest(path, artifact, docir_id, media_type="text/plain"):
    return {"path": path, "artifact": artifact, "docir": docir_id, "media_type": media_type, "metadata": {}}


def build(engine, name, profile, batches, base=None, kind="inside"):
    """Builds an index of batches of documents. Says its listing, and the sums of what was put."""
    begin = {"engine": kind, "name": name, "base": base, "profile": profile}
    number = engine.ask("begin_build", begin)["build"]
    sums = {"documents": 0, "chunks": 0, "embedded": 0, "reused": 0}
    for batch in batches:
        put = engine.ask("put_documents", {"build": number, "documents": batch})
        if put["refused"]:
            raise SystemExit(f"error: the engine refused {put['refused'][0]['path']}: {put['refused'][0]['why']}")
        for key in sums:
            sums[key] += put[key]
    return engine.ask("finish_build", {"build": number})["listing"], sums


def batched(all_documents):
    for first in range(0, len(all_documents), BATCH):
        yield all_documents[first : first + BATCH]


def search(listing, profile, query, top_k, path_prefix=None):
    return {
        "indexes": [{"label": "bench", "listing": listing}],
        "query": query,
        "profile": profile,
        "top_k": top_k,
        "filter": {"path_prefix": path_prefix, "media_types": [], "metadata": []},
    }


def rankings(engine, listing, profile, queries, top_k):
    """The paths of each query's documents, the best first."""
    answers = engine.ask_many("search", [search(listing, profile, query, top_k) for query in queries])
    for answer in answers:
        if isinstance(answer, Refused):
            raise answer
        if "meaning" in profile and listing["engine"] == "inside" and not answer["by_meaning"]:
            raise SystemExit(f"error: words alone were searched: {' '.join(answer['warnings']) or 'there is no model'}")
    return [_distinct(hit["path"] for hit in answer["hits"]) for answer in answers]


def _distinct(paths):
    return list(dict.fromkeys(paths))


def docir(title, sections):
    """The least DocIR: a title or none, and paragraphs, each under a heading or none."""
    items = [("title", title, None)] if title else []
    for heading, body in sections:
        if heading:
            items.append(("section_header", heading, 2))
        items.append(("text", body, None))
    texts = []
    for number, (label, text, level) in enumerate(items):
        item = {"self_ref": f"#/texts/{number}", "parent": {"$ref": "#/body"}, "children": [], "content_layer": "body", "label": label, "prov": [], "orig": text, "text": text}
        texts.append({**item, "level": level} if level else item)
    root = {"content_layer": "body", "name": "_root_", "label": "unspecified"}
    document = {
        "schema_name": "DoclingDocument",
        "version": "1.10.0",
        "name": "bench",
        "furniture": {**root, "self_ref": "#/furniture", "children": [], "content_layer": "furniture"},
        "body": {**root, "self_ref": "#/body", "children": [{"$ref": text["self_ref"]} for text in texts]},
        "texts": texts,
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
