"""Prepares the table benchmark: documents with known tables, and what other tools find in them.

Usage: tables.py FOLDER

Makes in FOLDER, for each SET of documents:
  sets/SET/NAME.pdf and sets/SET/NAME.json   {"tables": [{"page": 1, "rows": [["…"]]}]}: the truth
  found/TOOL/SET/NAME.json                   {"seconds": 0.1, "tables": [...]}: what a tool found

Sets:
  manuals    manuals that Debian ships both as PDF and as HTML: the HTML says which tables there are. Pages with tables that
             were found word for word on the page, and some pages without any.
  packages   PDFs that table tools on PyPI ship for their own tests, with the truth they ship.
  generated  what typst sets from a fixed seed: ruled, partly ruled, borderless; spans, wrapped cells, several on a page,
             beside prose; and pages that only look like tables.
  icdar2013  the part of the ICDAR-2013 competition in the folder that TOOLGATE_QUALITY names, if there is one. Tables that go
             on are one table; a cell over several rows or columns stands in the first of them.
"""
import csv, gzip, html, io, json, os, pathlib, random, re, shutil, subprocess, sys, time, unicodedata, venv, xml.etree.ElementTree

import sources

NEEDED = ["camelot-py==2.0.0", "pdfplumber==0.11.10", "pymupdf==2.0", "typst==0.15.0", "xberg==1.3.9", "beautifulsoup4", "lxml", "openpyxl"]
SEED = 20130825
MANUALS = {
    "debian-reference-en": "usr/share/debian-reference/debian-reference.en.pdf",
    "debian-policy": "usr/share/doc/debian-policy/policy.pdf.gz",
    "installation-guide-amd64": "usr/share/doc/installation-guide-amd64/en/install.en.pdf.gz",
    "doxygen-doc": "usr/share/doc/doxygen/doxygen_manual.pdf",
    "gnuplot-doc": "usr/share/doc/gnuplot/gnuplot.pdf",
    "maint-guide": "usr/share/doc/maint-guide/maint-guide.en.pdf",
    "octave-doc": "usr/share/doc/octave/octave.pdf",
}
HTML_OF = {"installation-guide-amd64": "usr/share/doc/installation-guide-amd64/en", "debian-reference-en": "usr/share/debian-reference"}
TABLE_PAGES_MAX, PLAIN_PAGES_MAX = 24, 8


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if pathlib.Path(sys.prefix) != folder / "venv":
        return again_in_venv(folder)
    make_generated(folder / "sets" / "generated")
    make_packages(folder, folder / "sets" / "packages")
    make_manuals(folder, folder / "sets" / "manuals")
    make_icdar(folder / "sets" / "icdar2013")
    run_others(folder)


def again_in_venv(folder):
    python = folder / "venv" / "bin" / "python"
    if not python.exists():
        venv.create(folder / "venv", with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", *NEEDED], check=True)
    subprocess.run([python, __file__, str(folder)], check=True)


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1))


# ---- generated ---------------------------------------------------------------------------------------------------------

PLACES = "Aarau Bergen Cádiz Delft Evora Fulda Gdynia Halden Imola Jaca Kotka Luleå Malmö Narva Olomouc Porto Quimper Riga Siena Tartu Umeå Varna Worms Ystad Zagreb".split()
THINGS = "copper wire|steel pipe|oak board|glass pane|rubber seal|brass valve|cork sheet|linen cloth|clay tile|zinc plate|nylon rope|wax block|slate roof|iron hinge|paper roll".split("|")
WORDS = "the river carried barges past low meadows where farmers kept their sheep until autumn and small towns along its banks traded grain for salt cloth iron and news from the coast while engineers measured depth width and flow each spring before new locks were planned built or given up again".split()
HEADS = ["Place", "Item", "Total", "Share", "Price", "Units", "Year", "Rate", "Mean", "Range", "Code", "Change", "Output", "Weight", "Status"]
STATES = ["open", "closed", "planned", "in use", "under repair", "unknown"]


def sentence(rng, low, high):
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(low, high))).capitalize()


def number_column(rng, rows):
    kind = rng.choice(["integer", "decimal", "percent", "money", "change", "year"])
    make = {
        "integer": lambda: f"{rng.randint(1, 99999):,}",
        "decimal": lambda: f"{rng.uniform(0, 900):.2f}",
        "percent": lambda: f"{rng.uniform(0, 100):.1f}%",
        "money": lambda: f"${rng.randint(1, 9000):,}.{rng.randint(0, 99):02}",
        "change": lambda: f"{rng.choice('+-')}{rng.uniform(0, 20):.1f}",
        "year": lambda: str(rng.randint(1890, 2024)),
    }[kind]
    return [make() for _ in range(rows)]


