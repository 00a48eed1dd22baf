"""Descriptions of Debian's packages: known items, asked for by what other fields say of them."""

import glob
import random
import re
import shutil
import subprocess

import corpus
import measures
import others
import profiles
from engine_client import Engine

SEED = 26
QUERIES = 500
TOP_K = 10
WORDS_MIN = 20
HELPER = "/usr/lib/apt/apt-helper"
# Parts of names and tags that nobody would ask for.
DULL = {"lib", "dev", "data", "common", "doc", "dbg", "bin", "program", "shared", "app", "role", "todo", "tbd", "special", "auto", "implemented", "in"}


class Package:
    """A package: the long description is what is indexed; everything else is what is asked with."""

    def __init__(self, name, summary, description, tags):
        self.name = name
        self.summary = summary
        self.description = description
        self.tags = tags

    def by_summary(self):
        return self.summary

    def by_name_and_tags(self):
        words = re.split(r"[^a-z]+", self.name)
        for tag in self.tags:
            words += re.split(r"[^a-z]+", tag.partition("::")[2])
        return " ".join(dict.fromkeys(word for word in words if len(word) > 1 and word not in DULL))


def packages(lists, say):
    """All packages of this machine's sources, one version each; none without Debian's tools."""
    if not shutil.which("apt-cache"):
        return []
    options = ["-o", f"Dir::State::lists={lists}"] if _fetched(lists, say) else []
    said = subprocess.run(["apt-cache", *options, "dumpavail"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    long = _long_descriptions(lists if options else "/var/lib/apt/lists")
    found = {}
    for record in _records(said.decode(errors="replace")):
        summary, _, rest = (record.get("Description-en") or record.get("Description", "")).partition("\n")
        description = long.get(record.get("Description-md5"), rest)
        tags = [tag.strip() for tag in record.get("Tag", "").replace("\n", " ").split(",") if tag.strip()]
        found[record["Package"]] = Package(record["Package"], summary.strip(), _flowing(description), tags)
    return list(found.values())


def run(found, program, scorer, home, model, made, limit, say):
    with_text = sorted((package for package in found if package.description), key=lambda package: package.name)
    chosen = random.Random(SEED)
    if limit:
        with_text = sorted(chosen.sample(with_text, min(limit, len(with_text))), key=lambda package: package.name)
    texts = [corpus.Text(f"{number:06}.txt", None, package.description) for number, package in enumerate(with_text)]
    queries = _queries(with_text, texts, chosen)
    rows = {}
    profile = profiles.by_document(profiles.shipped("docs.default"))
    with Engine(program, home, model) as engine:
        say(f"debian: {len(texts)} descriptions are read and encoded; the first time takes a while")
        documents = corpus.documents(engine, texts, made)
        listing, sums = corpus.build(engine, "bench/debian", profile, corpus.batched(documents))
        say(f"debian: {sums['chunks']} passages, {sums['embedded']} of them encoded now")
        asked = [query for _, query, _ in queries]
        for name, one in (("words and meaning", profile), ("words alone", profiles.words_alone(profile))):
            rows[name] = _score(corpus.rankings(engine, listing, one, asked, TOP_K), queries)
    for tokenizer in others.TOKENIZERS:
        rows[f"tantivy, {tokenizer}"] = _score(others.tantivy(scorer, texts, asked, tokenizer), queries)
    return {"documents": len(texts), "queries": len(queries), "passages": sums["chunks"], "rows": rows}


def _queries(with_text, texts, chosen):
    """Kind, query and the paths that answer it: those of all packages with the same text. Half of them each kind."""
    paths = {}
    for text in texts:
        paths.setdefault(text.body, set()).add(text.path)
    able = [package for package in with_text if len(package.description.split()) >= WORDS_MIN and len(package.summary.split()) > 1 and package.tags]
    queries = []
    for number, package in enumerate(chosen.sample(able, min(QUERIES, len(able)))):
        kind = "summary" if number % 2 == 0 else "name and tags"
        query = package.by_summary() if number % 2 == 0 else package.by_name_and_tags()
        if query:
            queries.append((kind, query, paths[package.description]))
    return queries


def _score(rankings, queries):
    values = {}
    for ranked, (kind, _, relevant) in zip(rankings, queries):
        value = measures.reciprocal_rank(ranked, relevant, TOP_K)
        for key in ("all", kind):
            values.setdefault(key, []).append(value)
    return {f"mrr_at_10, {kind}": measures.mean(all_values) for kind, all_values in values.items()}


def _fetched(lists, say):
    """Lists with long descriptions in a folder of the benchmark: many machines leave those out."""
    if not shutil.which("apt-get"):
        return False
    if not glob.glob(f"{lists}/*Translation-en*"):
        (lists / "partial").mkdir(parents=True, exist_ok=True)
        say("debian: fetching the lists of packages with their long descriptions (about 20 MB)")
        options = [f"Dir::State::lists={lists}", "Acquire::Languages=en", "Dir::Cache::pkgcache=", "Dir::Cache::srcpkgcache="]
        command = ["apt-get", *(word for option in options for word in ("-o", option)), "--quiet=2", "update"]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    return bool(glob.glob(f"{lists}/*_Packages*"))


def _long_descriptions(lists):
    """By the MD5 that Packages names, without the first line."""
    found = {}
    for file in sorted(glob.glob(f"{lists}/*Translation-en*")):
        said = subprocess.run([HELPER, "cat-file", file], stdout=subprocess.PIPE, check=False).stdout
        for record in _records(said.decode(errors="replace")):
            found[record.get("Description-md5")] = record.get("Description-en", "").partition("\n")[2]
    return found


def _records(text):
    for paragraph in text.split("\n\n"):
        record, name = {}, None
        for line in paragraph.splitlines():
            if line[:1] in " \t":
                record[name] += "\n" + line[1:]
            else:
                name, _, value = line.partition(":")
                record[name] = value.strip()
        if "Package" in record:
            yield record


def _flowing(description):
    """Paragraphs with a blank line between; a lone dot stands for one."""
    return "\n".join("" if line.strip() == "." else line for line in description.splitlines()).strip()
