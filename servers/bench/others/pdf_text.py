"""Prepares PDFs for `capability-bench pdf_text` and runs other readers over them.

    python -m venv venv && venv/bin/pip install pypdfium2 pymupdf pdfplumber typst reportlab   (and apt: poppler-utils)
    venv/bin/python pdf_text.py DATA

Makes in DATA, for each document, a folder with `document.pdf`, `truth.json` and one text file per reader:
- `made-*`: set by typst or reportlab from text of Python's own documentation, so that the text is known: two and three
  columns, titles and figures over both, footnotes, side bars, numbered equations; `made-rows-*` draw line by line over all
  columns, so that the order of drawing is not the order of reading.
- `crop-*`: two-column papers out of public packages. The truth is what pdftotext reads in each half of a page on its own,
  which favours pdftotext. Figures and tables are cut too; the benchmark counts only what has few numbers.
- `words-*`: other PDFs out of public packages. The truth is the words that at least two of the readers find.

`truth.json`: {"kind": "order" | "words", "segments": [text, ...]}; order counts within a segment only.
"""

import collections
import io
import json
import os
import pydoc_data.topics
import random
import re
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

import sources

# Package, file, pages in two columns.
PAPERS = [("pdf2docx", "demo-whisper_2_3.pdf", range(1, 19))]
# A word broken at the end of a line; readers differ in whether they join it, which is not what is counted here.
BROKEN = re.compile("(\\w)[-\u00ad\u2010\ufffe\x02]\\s*\\n\\s*(\\w)")
PACKAGES = ["pypdf", "pikepdf", "pdf2docx", "tabula-py", "pymupdf"]
WORDS_PAGES_MAX = 40
WORDS_BYTES_MAX = 3_000_000


def main(data):
    data.mkdir(parents=True, exist_ok=True)
    make_documents(data)
    fetch_documents(data)
    for folder in sorted(path for path in data.iterdir() if (path / "document.pdf").exists()):
        run_readers(folder)
    for folder in sorted(data.glob("words-*")):
        agree_on_words(folder)


# --- text whose order is known -------------------------------------------------------------------------------------

def paragraphs(seed):
    """Paragraphs of plain English prose, in an order of their own for each seed."""
    found = []
    for topic in sorted(pydoc_data.topics.topics):
        for block in pydoc_data.topics.topics[topic].split("\n\n"):
            text = re.sub(r"\s+", " ", block.replace("*", "").replace("`", "").replace("_", "")).strip()
            plain = sum(letter.isalpha() or letter in " ,.'()" for letter in text) / max(1, len(text))
            if 200 <= len(text) <= 900 and plain > 0.985 and text[0].isupper() and text[-1] == "." and "  " not in text:
                found.append(text)
    found = sorted(set(found))
    random.Random(seed).shuffle(found)
    return found


HEADINGS = ["Introduction", "Related Work", "Method", "Experiments", "Results and Discussion", "Limitations", "Conclusion"]


def escaped(text):
    return re.sub(r"([\\#$*_`<>@\[\]=~/+-])", r"\\\1", text)


def typst_pdf(folder, source, segments):
    import typst
    folder.mkdir(exist_ok=True)
    (folder / "source.typ").write_text(source)
    typst.compile(str(folder / "source.typ"), output=str(folder / "document.pdf"))
    write_truth(folder, "order", segments)


def write_truth(folder, kind, segments):
    (folder / "truth.json").write_text(json.dumps({"kind": kind, "segments": segments}, ensure_ascii=False))


def sections(texts, per_section=4):
    """Typst source and truth of a flow of sections."""
    source, truth = [], []
    for index, heading in enumerate(HEADINGS):
        part = texts[index * per_section:(index + 1) * per_section]
        source.append(f"= {heading}\n\n" + "\n\n".join(escaped(text) for text in part))
        truth.append(heading + " " + " ".join(part))
    return source, truth


def make_documents(data):
    made_paper(data, "made-paper-narrow-gutter", seed=1, gutter="10pt", size="10pt", extra="")
    made_paper(data, "made-paper-wide-gutter", seed=2, gutter="22pt", size="9pt", extra="")
    made_paper(data, "made-paper-footnotes", seed=3, gutter="14pt", size="10pt", extra="footnotes")
    made_paper(data, "made-paper-figures", seed=4, gutter="14pt", size="10pt", extra="figures")
    made_paper(data, "made-paper-equations", seed=5, gutter="16pt", size="10pt", extra="equations")
    made_newsletter(data, "made-three-columns", seed=6)
    made_sidebar(data, "made-sidebar", seed=7)
    made_single(data, "made-single-column", seed=8)
    for columns in (2, 3):
        made_rows(data, f"made-rows-{columns}-columns", seed=8 + columns, columns=columns)


