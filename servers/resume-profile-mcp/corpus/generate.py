"""Makes the test set of resumes: for each line of plan.json one file from its truth, in the layout and format that it names.

Usage: generate.py OUTPUT_FOLDER. Needs typst, python-docx, pypdfium2 and pillow from PyPI. The truths are invented people.
"""

import json
import pathlib
import sys
import zlib

import docx
import pypdfium2
import typst
from docx.shared import Cm, Pt

HERE = pathlib.Path(__file__).parent

# Several wordings for each section; which one a resume has depends on its id.
HEADINGS = {
    "en": {
        "summary": ["Summary", "Profile", "About me", "Professional summary"],
        "work": ["Experience", "Work Experience", "Professional Experience", "Employment History"],
        "education": ["Education", "Education and Training", "Academic Background"],
        "skills": ["Skills", "Key Skills", "Technical Skills", "Core Competencies"],
        "languages": ["Languages", "Language Skills"],
        "certificates": ["Certifications", "Licenses and Certifications", "Certificates"],
        "projects": ["Projects", "Personal Projects"],
        "awards": ["Awards", "Honors and Awards"],
        "publications": ["Publications", "Selected Publications"],
        "volunteer": ["Volunteering", "Volunteer Work"],
        "interests": ["Interests", "Hobbies and Interests"],
        "contact": ["Contact"],
    },
    "de": {
        "summary": ["Profil", "Kurzprofil", "Über mich"],
        "work": ["Berufserfahrung", "Beruflicher Werdegang", "Berufspraxis"],
        "education": ["Ausbildung", "Bildungsweg", "Studium und Ausbildung"],
        "skills": ["Kenntnisse", "Fähigkeiten", "Fachkenntnisse"],
        "languages": ["Sprachen", "Sprachkenntnisse"],
        "contact": ["Kontakt"],
    },
    "fr": {
        "summary": ["Profil", "À propos"],
        "work": ["Expérience professionnelle", "Expériences", "Parcours professionnel"],
        "education": ["Formation", "Formation académique", "Études"],
        "skills": ["Compétences", "Compétences clés"],
        "languages": ["Langues"],
        "contact": ["Contact", "Coordonnées"],
    },
    "es": {
        "summary": ["Perfil", "Perfil profesional", "Resumen"],
        "work": ["Experiencia laboral", "Experiencia profesional", "Experiencia"],
        "education": ["Formación académica", "Educación", "Estudios"],
        "skills": ["Habilidades", "Competencias", "Conocimientos"],
        "languages": ["Idiomas"],
        "contact": ["Contacto", "Datos de contacto"],
    },
    "it": {
        "summary": ["Profilo"],
        "work": ["Esperienza lavorativa", "Esperienze professionali", "Esperienza professionale"],
        "education": ["Istruzione e formazione", "Formazione", "Istruzione"],
        "skills": ["Competenze", "Capacità e competenze"],
        "languages": ["Lingue", "Conoscenze linguistiche"],
        "contact": ["Contatti"],
    },
    "pt": {
        "summary": ["Perfil", "Resumo"],
        "work": ["Experiência profissional", "Experiência"],
        "education": ["Formação acadêmica", "Formação", "Educação"],
        "skills": ["Competências", "Habilidades"],
        "languages": ["Idiomas", "Línguas"],
        "contact": ["Contato", "Contacto"],
    },
    "nl": {
        "summary": ["Profiel", "Over mij"],
        "work": ["Werkervaring", "Ervaring"],
        "education": ["Opleiding", "Opleidingen"],
        "skills": ["Vaardigheden", "Kennis en vaardigheden"],
        "languages": ["Talen", "Talenkennis"],
        "contact": ["Contact"],
    },
    "he": {
        "summary": ["תקציר"], "work": ["ניסיון תעסוקתי"], "education": ["השכלה"], "skills": ["כישורים"],
        "languages": ["שפות"], "contact": ["פרטי קשר"],
    },
    "zh": {
        "summary": ["个人简介"], "work": ["工作经历"], "education": ["教育背景"], "skills": ["专业技能"],
        "languages": ["语言能力"], "contact": ["联系方式"],
    },
}

CREATIVE = {
    "summary": "Hello there", "work": "Where I have worked", "education": "Where I studied", "skills": "What I am good at",
    "languages": "How I talk", "interests": "When I am not working", "contact": "Say hello",
}

MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
}

MONTHS_SHORT = {
    "en": "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec",
    "de": "Jan. Feb. März Apr. Mai Juni Juli Aug. Sep. Okt. Nov. Dez.",
    "fr": "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
    "es": "ene. feb. mar. abr. may. jun. jul. ago. sep. oct. nov. dic.",
    "it": "gen. feb. mar. apr. mag. giu. lug. ago. set. ott. nov. dic.",
    "pt": "jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez.",
    "nl": "jan. feb. mrt. apr. mei jun. jul. aug. sep. okt. nov. dec.",
}

