"""Makes the resumes of the test set and lets others read them. Usage: resumes.py DATA

DATA/files has the resumes, DATA/text their text, DATA/found/<tool>/<id>.json what each tool found, as JSON Resume.
Needs typst, python-docx, pypdfium2 and pillow from PyPI, and npm for the one parser of resumes that runs without models that
have to be fetched from elsewhere. The parsers on PyPI (pyresparser, resume-parser) ask for spaCy 2 and its models, and were
not tried; a baseline of plain patterns stands beside it and is called so.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import docx
import pypdfium2

CORPUS = pathlib.Path(__file__).resolve().parents[2] / "resume-profile-mcp" / "corpus"
NPM_PACKAGE = "simple-resume-parser@1.1.8"

# It would fetch the pages of these networks; their addresses are taken out of its text.
NETWORKS = re.compile(r"\S*(?:github|linkedin|facebook|twitter|bitbucket|stackoverflow|behance|instagram)\.\w+\S*", re.I)

NODE = """
const fs = require('fs');
const Parser = require('simple-resume-parser');
(async () => {
  for (const path of process.argv.slice(2)) {
    let found = {};
    try { found = (await new Parser(path).parseToJSON()).parts || {}; } catch (error) { found = {}; }
    fs.writeFileSync(path.replace(/\\.txt$/, '.parts.json'), JSON.stringify(found));
  }
  process.exit(0);
})();
"""


def text_of(path):
    """What anybody gets out of the file without reading pictures."""
    if path.suffix == ".pdf":
        document = pypdfium2.PdfDocument(str(path))
        return "\n".join(page.get_textpage().get_text_range().replace("\r", "") for page in document)
    if path.suffix == ".docx":
        lines = []
        for element in docx.Document(str(path)).iter_inner_content():
            rows = [[cell.text for cell in row.cells] for row in element.rows] if hasattr(element, "rows") else [[element.text]]
            lines += [cell for row in rows for cell in row]
        return "\n".join(lines)
    return path.read_text(encoding="utf-8")


def listed(text):
    return [item.strip(" .-*•\t") for item in re.split(r"[,;|\n•·]", text or "") if item.strip(" .-*•\t")]


def of_parts(parts):
    """The parts of simple-resume-parser as JSON Resume: it leaves sections as text, so only lists can be compared."""
    basics = {key: str(parts[key]).strip() for key in ("name", "email", "phone") if parts.get(key)}
    languages = [{"language": re.split(r"[(:–-]", item)[0].strip()} for item in listed(parts.get("languages"))]
    return {"basics": basics, "skills": [{"name": item} for item in listed(parts.get("skills"))], "languages": languages}


def run_npm(data, texts):
    """Nothing where npm or node is missing."""
    if not shutil.which("npm"):
        print("npm is not there: simple-resume-parser is left out")
        return {}
    folder = data / "npm"
    folder.mkdir(exist_ok=True)
    if not (folder / "node_modules" / "simple-resume-parser").exists():
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", NPM_PACKAGE], cwd=folder, check=True, capture_output=True)
    (folder / "run.js").write_text(NODE)
    paths = []
    for name, text in texts.items():
        path = folder / f"{name}.txt"
        path.write_text(NETWORKS.sub("", text), encoding="utf-8")
        paths.append(path)
    found = {}
    for path in paths:
        # It ends with an error on an empty text, such as that of a scan; then it found nothing.
        subprocess.run(["node", "run.js", path.name], cwd=folder, check=False, capture_output=True)
        parts = path.with_suffix(".parts.json")
        found[path.stem] = of_parts(json.loads(parts.read_text()) if parts.exists() else {})
    return found


HEADINGS = {
    "work": r"(?:work |professional |employment )?(?:experience|history)|employment|berufserfahrung|expérience.*|experiencia.*|esperienz.*|werkervaring",
    "education": r"education.*|ausbildung|formation|formación.*|educación|istruzione.*|opleiding",
    "skills": r"(?:key |technical )?skills|kenntnisse|compétences|habilidades|competenze|vaardigheden",
    "languages": r"languages?|sprachen|langues|idiomas|lingue|talen",
}
TIME = r"(?:[^\W\d_]{3,9}\.? )?(?:\d{1,2}[./])?(?:19|20)\d\d"
RANGE = re.compile(rf"({TIME})\s*[-–—]\s*({TIME}|[^\W\d_]+)", re.I)
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


def date_of(text):
    year = re.search(r"(?:19|20)\d\d", text)
    month = re.match(r"(\d{1,2})[./]", text)
    word = text[:3].lower()
    if not year:
        return None
    if month:
        return f"{year[0]}-{int(month[1]):02}"
    return f"{year[0]}-{MONTHS.index(word) + 1:02}" if word in MONTHS else year[0]


def patterns(text):
    """What an afternoon of regular expressions finds."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = {"basics": {}, "work": [], "education": [], "skills": [], "languages": []}
    if lines:
        found["basics"]["name"] = lines[0].lstrip("# ")
        if len(lines) > 1:
            found["basics"]["label"] = lines[1]
    email = re.search(r"[\w.+-]+@[\w.-]+\.\w+", text)
    phone = re.search(r"\+?\(?\d[\d ().-]{7,}\d", text)
    url = re.search(r"https?://\S+", text)
    for key, match in (("email", email), ("phone", phone), ("url", url)):
        if match:
            found["basics"][key] = match[0]
    place = re.search(r"([A-Z]\w+), (?:[A-Z]\w+|[A-Z]{2})\b", "\n".join(lines[1:8]))
    if place:
        found["basics"]["location"] = {"city": place[1]}
    section = None
    for line in lines:
        heading = next((kind for kind, pattern in HEADINGS.items() if re.fullmatch(pattern, line.strip("#: "), re.I)), None)
        if heading:
            section = heading
        elif section in ("skills", "languages"):
            key = "name" if section == "skills" else "language"
            found[section] += [{key: re.sub(r"\s*\(.*", "", item)} for item in listed(line.split(":")[-1])]
        elif section and (span := RANGE.search(line)):
            parts = [part.strip() for part in re.split(r",|\||—", RANGE.sub("", line)) if part.strip()]
            names = ("position", "name") if section == "work" else ("studyType", "institution")
            entry = dict(zip(names, parts)) | {"startDate": date_of(span[1]), "endDate": date_of(span[2])}
            found[section].append({key: value for key, value in entry.items() if value})
    return found


def keep(data, tool, found):
    folder = data / "found" / tool
    folder.mkdir(parents=True, exist_ok=True)
    for name, resume in found.items():
        (folder / f"{name}.json").write_text(json.dumps(resume, ensure_ascii=False), encoding="utf-8")


def main():
    data = pathlib.Path(sys.argv[1]).resolve()
    data.mkdir(parents=True, exist_ok=True)
    shutil.copytree(CORPUS / "truth", data / "truth", dirs_exist_ok=True)
    shutil.copy(CORPUS / "plan.json", data / "plan.json")
    subprocess.run([sys.executable, str(CORPUS / "generate.py"), str(data / "files")], check=True, stdout=subprocess.DEVNULL)
    texts = {path.stem: text_of(path) for path in sorted((data / "files").iterdir())}
    (data / "text").mkdir(exist_ok=True)
    for name, text in texts.items():
        (data / "text" / f"{name}.txt").write_text(text, encoding="utf-8")
    keep(data, "simple-resume-parser", run_npm(data, texts))
    keep(data, "plain patterns", {name: patterns(text) for name, text in texts.items()})


if __name__ == "__main__":
    main()
