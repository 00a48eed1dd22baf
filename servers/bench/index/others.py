"""Other rankings of the same texts: tantivy with its defaults, and Postgres' own full text search."""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import urllib.parse

HITS = 100
TOKENIZERS = ("default", "en_stem")

# A query's words are joined by "or", as ranked search does: with "and", which is Postgres' default, long queries find nothing.
POSTGRES_BEGIN = """
\\set ON_ERROR_STOP on
create temp table texts (id text, body text);
create temp table queries (id int, query text);
"""
POSTGRES_RANK = f"""
create temp table documents as select id, to_tsvector('english', body) words from texts;
create temp table asked as
  select id, replace(plainto_tsquery('english', query)::text, '&', '|')::tsquery words from queries;
select asked.id, found.id
  from asked cross join lateral (
    select documents.id, ts_rank(documents.words, asked.words) score
      from documents where documents.words @@ asked.words order by score desc, documents.id limit {HITS}
  ) found
  order by asked.id, found.score desc, found.id;
"""


def tantivy(scorer, texts, queries, tokenizer):
    """Paths of each query's texts by `capability-bench tantivy-words`; tokenizer: one of those that tantivy has itself."""
    with tempfile.TemporaryDirectory(prefix="bench-index-") as folder:
        folder = pathlib.Path(folder)
        _write_lines(folder / "documents.jsonl", ({"id": text.path, "title": text.title or "", "text": text.body} for text in texts))
        _write_lines(folder / "queries.jsonl", ({"query": query} for query in queries))
        said = subprocess.run([scorer, "tantivy-words", str(folder), "--tokenizer", tokenizer], check=True, stdout=subprocess.PIPE)
    return [json.loads(line) for line in said.stdout.splitlines()]


def postgres(url, texts, queries):
    """Paths of each query's texts by `ts_rank` over `to_tsvector('english', …)`."""
    bodies = "".join(f"{text.path}\t{_copied((text.title or '') + ' ' + text.body)}\n" for text in texts)
    asked = "".join(f"{number}\t{_copied(query)}\n" for number, query in enumerate(queries))
    script = f"{POSTGRES_BEGIN}copy texts from stdin;\n{bodies}\\.\ncopy queries from stdin;\n{asked}\\.\n{POSTGRES_RANK}"
    said = _psql(url, script)
    ranked = [[] for _ in queries]
    for line in said.splitlines():
        number, path = line.split("\t")
        ranked[int(number)].append(path)
    return ranked


@contextlib.contextmanager
def own_database(url):
    """A database that is there for one measurement."""
    name = f"toolgate_bench_index_{os.getpid()}"
    _psql(url, f"create database {name};")
    parts = urllib.parse.urlsplit(url)
    try:
        yield urllib.parse.urlunsplit(parts._replace(path=f"/{name}"))
    finally:
        _psql(url, f"drop database {name} with (force);")


def postgres_address():
    """The address of a database to measure with, if there is one and a program that speaks to it."""
    url = os.environ.get("TOOLGATE_TEST_POSTGRES")
    return url if url and shutil.which("psql") else None


def _psql(url, script):
    # The address has a password, which a command line would show to everyone.
    parts = urllib.parse.urlsplit(url)
    environment = {**os.environ, "PGPASSWORD": urllib.parse.unquote(parts.password or "")}
    command = ["psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--field-separator", "\t"]
    command += ["--host", parts.hostname, "--port", str(parts.port or 5432), "--username", urllib.parse.unquote(parts.username or "")]
    command += ["--dbname", parts.path.lstrip("/") or "postgres", "--file", "-"]
    return subprocess.run(command, input=script, text=True, check=True, stdout=subprocess.PIPE, env=environment).stdout


def _copied(text):
    return " ".join(text.replace("\\", "\\\\").split())


def _write_lines(path, values):
    with path.open("w") as file:
        file.writelines(json.dumps(value) + "\n" for value in values)