def text_column(rng, rows):
    kind = rng.choice(["place", "thing", "state", "code"])
    if kind == "place":
        return rng.sample(PLACES, rows) if rows <= len(PLACES) else [rng.choice(PLACES) for _ in range(rows)]
    if kind == "thing":
        return [rng.choice(THINGS) for _ in range(rows)]
    if kind == "state":
        return [rng.choice(STATES) for _ in range(rows)]
    return [f"{rng.choice('ABCDEFGH')}{rng.randint(10, 99)}-{rng.randint(100, 999)}" for _ in range(rows)]


class Plan:
    """A table to be: cells with spans, alignments, which rules are drawn."""

    def __init__(self, rng, style, rows=None, columns=None, wrapped=False, spanning=False, sections=False, blanks=False, total=False, narrow=False):
        self.rng, self.style = rng, style
        count = columns or rng.randint(3, 4 if narrow else 7)
        rows = rows or rng.randint(3, 14)
        self.align, body = ["left"], [text_column(rng, rows)]
        for index in range(1, count):
            if wrapped and index == count - 1:
                self.align.append("left")
                body.append([sentence(rng, 5, 18) for _ in range(rows)])
            elif rng.random() < 0.7:
                self.align.append(rng.choice(["right", "right", "right", "center"]))
                body.append(number_column(rng, rows))
            else:
                self.align.append(rng.choice(["left", "left", "center"]))
                body.append(text_column(rng, rows))
        if blanks:
            for column in body[1:]:
                for row in range(rows):
                    if rng.random() < 0.15:
                        column[row] = rng.choice(["", "", "–"])
        self.widths = ["auto"] * count
        if wrapped:
            self.widths[-1] = "1fr"
        names = rng.sample(HEADS, count)
        if rng.random() < 0.3:
            names = [f"{name} {rng.choice(['(kg)', '(m)', '2023', 'per head', 'index'])}" for name in names]
        self.cells, self.header_rows = [], 1
        if spanning:
            self.header_rows = 2
            half = max(2, (count - 1) // 2)
            groups = [(1, half)] + ([(1 + half, count - 1 - half)] if count - 1 - half > 1 else [])
            top = [[("", 1)]] + [[(rng.choice(["First half", "Northern area", "Before 2010", "All members", "Plan"]), span)] if number == 0 else [(rng.choice(["Second half", "Southern area", "After 2010", "Guests", "Result"]), span)] for number, (_, span) in enumerate(groups)]
            top = [cell for part in top for cell in part]
            rest = count - sum(span for _, span in top)
            top += [("", 1)] * rest
            self.cells.append(top)
            self.groups = groups
        self.cells.append([(name, 1) for name in names])
        for row in range(rows):
            if sections and row and row % 4 == 0:
                self.cells.append([(rng.choice(["Upper course", "Lower course", "Tributaries", "Canals"]) + f" {row}", count)])
            self.cells.append([(column[row], 1) for column in body])
        if total:
            self.cells.append([("Total", 1)] + [(number_column(rng, 1)[0] if a == "right" else "", 1) for a in self.align[1:]])
        self.total = total

    def truth(self):
        return [[text for cell, span in row for text in [cell] + [""] * (span - 1)] for row in self.cells]

    def typst(self):
        rng, style = self.rng, self.style
        stroke = {"ruled": "0.5pt", "rows": "none", "columns": "none", "frame": "none", "booktabs": "none", "plain": "none", "zebra": "none"}[style]
        # Borderless tables need visible gaps between columns, as their makers give them.
        inset = rng.choice(["4pt", "5pt", "(x: 6pt, y: 3pt)"]) if style == "ruled" else rng.choice(["(x: 7pt, y: 3pt)", "(x: 9pt, y: 4pt)", "(x: 6pt, y: 2.5pt)"])
        out = [f"table(columns: ({', '.join(self.widths)},), align: ({', '.join(self.align)},), stroke: {stroke}, inset: {inset},"]
        if style == "zebra":
            out.append("fill: (x, y) => if calc.odd(y) { luma(230) },")
        last = len(self.cells) - 1
        if style in ("booktabs", "rows", "frame"):
            out.append("table.hline(stroke: 0.8pt),")
        if style == "columns":
            out += [f"table.vline(x: {x}, stroke: 0.4pt)," for x in range(1, len(self.align))]
        if style == "frame":
            out += ["table.vline(x: 0, stroke: 0.6pt),", f"table.vline(x: {len(self.align)}, stroke: 0.6pt),"]
        for index, row in enumerate(self.cells):
            head = index < self.header_rows
            for text, span in row:
                body = json.dumps(text, ensure_ascii=False)
                body = f"strong({body})" if head and style != "plain" else f"[#{body}]"
                how = f"colspan: {span}, align: center, " if span > 1 else ""
                out.append(f"table.cell({how}{body}),")
            if style in ("booktabs", "columns") and index == self.header_rows - 1:
                out.append("table.hline(stroke: 0.5pt),")
            if style == "booktabs" and head and index == 0 and self.header_rows == 2:
                out += [f"table.hline(start: {start}, end: {start + span}, stroke: 0.3pt)," for start, span in self.groups]
            if style == "rows" or (style == "booktabs" and self.total and index == last - 1):
                out.append("table.hline(stroke: 0.3pt),")
        if style in ("booktabs", "frame"):
            out.append("table.hline(stroke: 0.8pt),")
        return "\n".join(out) + ")"


def prose(rng, paragraphs):
    return "\n\n".join(". ".join(sentence(rng, 6, 16) for _ in range(rng.randint(3, 7))) + "." for _ in range(paragraphs))


def page_of(rng, body, columns=1, justify=True, size=None):
    font = rng.choice(["Libertinus Serif", "New Computer Modern", "DejaVu Sans Mono" if rng.random() < 0.2 else "Libertinus Serif"])
    size = size or rng.choice(["8pt", "9pt", "10pt", "11pt"])
    paper = rng.choice(["a4", "us-letter"])
    return (f'#set page(paper: "{paper}", margin: {rng.choice(["2cm", "2.5cm", "1.8cm"])}, columns: {columns}, numbering: "1")\n'
            f'#set text(font: "{font}", size: {size}, hyphenate: false)\n#set par(justify: {str(justify).lower()})\n{body}')


def look_alikes(rng):
    """Pages without a table that tempt to find one."""
    items = "\n".join(f"{rng.choice('-+')} {sentence(rng, 4, 20)}" for _ in range(14))
    yield "two-columns", 2, prose(rng, 12)
    yield "three-columns", 3, prose(rng, 14)
    yield "lists", 1, prose(rng, 1) + "\n\n" + items + "\n\n" + prose(rng, 1)
    lines = "\n".join(f"Chapter {n} {sentence(rng, 2, 5)} #box(width: 1fr, repeat[.]) {n * 7} \\" for n in range(1, 22))
    yield "contents", 1, "= Contents\n" + lines
    code = "\n".join(f"{'    ' * rng.randint(0, 3)}{rng.choice(WORDS)} = {rng.choice(WORDS)}({rng.randint(0, 9)})  # {sentence(rng, 2, 4)}" for _ in range(30))
    yield "code", 1, prose(rng, 1) + "\n```\n" + code + "\n```\n" + prose(rng, 1)
    yield "letter", 1, "#grid(columns: (1fr, 1fr), [River Office \\ Bank Street 4 \\ Delft], align(right)[12 May 2024 \\ Ref. 77/B])\n\n" + prose(rng, 5)


def make_generated(folder):
    if folder.exists():
        return
    import typst
    rng = random.Random(SEED)
    styles = ["ruled", "booktabs", "plain", "rows", "columns", "frame", "zebra"]
    jobs = []
    for number in range(42):
        style = styles[number % len(styles)]
        flags = dict(wrapped=number % 5 == 1, spanning=number % 4 == 2, sections=number % 9 == 4, blanks=number % 3 == 0, total=number % 6 == 5)
        around = ["prose", "caption", "alone", "two", "columns"][number % 5]
        if around == "columns":
            plans = [Plan(rng, style, rows=rng.randint(4, 9), columns=3)]
            caption = f"#align(center)[Table {number}: {sentence(rng, 4, 8)}]"
            body = f"{prose(rng, 3)}\n\n{caption}\n#align(center, {plans[0].typst()})\n\n{prose(rng, 12)}"
            jobs.append((f"{number:02}-{style}-in-column", plans, page_of(rng, body, columns=2, size="8pt")))
            continue
        plans = [Plan(rng, style, **flags)] + ([Plan(rng, rng.choice(styles), rows=rng.randint(3, 8))] if around == "two" else [])
        parts = [f"#align({rng.choice(['left', 'center'])}, {plan.typst()})" for plan in plans]
        if around == "prose":
            body = prose(rng, 2) + "\n\n" + parts[0] + "\n\n" + prose(rng, 2)
        elif around == "caption":
            body = prose(rng, 1) + f"\n\n#align(center)[*Table {number}.* {sentence(rng, 4, 9)}]\n" + parts[0] + f"\n#text(size: 0.8em)[Source: {sentence(rng, 6, 12)}.]\n\n" + prose(rng, 1)
        else:
            body = f"\n\n{prose(rng, 1)}\n\n".join(parts) if around == "two" else parts[0]
        jobs.append((f"{number:02}-{style}-{around}", plans, page_of(rng, body)))
    for number in range(3):
        plans = [Plan(rng, style, rows=6, columns=3) for style in (["ruled", "booktabs", "plain"][number],) * 2]
        body = prose(rng, 1) + f"\n\n#grid(columns: (1fr, 1fr), column-gutter: 30pt, {plans[0].typst()}, {plans[1].typst()})\n\n" + prose(rng, 1)
        jobs.append((f"beside-{number}", plans, page_of(rng, body, size="9pt")))
    for name, columns, body in look_alikes(rng):
        jobs.append((f"none-{name}", [], page_of(rng, body, columns=columns)))
    for name, plans, source in jobs:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.pdf").write_bytes(typst.compile(source.encode()))
        write_json(folder / f"{name}.json", {"tables": [{"page": 1, "rows": plan.truth()} for plan in plans]})


# ---- from packages -----------------------------------------------------------------------------------------------------

def make_packages(folder, out):
    if out.exists():
        return
    import openpyxl, pymupdf
    tabula = sources.source_archive("tabula-py", "tabula_py-2.9.3.tar.gz")
    member = lambda archive, end: archive.extractfile(next(m for m in archive.getmembers() if m.name.endswith(end))).read()
    for name, truth in [("campaign_donors", "campaign_donors.csv"), ("data", "data_1.csv")]:
        document = pymupdf.open(stream=member(tabula, f"tests/resources/{name}.pdf"))
        document.select([0])
        rows = list(csv.reader(io.StringIO(member(tabula, f"resources/{truth}").decode())))
        out.mkdir(parents=True, exist_ok=True)
        document.save(out / f"{name}.pdf")
        write_json(out / f"{name}.json", {"tables": [{"page": 1, "rows": rows}]})
    pictures = sources.source_archive("img2table", "img2table-2.0.0.tar.gz")
    (out / "ocean.pdf").write_bytes(member(pictures, "examples/data/tables.pdf"))
    book = openpyxl.load_workbook(io.BytesIO(member(pictures, "examples/data/tables.xlsx")))
    tables = [{"page": int(re.search(r"Page (\d+)", sheet.title)[1]), "rows": [[str(cell.value or "") for cell in row] for row in sheet.iter_rows()]} for sheet in book]
    write_json(out / "ocean.json", {"tables": tables})


# ---- manuals -----------------------------------------------------------------------------------------------------------

def squeeze(text):
    """What stays of a text when line breaks, hyphens and typographic variants are taken out."""
    return re.sub(r"[\s\-‐‑–—\u00ad]", "", unicodedata.normalize("NFKC", text)).replace("’", "'").replace("“", '"').replace("”", '"')


def html_tables(root):
    import warnings
    from bs4 import BeautifulSoup, XMLParsedAsHTMLWarning
    warnings.filterwarnings("ignore", category=XMLParsedAsHTMLWarning)
    seen = set()
    for path in sorted(root.rglob("*.html*")):
        if not path.is_file() or not re.search(r"\.html(\.gz)?$", path.name) or re.search(r"\.(?!en)[a-z]{2}(_[A-Z]{2})?\.html", path.name):
            continue
        data = gzip.open(path).read() if path.suffix == ".gz" else path.read_bytes()
        soup = BeautifulSoup(data, "lxml")
        for table in soup.find_all("table"):
            around = " ".join(" ".join(parent.get("class") or []) for parent in table.parents)
            if table.find("table") or re.search(r"nav|note|warning|tip|caution|important|memproto|directory", around + " ".join(table.get("class") or [])):
                continue
            rows = grid_of(table)
            key = json.dumps(rows)
            if sum(1 for row in rows if sum(map(bool, row)) >= 2) >= 2 and sum(1 for row in rows for cell in row if cell) >= 4 and key not in seen:
                seen.add(key)
                yield rows


def grid_of(table):
    rows, held = [], {}
    for y, line in enumerate(table.find_all("tr")):
        row, x = {}, 0
        for cell in line.find_all(["td", "th"], recursive=False):
            while (y, x) in held:
                x += 1
            text = " ".join(cell.get_text(" ").split())
            row[x] = text
            for dy in range(int(cell.get("rowspan") or 1)):
                for dx in range(int(cell.get("colspan") or 1)):
                    held[(y + dy, x + dx)] = True
            x += int(cell.get("colspan") or 1)
        rows.append(row)
    width = max([x for _, x in held] or [0]) + 1
    return [[row.get(x, "") for x in range(width)] for row in rows]


def place(rows, pages):
    """Says on which page each row stands: [(page, rows)], or None where it is not there word for word; with the pages touched."""
    marks = [[squeeze(cell) for cell in row if squeeze(cell)] for row in rows]
    hits = [sum(1 for row in marks for cell in row if len(cell) > 3 and cell in page) for page in pages]
    first = max(range(len(pages)), key=lambda n: hits[n])
    near = [n for n in range(max(0, first - 3), min(len(pages), first + 4)) if hits[n]]
    pieces, at = {}, None
    for row, cells in zip(rows, marks):
        if not cells:
            continue
        on = [n for n in near if all(cell in pages[n] for cell in cells) and (at is None or n >= at)]
        if not on:
            return None, near
        # A row of short cells stands on many pages; the page of its neighbours is right.
        at = at if at in on else (first if first in on and at is None else on[0])
        pieces.setdefault(at, []).append(row)
    head = [row for row in rows if any(row)][0]
    for page, part in pieces.items():
        if part[0] is not head and "".join(squeeze(cell) for cell in head) in pages[page]:
            part.insert(0, head)
    return list(pieces.items()), near


def make_manuals(folder, out):
    if out.exists():
        return
    import pymupdf
    store = folder / "packages" / "debian"
    store.mkdir(parents=True, exist_ok=True)
    for package, inside in MANUALS.items():
        root = store / package
        if not root.exists():
            subprocess.run(["apt-get", "download", "--quiet", package], cwd=store, check=True)
            subprocess.run(["dpkg-deb", "-x", next(store.glob(f"{package}_*.deb")), root], check=True)
        path = root / inside
        data = gzip.open(path).read() if path.suffix == ".gz" else path.read_bytes()
        document = pymupdf.open(stream=data)
        pages = [squeeze(page.get_text()) for page in document]
        tables, doubtful = {}, set()
        for rows in html_tables(root / HTML_OF.get(package, "usr/share/doc")):
            pieces, near = place(rows, pages)
            if pieces is None:
                doubtful.update(near)
                continue
            for page, part in pieces:
                if len(part) > 1:
                    tables.setdefault(page, []).append(part)
                else:
                    doubtful.add(page)
        keep_manual(document, package, tables, doubtful, out)


def keep_manual(document, package, tables, doubtful, out):
    with_tables = [page for page in sorted(tables) if page not in doubtful]
    plain = [page for page in range(10, len(document) - 10) if page not in tables and page not in doubtful]
    pick = lambda some, most: some[:: max(1, -(-len(some) // most))]
    chosen = sorted(pick(with_tables, TABLE_PAGES_MAX) + pick(plain, PLAIN_PAGES_MAX))
    print(package, len(document), "pages,", len(with_tables), "with tables,", len(doubtful), "doubtful,", len(chosen), "taken", flush=True)
    if not with_tables:
        return
    document.select(chosen)
    out.mkdir(parents=True, exist_ok=True)
    document.save(out / f"{package}.pdf", garbage=3)
    truth = [{"page": number + 1, "rows": rows} for number, page in enumerate(chosen) for rows in tables.get(page, [])]
    write_json(out / f"{package}.json", {"tables": truth})


# ---- others ------------------------------------------------------------------------------------------------------------

def clean(rows):
    return [["" if cell is None else str(cell) for cell in row] for row in rows]


def camelot(flavor):
    def run(path):
        import camelot
        found = camelot.read_pdf(str(path), pages="all", flavor=flavor, suppress_stdout=True)
        return [{"page": int(table.page), "rows": clean(table.df.values.tolist())} for table in found]
    return run


def with_pdfplumber(path):
    import pdfplumber
    with pdfplumber.open(path) as document:
        return [{"page": page.page_number, "rows": clean(rows)} for page in document.pages for rows in page.extract_tables()]


def with_pymupdf(path):
    import pymupdf
    return [{"page": page.number + 1, "rows": clean(table.extract())} for page in pymupdf.open(path) for table in page.find_tables().tables]


def with_xberg(path):
    import asyncio, inspect, xberg
    answer = xberg.extract(xberg.ExtractInput(kind=xberg.ExtractInputKind.URI, uri=str(path)))
    if inspect.isawaitable(answer):
        answer = asyncio.run(answer)
    return [{"page": table.page_number, "rows": clean(table.cells)} for document in answer.results for table in document.tables]


def with_pdftotext(path):
    """`pdftotext -layout`, cut at gaps of two spaces; blocks of lines with cells, columns by where cells overlap."""
    text = subprocess.run(["pdftotext", "-layout", path, "-"], capture_output=True, text=True, check=True).stdout
    tables = []
    for number, page in enumerate(text.split("\f"), 1):
        block = []
        for line in page.split("\n") + [""]:
            cells = [(m.start(), m.end(), m.group()) for m in re.finditer(r"\S+(?: \S+)*", line)]
            if len(cells) >= 2:
                block.append(cells)
            elif len(block) >= 2:
                tables.append({"page": number, "rows": in_columns(block)})
                block = []
            else:
                block = []
    return tables


def in_columns(block):
    spans = []
    for start, end, _ in sorted(cell for line in block for cell in line):
        over = [span for span in spans if span[0] < end and start < span[1]]
        if over and len(over) == 1:
            over[0][0], over[0][1] = min(over[0][0], start), max(over[0][1], end)
        elif not over:
            spans.append([start, end])
    rows = []
    for line in block:
        row = [""] * len(spans)
        for start, end, text in line:
            best = max(range(len(spans)), key=lambda n: min(end, spans[n][1]) - max(start, spans[n][0]))
            row[best] = f"{row[best]} {text}".strip()
        rows.append(row)
    return rows


TOOLS = {
    "camelot network": camelot("network"),
    "camelot lattice": camelot("lattice"),
    "pdfplumber": with_pdfplumber,
    "pymupdf": with_pymupdf,
    "xberg": with_xberg,
    "pdftotext gaps": with_pdftotext,
}


# ---- icdar2013 ---------------------------------------------------------------------------------------------------------


def make_icdar(out):
    given = pathlib.Path(os.environ.get("TOOLGATE_QUALITY", "")) / "icdar2013-tables"
    if not given.is_dir():
        print("tables: icdar2013 is left out; TOOLGATE_QUALITY names no folder with icdar2013-tables", file=sys.stderr)
        return
    for pdf in sorted(given.glob("*.pdf")):
        truth = pdf.with_name(f"{pdf.stem}-str.xml")
        if truth.exists():
            tables = [icdar_table(table) for table in xml.etree.ElementTree.parse(truth).getroot().iter("table")]
            write_json(out / f"{pdf.stem}.json", {"tables": [table for table in tables if table["rows"]]})
            shutil.copyfile(pdf, out / pdf.name)


def icdar_table(table):
    """Regions of a table on several pages count their rows from 0, and say by how much they are moved."""
    cells, pages = {}, []
    for region in table.iter("region"):
        pages.append(int(region.get("page", 1)))
        down, right = int(region.get("row-increment", 0)), int(region.get("col-increment", 0))
        for cell in region.iter("cell"):
            place = int(cell.get("start-row")) + down, int(cell.get("start-col")) + right
            cells[place] = " ".join((cell.findtext("content") or "").split())
    height, width = (max((place[axis] for place in cells), default=-1) + 1 for axis in (0, 1))
    rows = [[cells.get((row, column), "") for column in range(width)] for row in range(height)]
    return {"page": min(pages, default=1), "rows": rows}


def run_others(folder):
    for path in sorted((folder / "sets").rglob("*.pdf")):
        for tool, run in TOOLS.items():
            out = folder / "found" / tool / path.parent.name / f"{path.stem}.json"
            if out.exists():
                continue
            begun = time.monotonic()
            try:
                tables, error = run(path), None
            except Exception as trouble:  # a tool that fails found nothing
                tables, error = [], repr(trouble)
                print(tool, path.name, error, file=sys.stderr, flush=True)
            write_json(out, {"seconds": round(time.monotonic() - begun, 3), "error": error, "tables": tables})


if __name__ == "__main__":
    main()