PRESENT = {
    "en": ["Present", "present", "now", "Current"], "de": ["heute", "bis heute", "aktuell"], "fr": ["aujourd'hui", "présent"],
    "es": ["actualidad", "presente"], "it": ["oggi", "presente"], "pt": ["presente", "atual"], "nl": ["heden", "nu"],
    "he": ["היום"], "zh": ["至今"],
}

SINCE = {"en": "since", "de": "seit", "fr": "depuis", "es": "desde", "it": "dal", "pt": "desde", "nl": "sinds"}

FORMAL = {
    "en": {"dates": "Dates", "position": "Occupation or position held", "employer": "Name of employer", "duties": "Main activities",
           "title": "Title of qualification awarded", "subject": "Principal subjects", "school": "Name of organisation providing education",
           "name": "Surname and first name", "address": "Address", "phone": "Telephone", "email": "E-mail", "wanted": "Desired employment",
           "mother": "Mother tongue", "other": "Other languages", "grade": "Final grade", "personal": "Personal information"},
    "it": {"dates": "Date", "position": "Lavoro o posizione ricoperti", "employer": "Nome del datore di lavoro", "duties": "Principali attività",
           "title": "Titolo della qualifica rilasciata", "subject": "Principali materie", "school": "Nome dell'organizzazione erogatrice",
           "name": "Cognome e nome", "address": "Indirizzo", "phone": "Telefono", "email": "E-mail", "wanted": "Occupazione desiderata",
           "mother": "Madrelingua", "other": "Altre lingue", "grade": "Voto finale", "personal": "Informazioni personali"},
}


def pick(identity, what, choices):
    """The same choice every time, another one for another resume."""
    return choices[zlib.crc32(f"{identity}/{what}".encode()) % len(choices)]


class Wording:
    """How one resume writes dates and headings."""

    def __init__(self, line):
        self.identity, self.language, self.style = line["id"], line["language"], line["dates"]
        self.creative = line["layout"] == "creative"

    def heading(self, kind):
        if self.creative and kind in CREATIVE:
            return CREATIVE[kind]
        return pick(self.identity, kind, HEADINGS[self.language].get(kind) or HEADINGS["en"][kind])

    def date(self, text):
        if text is None:
            return None
        year, _, month = text.partition("-")
        if not month or self.style in ("year", "short", "since"):
            return year
        number = int(month)
        if self.style == "long":
            name = MONTHS[self.language].split()[number - 1]
            return f"{name} de {year}" if self.language in ("es", "pt") else f"{name} {year}"
        if self.style == "mon":
            return f"{MONTHS_SHORT[self.language].split()[number - 1]} {year}"
        if self.style == "apostrophe":
            return f"{MONTHS_SHORT[self.language].split()[number - 1]} '{year[2:]}"
        return {"slash": f"{month}/{year}", "dot": f"{month}.{year}", "num": f"{number}-{year}", "iso": f"{year}-{month}"}[self.style]

    def range(self, start, end):
        first, last = self.date(start), self.date(end)
        if first is None:
            return last or ""
        if end is None:
            if self.style == "since":
                return f"{SINCE[self.language]} {first}"
            last = pick(self.identity, "present", PRESENT[self.language])
        elif self.style == "short":
            return f"{first}–{last[2:]}"
        dash = {"iso": " / ", "num": " t/m ", "slash": " - "}.get(self.style, " – ")
        return f"{first}{dash}{last}"


def flat_skills(truth):
    return [name for skill in truth.get("skills", []) for name in skill.get("keywords", [skill["name"]])]


def content(truth, line):
    """What a layout shows, with all dates and headings as text."""
    wording = Wording(line)
    data = json.loads(json.dumps(truth))
    # Nobody who has a date of beginning only has an end; a point in time has no range.
    for entry in data.get("work", []) + data.get("education", []):
        entry["dates"] = wording.range(entry.get("startDate"), entry.get("endDate"))
    for kind, key in (("certificates", "date"), ("awards", "date"), ("publications", "releaseDate"), ("volunteer", "startDate")):
        for entry in data.get(kind, []):
            entry["dates"] = wording.date(entry.get(key)) or ""
    data["headings"] = {kind: wording.heading(kind) for kind in HEADINGS["en"]}
    data["formal"] = FORMAL.get(line["language"], FORMAL["en"])
    data["flat_skills"] = flat_skills(truth)
    data["grouped"] = any("keywords" in skill for skill in truth.get("skills", []))
    data["language"] = line["language"]
    location = truth["basics"].get("location", {})
    data["place"] = ", ".join(location[key] for key in ("city", "region") if key in location)
    return data


