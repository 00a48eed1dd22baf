"""What other tools find as key phrases of Inspec's abstracts, for `capability-bench keywords`.

Usage: keywords.py FOLDER

FOLDER is a clone of the repository boudinfl/ake-datasets, or a part of it with datasets/Inspec/test/*.xml, or has
test-half.jsonl with an abstract per line. Writes
FOLDER/found/TOOL.json: {"seconds": 0.1, "phrases": {"193": ["best phrase", …]}}. The tools come from PyPI into
FOLDER/venv: RAKE (python-rake, with the SMART stop words that it ships), YAKE and TextRank (summa).
"""
import json, os, pathlib, re, subprocess, sys, time, venv, xml.etree.ElementTree

NEEDED = ["python-rake==1.5.0", "yake==0.7.3", "summa==1.2.0"]
TOP_K = 20
BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "``": '"', "''": '"'}


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    if pathlib.Path(sys.prefix) != folder / "venv":
        return again_in_venv(folder)
    lines = folder / "test-half.jsonl"
    if lines.exists():
        records = [json.loads(line) for line in lines.read_text().splitlines()]
        return write(folder, {record["id"]: record["text"] for record in records})
    texts = {path.stem: text_of(path) for path in sorted((folder / "datasets/Inspec/test").glob("*.xml"))}
    write(folder, texts)


def write(folder, texts):
    for name, tool in {"RAKE (python-rake)": rake(), "YAKE": yake(), "TextRank (summa)": textrank()}.items():
        begin = time.perf_counter()
        phrases = {document: tool(text) for document, text in texts.items()}
        found = {"seconds": time.perf_counter() - begin, "phrases": phrases}
        (folder / "found").mkdir(exist_ok=True)
        (folder / "found" / f"{name}.json").write_text(json.dumps(found))


def again_in_venv(folder):
    python = folder / "venv/bin/python"
    if not python.exists():
        venv.create(folder / "venv", with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", *NEEDED], check=True)
    os.execv(python, [str(python), __file__, str(folder)])


def text_of(path):
    """The same text that the benchmark makes of the tokens: sentences as paragraphs that end with a point."""
    paragraphs = []
    for sentence in xml.etree.ElementTree.parse(path).iter("sentence"):
        text, last = "", None
        for token in sentence.iter("token"):
            word, begin, end = (token.findtext(name) for name in ("word", "CharacterOffsetBegin", "CharacterOffsetEnd"))
            text += (" " if last not in (None, begin) else "") + BRACKETS.get(word, word)
            last = end
        if text:
            paragraphs.append(text if re.search(r"[.!?]$", text) else text + ".")
    return "\n\n".join(paragraphs) + "\n\n"


def rake():
    import RAKE

    tool = RAKE.Rake(RAKE.SmartStopList())
    return lambda text: [phrase for phrase, _ in tool.run(text)][:TOP_K]


def yake():
    import yake as package

    tool = package.KeywordExtractor(lan="en", n=3, top=TOP_K)
    return lambda text: [phrase for phrase, _ in tool.extract_keywords(text)]


def textrank():
    from summa import keywords

    def find(text):
        return [phrase for phrase, _ in keywords.keywords(text, scores=True, ratio=1.0)][:TOP_K]

    return find


main()
