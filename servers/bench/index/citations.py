"""Citations of passages of PDFs: do the boxes cover the letters that are quoted? Poppler's positions of words judge."""

import difflib
import html
import json
import pathlib
import random
import re
import subprocess
import tempfile
import unicodedata

import corpus
import profiles
from engine_client import Engine, Refused

SEED = 26
PASSAGES = 200
# Passages of one document at most.
OF_DOCUMENT = 8
QUERY_WORDS = 6
WORDS_MIN = 8
TOP_K = 1
# Where poppler reads other letters on the page than we do, it cannot judge.
KNOWN_MIN = 0.9
SHINGLE = 5
# The middle of a word's height, by which it is told if a box covers it: fonts say more height than glyphs have.
CORE_FROM, CORE_TO = 0.25, 0.75
CORE_COVERED_MIN = 0.9
POINTS_EQUAL = 1.0
WORST_SHOWN = 10


class Word:
    """A word of a page as poppler sees it."""

    def __init__(self, left, top, right, bottom, text):
        self.left, self.top, self.right, self.bottom, self.text = left, top, right, bottom, text


def folders(quality):
    """Folders with PDFs, by name."""
    found = {}
    for path in sorted(pathlib.Path(quality).glob("*/**/*.pdf")):
        found.setdefault(path.relative_to(quality).parts[0], []).append(path)
    return found


def run(found, program, scorer, home, wanted, say):
    profile = profiles.words_alone(profiles.shipped("docs.citation_strict"))
    with Engine(program, home) as engine:
        documents, unreadable = _parsed(engine, found, say)
        listing, sums = corpus.build(engine, "bench/citations", profile, corpus.batched([one["ingest"] for one in documents.values()]))
        say(f"citations: {len(documents)} PDFs, {sums['chunks']} passages")
        passages = _sampled(engine, documents, listing, profile, wanted)
        cited = _cited(scorer, engine, passages)
    judged, unjudged = [], []
    for passage, citations in zip(passages, cited):
        verdict = _verdict(passage, citations, documents[passage["path"]])
        (judged if verdict["judged"] else unjudged).append(verdict)
    letters, covered, under = (sum(one[key] for one in judged) for key in ("letters", "covered", "under"))
    worst = sorted(judged, key=lambda one: one["covered"] / one["letters"])[:WORST_SHOWN]
    return {
        "files": len(documents),
        "unreadable": unreadable,
        "passages": len(judged),
        "not_judged": len(unjudged),
        "letters": letters,
        "covered": covered / letters if letters else 0.0,
        "quoted_under_the_boxes": covered / under if under else 0.0,
        "passages_covered": sum(one["covered"] >= 0.99 * one["letters"] for one in judged),
        "worst": [one for one in worst if one["covered"] < 0.99 * one["letters"]],
    }


def _parsed(engine, found, say):
    """Documents by path, with their DocIR. Damaged ones are part of a corpus, and left out."""
    files = [(folder, file) for folder, all_files in found.items() for file in all_files]
    artifacts = [engine.put(file.read_bytes()) for _, file in files]
    requests = [corpus.parse(artifact, "application/pdf", file.name) for artifact, (_, file) in zip(artifacts, files)]
    documents, unreadable = {}, 0
    for number, (answer, artifact, (folder, file)) in enumerate(zip(engine.ask_many("parse", requests), artifacts, files)):
        if isinstance(answer, Refused):
            unreadable += 1
            continue
        path = f"{number:05}/{file.name}"
        docir = json.loads(engine.read(answer["docir"]))
        documents[path] = {"folder": folder, "file": file, "docir": docir, "ingest": corpus.ingest(path, artifact, answer["docir"], "application/pdf")}
    if unreadable:
        say(f"citations: {unreadable} of {len(files)} PDFs could not be read")
    return documents, unreadable


def _sampled(engine, documents, listing, profile, wanted):
    """Passages that searches find: each query is a few words in a row of some item. Folders take part alike."""
    dice, passages, seen = random.Random(SEED), [], set()
    by_folder = {}
    for path, document in documents.items():
        by_folder.setdefault(document["folder"], []).extend(_asked(path, document["docir"], dice))
    for number, (folder, asked) in enumerate(sorted(by_folder.items())):
        dice.shuffle(asked)
        goal = (number + 1) * wanted // len(by_folder)
        for path, query in asked:
            if len(passages) >= goal:
                break
            prefix = path.split("/")[0] + "/"
            hits = engine.ask("search", corpus.search(listing, profile, query, TOP_K, path_prefix=prefix))["hits"]
            if hits and (path, hits[0]["id"]["chunk"]) not in seen:
                seen.add((path, hits[0]["id"]["chunk"]))
                passages.append({"path": path, "folder": folder, "hit": hits[0]})
    return passages