def made_paper(data, name, seed, gutter, size, extra):
    texts = paragraphs(seed)
    source, truth = sections(texts[:28])
    aside = []
    if extra == "footnotes":
        for index in range(0, 7, 2):
            note = texts[40 + index].split(". ")[0] + "."
            aside.append(note)
            source[index] += f" #footnote[{escaped(note)}]"
    if extra == "figures":
        for index in (1, 3, 5):
            caption = texts[50 + index].split(". ")[0] + "."
            aside.append(caption)
            scope = ', scope: "parent"' if index != 3 else ""
            source[index] += (f'\n\n#figure(placement: top{scope}, caption: [{escaped(caption)}], rect(width: 80%, height: 4cm)'
                              '[Input #h(1fr) Encoder #h(1fr) Output])\n')
    if extra == "equations":
        for index in range(7):
            source[index] += "\n\n#math.equation(block: true, numbering: \"(1)\")[$ sum_(i=1)^n x_i^2 + integral_0^1 f(t) dif t = y_" + str(index) + " $]\n"
    abstract = " ".join(texts[30:32])
    title = "On the Reading Order of Documents with Several Columns of Text"
    typst_pdf(data / name, f"""
#set page(paper: "a4", columns: 2, margin: 2cm, numbering: "1", header: align(right)[_A running header that repeats_])
#set columns(gutter: {gutter})
#set text(size: {size}, hyphenate: true)
#set par(justify: true, first-line-indent: 1em, spacing: 0.65em)
#place(top + center, scope: "parent", float: true)[
  #text(18pt, weight: "bold")[{title}]
  #v(4pt)
  #grid(columns: (1fr, 1fr, 1fr), [Ada Example \\ First Institute \\ ada\\@example.org], [Ben Sample \\ Second Institute \\ ben\\@example.org], [Cleo Model \\ Third Institute \\ cleo\\@example.org])
  #v(4pt)
  #align(left)[#text(weight: "bold")[Abstract.] {escaped(abstract)}]
  #v(8pt)
]
{chr(10).join(chr(10) + part for part in source)}
""", [title, "Abstract. " + abstract, *([" ".join(truth)] if not extra else truth if extra == "footnotes" else texts[:28]), *aside])


def made_newsletter(data, name, seed):
    texts = paragraphs(seed)[:30]
    typst_pdf(data / name, f"""
#set page(paper: "a4", columns: 3, margin: 1.6cm)
#set columns(gutter: 12pt)
#set text(size: 9pt, hyphenate: false)
#set par(justify: false)
#place(top + left, scope: "parent", float: true)[#text(26pt, weight: "bold")[The Weekly Reader of Columns]]
{chr(10).join(chr(10) + escaped(text) for text in texts)}
""", [" ".join(texts)])


def made_sidebar(data, name, seed):
    texts = paragraphs(seed)
    pages, truth = [], []
    for page in range(4):
        side, main = texts[page * 10:page * 10 + 2], texts[page * 10 + 2:page * 10 + 7]
        truth += [" ".join(side), " ".join(main)]
        body = "\n\n".join(escaped(text) for text in main)
        notes = "\n\n".join(escaped(text) for text in side)
        pages.append(f"#grid(columns: (4.6cm, 1fr), gutter: 18pt, text(size: 8pt)[{notes}], [{body}])")
    typst_pdf(data / name, "#set page(paper: \"a4\", margin: 2cm)\n#set text(size: 11pt)\n#set par(justify: true)\n" + "\n#pagebreak()\n".join(pages), truth)


def made_single(data, name, seed):
    texts = paragraphs(seed)[:30]
    body = []
    for index, text in enumerate(texts):
        if index % 6 == 0:
            body.append(f"= {HEADINGS[index // 6]}\n")
        body.append(("- " if index % 6 == 3 else "") + escaped(text) + "\n")
    typst_pdf(data / name, "#set page(paper: \"a4\", numbering: \"1\")\n#set text(hyphenate: true)\n#set par(justify: true)\n" + "\n".join(body), texts)


def made_rows(data, name, seed, columns):
    """Columns that are drawn row by row over the whole page, as some writers of PDF do."""
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfbase.pdfmetrics import stringWidth
    from reportlab.pdfgen import canvas
    folder = data / name
    folder.mkdir(exist_ok=True)
    width, height = A4
    margin, gutter, size, leading = 50, 18, 9.5, 12
    column = (width - 2 * margin - (columns - 1) * gutter) / columns
    rows = int((height - 2 * margin) / leading)
    lines = []
    texts = paragraphs(seed)[:40]
    for text in texts:
        line = ""
        for word in text.split():
            if line and stringWidth(line + " " + word, "Times-Roman", size) > column:
                lines.append(line)
                line = word
            else:
                line = (line + " " + word).strip()
        lines += [line, ""]
    page = canvas.Canvas(str(folder / "document.pdf"), pagesize=A4)
    for start in range(0, len(lines), rows * columns):
        page.setFont("Times-Roman", size)
        for row in range(rows):
            for number in range(columns):
                index = start + number * rows + row
                if index < len(lines) and lines[index]:
                    page.drawString(margin + number * (column + gutter), height - margin - row * leading, lines[index])
        page.showPage()
    page.save()
    write_truth(folder, "order", [" ".join(texts)])


