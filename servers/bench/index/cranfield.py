"""Cranfield: 1,400 abstracts, 225 queries. What is found by words and meaning, by words alone, and by others."""

import re

import corpus
import measures
import others
import profiles
from engine_client import Engine

FILES = ("cran.all.1400.xml", "cran.qry.xml", "cranqrel.trec.txt")
TOP_K = 100


def is_there(folder):
    return all((folder / file).is_file() for file in FILES)


def run(folder, program, scorer, home, model, made, say):
    texts, queries, grades = load(folder)
    profile = profiles.by_document(profiles.shipped("docs.default"))
    rows = {}
    with Engine(program, home, model) as engine:
        documents = corpus.documents(engine, texts, made)
        listing, sums = corpus.build(engine, "bench/cranfield", profile, corpus.batched(documents))
        say(f"cranfield: {sums['documents']} documents, {sums['chunks']} passages, {sums['embedded']} of them encoded now")
        for name, one in variants(profile).items():
            rows[name] = score(corpus.rankings(engine, listing, one, queries, TOP_K), grades)
    for tokenizer in others.TOKENIZERS:
        rows[f"tantivy, {tokenizer}"] = score(others.tantivy(scorer, texts, queries, tokenizer), grades)
    url = others.postgres_address()
    if url:
        rows["Postgres full text"] = score(others.postgres(url, texts, queries), grades)
        rows.update(in_postgres(program, home, model, made, url, profile, texts, queries, grades))
    else:
        say("cranfield: Postgres is left out; name a database in TOOLGATE_TEST_POSTGRES (script/postgres start), and have psql")
    return {"documents": len(texts), "queries": len(queries), "passages": sums["chunks"], "rows": rows}


def variants(profile):
    return {
        "words and meaning": profile,
        "words with feedback": profiles.words_alone(profile, feedback=True),
        "words alone": profiles.words_alone(profile),
    }


def in_postgres(program, home, model, made, url, profile, texts, queries, grades):
    """The same profile with the engine's index in a database."""
    with others.own_database(url) as own, Engine(program, home, model, postgres=own) as engine:
        facts = engine.greeting()["postgres"] or {}
        documents = corpus.documents(engine, texts, made)
        listing, _ = corpus.build(engine, "bench/cranfield", profile, corpus.batched(documents), kind="postgres")
        lacking = "" if facts.get("vector") else ", without pgvector"
        return {f"index in Postgres{lacking}": score(corpus.rankings(engine, listing, profile, queries, TOP_K), grades)}


def score(rankings, grades):
    """The queries are numbered by their position, from 1; those that nothing answers are left out."""
    judged = [(ranked, grades[number]) for number, ranked in enumerate(rankings, 1) if any(grade > 0 for grade in grades.get(number, {}).values())]
    return {
        "queries": len(judged),
        "ndcg_at_10": measures.mean(measures.ndcg(ranked, known) for ranked, known in judged),
        "recall_at_100": measures.mean(measures.recall(ranked, known) for ranked, known in judged),
    }


def load(folder):
    """Texts, queries in their order, and the grades of each query by its position."""
    abstracts, asked, judged = ((folder / file).read_text() for file in FILES)
    texts, path_of = [], {}
    for document in re.findall(r"<doc>(.*?)</doc>", abstracts, re.S):
        number = _field(document, "docno")
        path = path_of[number] = f"{int(number):04}.md"
        text = corpus.Text(path, _field(document, "title"), _field(document, "text"))
        # Some have neither: no gateway would take such a file.
        if text.title or text.body:
            texts.append(text)
    queries = [" ".join(query.split()) for query in re.findall(r"<title>(.*?)</title>", asked, re.S)]
    grades = {}
    for line in judged.splitlines():
        if line.strip():
            query, _, number, grade = line.split()
            # A judgement on a document that the collection does not have would make a perfect ranking impossible.
            if number in path_of:
                grades.setdefault(int(query), {})[path_of[number]] = int(grade)
    return texts, queries, grades


def _field(document, name):
    found = re.search(f"<{name}>(.*?)</{name}>", document, re.S)
    return " ".join(found[1].split()) if found else ""