def write_pdf(data, layout, path):
    inputs = {"data": json.dumps(data, ensure_ascii=False)}
    typst.compile(str(HERE / "layouts" / f"{layout}.typ"), output=str(path), root=str(HERE), sys_inputs=inputs)


def write_scan(data, layout, path):
    """The page as a picture, as if it came from a scanner: grey and not quite straight."""
    whole = path.with_suffix(".whole.pdf")
    write_pdf(data, layout, whole)
    document = pypdfium2.PdfDocument(str(whole))
    pages = [page.render(scale=200 / 72).to_pil().convert("L").rotate(0.4, fillcolor=255, expand=False) for page in document]
    pages[0].save(path, "PDF", resolution=200, save_all=True, append_images=pages[1:])
    document.close()
    whole.unlink()


def contacts(data):
    basics = data["basics"]
    found = [data["place"], basics.get("email"), basics.get("phone"), basics.get("url")]
    found += [profile["url"].removeprefix("https://") for profile in basics.get("profiles", [])]
    return [text for text in found if text]


def degree(entry):
    joined = [text for text in (entry.get("studyType"), entry.get("area")) if text]
    return " in ".join(joined) if entry.get("studyType", "").startswith(("Bachelor of", "Master of")) else ", ".join(joined)


def simple_sections(data):
    """The sections that are a list of lines, in every format."""
    for kind, parts in (
        ("certificates", ("name", "issuer", "dates")),
        ("awards", ("title", "awarder", "dates")),
        ("publications", ("name", "publisher", "dates")),
        ("volunteer", ("position", "organization", "dates")),
    ):
        if data.get(kind):
            yield kind, [", ".join(entry[part] for part in parts if entry.get(part)) for entry in data[kind]]
    if data.get("projects"):
        yield "projects", [f"{entry['name']}: {entry['description']}" for entry in data["projects"]]
    if data.get("interests"):
        yield "interests", [", ".join(entry["name"] for entry in data["interests"])]


def skill_lines(data):
    if data["grouped"]:
        return [f"{skill['name']}: {', '.join(skill['keywords'])}" for skill in data["skills"]]
    return [", ".join(data["flat_skills"])] if data["flat_skills"] else []


def language_lines(data):
    return [f"{entry['language']} ({entry['fluency']})" for entry in data.get("languages", [])]


def write_docx(data, layout, path):
    document = docx.Document()
    shape = {"docx_plain": PlainDocx, "docx_table": TableDocx, "docx_bold": BoldDocx, "docx_tabs": TabsDocx}[layout](document, data)
    shape.top()
    if data["basics"].get("summary"):
        shape.heading("summary")
        document.add_paragraph(data["basics"]["summary"])
    if data.get("work"):
        shape.heading("work")
        for entry in data["work"]:
            shape.job(entry)
    if data.get("education"):
        shape.heading("education")
        for entry in data["education"]:
            shape.study(entry)
    for kind, lines in (("skills", skill_lines(data)), ("languages", language_lines(data)), *simple_sections(data)):
        if lines:
            shape.heading(kind)
            for line in lines:
                document.add_paragraph(line)
    document.save(path)


class PlainDocx:
    """Word's own styles; title and employer in one line, the dates below."""

    def __init__(self, document, data):
        self.document, self.data = document, data

    def top(self):
        self.document.add_heading(self.data["basics"]["name"], 0)
        self.document.add_paragraph(self.data["basics"]["label"])
        self.document.add_paragraph(" | ".join(contacts(self.data)))

    def heading(self, kind):
        self.document.add_heading(self.data["headings"][kind], 1)

    def bullets(self, entry):
        for text in entry.get("highlights", []):
            self.document.add_paragraph(text, style="List Bullet")

    def job(self, entry):
        self.document.add_heading(f"{entry['position']}, {entry['name']}", 2)
        self.document.add_paragraph(f"{entry['dates']} | {entry['location']}")
        self.bullets(entry)

    def study(self, entry):
        self.document.add_heading(f"{degree(entry)}, {entry['institution']}", 2)
        self.document.add_paragraph(entry["dates"] + (f" | {entry['score']}" if "score" in entry else ""))