def _asked(path, docir, dice):
    """A few queries of a document's body."""
    texts = [text["text"].split() for text in docir["texts"] if text["content_layer"] == "body" and text["prov"]]
    texts = [words for words in texts if len(words) >= WORDS_MIN]
    asked = []
    for words in dice.sample(texts, min(OF_DOCUMENT, len(texts))):
        first = dice.randint(0, len(words) - QUERY_WORDS)
        asked.append((path, " ".join(words[first : first + QUERY_WORDS])))
    return asked


def _cited(scorer, engine, passages):
    """The citations of each passage, one for each of its places, by the library that the gateway uses."""
    places = [(number, passage["hit"], place) for number, passage in enumerate(passages) for place in passage["hit"]["places"]]
    with tempfile.NamedTemporaryFile("w", prefix="bench-index-", suffix=".jsonl") as file:
        for _, hit, place in places:
            wanted = {"file": str(engine.contents / hit["docir"]), "artifact": hit["artifact"], "docir": hit["docir"], **place}
            file.write(json.dumps(wanted) + "\n")
        file.flush()
        said = subprocess.run([scorer, "citations", file.name], check=True, stdout=subprocess.PIPE).stdout
    cited = [[] for _ in passages]
    for (number, _, _), line in zip(places, said.splitlines()):
        cited[number].append(json.loads(line))
    return cited


def _verdict(passage, citations, document):
    """Letters of the quote, how many of them lie under its boxes in their order, and how many letters lie there at all."""
    uncited = sum(place["end"] - place["start"] for place, citation in zip(passage["hit"]["places"], citations) if citation is None)
    citations = [citation for citation in citations if citation]
    quote = _letters(" ".join(citation["quote"]["exact"] for citation in citations))
    quads = [quad for citation in citations for quad in citation["quads"]]
    numbers = {quad["page"] for quad in quads} or {passage["hit"]["page"] or 1}
    pages = {number: _words(document, number) for number in numbers}
    # A quote without boxes is judged by the page that the hit names, and covers nothing. A place that cannot be cited covers nothing, either.
    judged = bool(uncited) or (bool(quote) and _known(quote, pages.values()) >= KNOWN_MIN)
    under = "".join(_under(quad, pages[quad["page"]]) for quad in quads)
    blocks = difflib.SequenceMatcher(None, quote, under, autojunk=False).get_matching_blocks()
    covered = sum(block.size for block in blocks)
    return {
        "judged": judged,
        "file": document["file"].name,
        "page": min(numbers),
        "letters": len(quote) + uncited,
        "covered": covered,
        "under": len(under),
        "quote": " ".join(citations[0]["quote"]["exact"].split())[:80] if citations else "",
    }


def _under(quad, words):
    """The letters under a box, from left to right. A word at its edge gives the letters whose middles are inside, all taken as equally wide."""
    found = []
    for word in words:
        height = word.bottom - word.top
        core_top, core_bottom = word.top + CORE_FROM * height, word.top + CORE_TO * height
        common = min(core_bottom, quad["bottom"]) - max(core_top, quad["top"])
        if height <= 0 or common < CORE_COVERED_MIN * (core_bottom - core_top):
            continue
        step = (word.right - word.left) / len(word.text)
        inside = (letter for at, letter in enumerate(word.text) if quad["left"] <= word.left + (at + 0.5) * step <= quad["right"])
        found.append((word.left, _letters("".join(inside))))
    return "".join(letters for _, letters in sorted(found, key=lambda one: one[0]))


def _known(quote, pages):
    """The share of the quote's shingles that poppler reads on its pages, in whatever order."""
    read = "".join(_letters(word.text) for words in pages for word in words)
    if len(quote) < SHINGLE:
        return float(quote in read)
    shingles = [quote[at : at + SHINGLE] for at in range(len(quote) - SHINGLE + 1)]
    return sum(shingle in read for shingle in shingles) / len(shingles)


def _letters(text):
    """Letters and digits alone, small, ligatures taken apart: hyphens and blanks at the ends of lines do not count."""
    return "".join(letter for letter in unicodedata.normalize("NFKD", text).casefold() if letter.isalnum())


def _words(document, number):
    """A page's words in the frame that the DocIR has: poppler measures from the media box or from the crop box."""
    size = document["docir"]["pages"].get(str(number), {}).get("size", {})
    kept = document.setdefault("words", {})
    if number not in kept:
        choices = [_poppler(document["file"], number, options) for options in ((), ("-cropbox",))]
        fits = [words for width, height, words in choices if abs(width - size.get("width", 0)) + abs(height - size.get("height", 0)) < POINTS_EQUAL]
        kept[number] = (fits or [choices[0][2]])[0]
    return kept[number]


def _poppler(file, number, options):
    command = ["pdftotext", *options, "-f", str(number), "-l", str(number), "-bbox", str(file), "-"]
    said = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.decode(errors="replace")
    page = re.search(r'<page width="([\d.]+)" height="([\d.]+)">', said)
    words = re.findall(r'<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*?)</word>', said, re.S)
    words = [Word(*map(float, places), html.unescape(text)) for *places, text in words if text]
    return (float(page[1]), float(page[2]), words) if page else (0.0, 0.0, [])
