"""Looks for redacted secrets with other programs: `redaction.py FOLDER` after capability-bench made its files."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# OCR of every file would take an hour; it sees the same pages as the others.
OCR_FILES = 20


def run(*command):
    return subprocess.run(command, capture_output=True, timeout=120).stdout.decode("utf-8", "replace")


def by_ocr(path):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["pdftoppm", "-r", "150", "-png", path, f"{folder}/page"], check=True, timeout=120)
        return "".join(run("tesseract", str(page), "-") for page in sorted(Path(folder).glob("*.png")))


def main():
    folder = Path(sys.argv[1])
    readers = {
        "pdftotext": lambda path: run("pdftotext", "-layout", path, "-"),
        "mutool": lambda path: run("mutool", "draw", "-F", "txt", path) + run("mutool", "show", path, "trailer", "grep"),
        "strings": lambda path: run("strings", "-a", path) + run("strings", "-a", "-el", path),
        "ocr": by_ocr,
    }
    files = sorted(folder.glob("*.pdf"))
    for name, read in readers.items():
        program = {"ocr": "tesseract"}.get(name, name)
        if not shutil.which(program):
            print(f"{name:<10} left out: {program} is not installed")
            continue
        chosen = files[:: max(1, len(files) // OCR_FILES)] if name == "ocr" else files
        leaks = 0
        for path in chosen:
            text = "".join(read(str(path)).split()).lower()
            secrets = path.with_suffix(".secrets").read_text().split("\n")
            leaks += any("".join(secret.split()).lower() in text for secret in secrets if secret)
        print(f"{name:<10} {len(chosen):>4} files, something recovered from {leaks}")


main()