class TableDocx(PlainDocx):
    """A table without lines, dates in the left column."""

    def row(self, left, right):
        table = self.document.add_table(rows=1, cols=2)
        table.autofit = False
        for cell, width in zip(table.rows[0].cells, (Cm(4), Cm(12))):
            cell.width = width
        table.rows[0].cells[0].text = left
        cell = table.rows[0].cells[1]
        cell.text = right[0]
        cell.paragraphs[0].runs[0].bold = True
        for text in right[1:]:
            cell.add_paragraph(text)

    def job(self, entry):
        self.row(entry["dates"], [entry["position"], f"{entry['name']}, {entry['location']}", *(f"• {text}" for text in entry.get("highlights", []))])

    def study(self, entry):
        self.row(entry["dates"], [degree(entry), entry["institution"], *([entry["score"]] if "score" in entry else [])])


class BoldDocx(PlainDocx):
    """No styles at all: bold and capitals stand for headings, hyphens for bullets."""

    def bold(self, text, size=None):
        run = self.document.add_paragraph().add_run(text)
        run.bold = True
        if size:
            run.font.size = Pt(size)

    def top(self):
        self.bold(self.data["basics"]["name"], 18)
        self.document.add_paragraph(self.data["basics"]["label"])
        for text in contacts(self.data):
            self.document.add_paragraph(text)

    def heading(self, kind):
        self.bold(self.data["headings"][kind].upper())

    def bullets(self, entry):
        for text in entry.get("highlights", []):
            self.document.add_paragraph(f"- {text}")

    def job(self, entry):
        self.bold(entry["name"])
        self.document.add_paragraph(f"{entry['position']} ({entry['dates']})")
        self.bullets(entry)

    def study(self, entry):
        self.bold(entry["institution"])
        self.document.add_paragraph(f"{degree(entry)} ({entry['dates']})" + (f", {entry['score']}" if "score" in entry else ""))


class TabsDocx(PlainDocx):
    """Employer and dates in one line with a tab between them, the title in italics below."""

    def pair(self, left, right, below):
        paragraph = self.document.add_paragraph()
        paragraph.add_run(left).bold = True
        paragraph.add_run(f"\t{right}")
        self.document.add_paragraph().add_run(below).italic = True

    def job(self, entry):
        self.pair(f"{entry['name']}, {entry['location']}", entry["dates"], entry["position"])
        self.bullets(entry)

    def study(self, entry):
        self.pair(entry["institution"], entry["dates"], degree(entry) + (f" ({entry['score']})" if "score" in entry else ""))


def write_text(data, layout, path):
    basics = data["basics"]
    mark = {
        "txt_caps": lambda text: ["", text.upper()],
        "txt_underline": lambda text: ["", text, "-" * max(len(text), 8)],
        "txt_markdown": lambda text: ["", f"## {text}", ""],
    }[layout]
    markdown = layout == "txt_markdown"
    lines = [f"# {basics['name']}" if markdown else basics["name"], basics["label"]]
    lines += [" | ".join(contacts(data))] if markdown else contacts(data)
    if basics.get("summary"):
        lines += [*mark(data["headings"]["summary"]), basics["summary"]]
    lines += mark(data["headings"]["work"]) if data.get("work") else []
    for entry in data.get("work", []):
        lines += text_job(entry, layout)
    lines += mark(data["headings"]["education"]) if data.get("education") else []
    for entry in data.get("education", []):
        score = f" ({entry['score']})" if "score" in entry else ""
        lines += [f"{entry['dates']}  {degree(entry)}, {entry['institution']}{score}"]
    for kind, found in (("skills", skill_lines(data)), ("languages", language_lines(data)), *simple_sections(data)):
        if found:
            bullet = "- " if markdown else ""
            lines += [*mark(data["headings"][kind]), *(bullet + text for text in found)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def text_job(entry, layout):
    bullets = [f"{'*' if layout == 'txt_caps' else '-'} {text}" for text in entry.get("highlights", [])]
    if layout == "txt_caps":
        return [f"{entry['position']}, {entry['name']}, {entry['location']}  {entry['dates']}", *bullets, ""]
    if layout == "txt_underline":
        return [entry["dates"], entry["position"], f"{entry['name']}, {entry['location']}", *bullets, ""]
    return [f"### {entry['position']} at {entry['name']}", f"*{entry['dates']}, {entry['location']}*", "", *bullets, ""]


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for line in json.loads((HERE / "plan.json").read_text(encoding="utf-8")):
        truth = json.loads((HERE / "truth" / f"{line['id']}.json").read_text(encoding="utf-8"))
        extension = {"scan": "pdf", "txt": "md" if line["layout"] == "txt_markdown" else "txt"}.get(line["format"], line["format"])
        path = folder / f"{line['id']}.{extension}"
        write = {"pdf": write_pdf, "scan": write_scan, "docx": write_docx, "txt": write_text}[line["format"]]
        write(content(truth, line), line["layout"], path)
        print(path.name)


if __name__ == "__main__":
    main()