# --- documents of others -------------------------------------------------------------------------------------------

def pdfs_of(package):
    """All PDFs in the newest source archive of a package, by name."""
    members = sources.source_archive(package)
    pdfs = (member for member in members if member.isfile() and member.name.lower().endswith(".pdf"))
    return {os.path.basename(member.name): members.extractfile(member).read() for member in pdfs}


def fetch_documents(data):
    papers = {(package, name) for package, name, _ in PAPERS}
    for package in PACKAGES:
        if list(data.glob(f"words-{package}-*")):
            continue
        for name, pdf in sorted(pdfs_of(package).items()):
            stem = re.sub(r"[^A-Za-z0-9.-]+", "_", name[:-4])
            folder = data / (f"crop-{stem}" if (package, name) in papers else f"words-{package}-{stem}")
            if len(pdf) > WORDS_BYTES_MAX and (package, name) not in papers:
                continue
            folder.mkdir(exist_ok=True)
            (folder / "document.pdf").write_bytes(pdf)
    for package, name, pages in PAPERS:
        crop_truth(data / f"crop-{re.sub(r'[^A-Za-z0-9.-]+', '_', name[:-4])}", pages)


def crop_truth(folder, pages):
    document = folder / "document.pdf"
    told = subprocess.run(["pdfinfo", document], capture_output=True, text=True).stdout
    width, height = (int(float(side)) for side in re.search(r"Page size:\s+([\d.]+) x ([\d.]+)", told).groups())
    count = int(re.search(r"Pages:\s+(\d+)", told).group(1))
    segments = []
    for page in pages or range(1, count + 1):
        for left in (0, width // 2):
            crop = ["-x", left, "-y", 0, "-W", width // 2, "-H", height]
            command = ["pdftotext", "-f", page, "-l", page, *crop, document, "-"]
            segments.append(subprocess.run([str(part) for part in command], capture_output=True, text=True).stdout)
    write_truth(folder, "order", segments)


# --- other readers -------------------------------------------------------------------------------------------------

def by_pdftotext(path):
    return subprocess.run(["pdftotext", path, "-"], capture_output=True, timeout=120).stdout.decode(errors="replace")


def by_pdfium(path):
    import pypdfium2
    document = pypdfium2.PdfDocument(path)
    return "\n\n".join(page.get_textpage().get_text_range() for page in document)


def by_pymupdf(path):
    import pymupdf
    return "\n\n".join(page.get_text() for page in pymupdf.open(path))


def by_pymupdf_sorted(path):
    import pymupdf
    return "\n\n".join(page.get_text(sort=True) for page in pymupdf.open(path))


def by_pdfplumber(path):
    import pdfplumber
    with pdfplumber.open(path) as document:
        return "\n\n".join(page.extract_text() or "" for page in document.pages)


READERS = {"pdftotext": by_pdftotext, "pdfium": by_pdfium, "pymupdf": by_pymupdf, "pymupdf-sorted": by_pymupdf_sorted, "pdfplumber": by_pdfplumber}


def run_readers(folder):
    for name, reader in READERS.items():
        out = folder / f"{name}.txt"
        if out.exists() or (folder.name.startswith("words-") and name in ("pdfplumber", "pymupdf-sorted")):
            continue
        began = time.monotonic()
        try:
            text = reader(folder / "document.pdf")
        except Exception as error:
            print(f"{folder.name}: {name}: {error}", file=sys.stderr)
            text = ""
        out.write_text(text, errors="replace")
        (folder / f"{name}.seconds").write_text(f"{time.monotonic() - began:.3f}")


def words_of(text):
    text = BROKEN.sub(r"\1\2", unicodedata.normalize("NFKC", text).lower())
    return [word for word in (re.sub(r"[^\w]+", "", word) for word in text.split()) if word]


def agree_on_words(folder):
    """Words that at least two readers find, as often as the second most of them does."""
    counts = [collections.Counter(words_of((folder / f"{name}.txt").read_text())) for name in ("pdftotext", "pdfium", "pymupdf")]
    agreed = []
    for word in sorted(set().union(*counts)):
        agreed += [word] * sorted(count[word] for count in counts)[1]
    write_truth(folder, "words", [" ".join(agreed)])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
