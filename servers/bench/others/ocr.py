#!/usr/bin/env python3
"""Pages for the OCR benchmark, and what other tools read on them.

  ocr.py FOLDER    renders pages of public PDFs into FOLDER, clean (200 dpi) and as a poor scan (130 dpi, turned by 0.8
                   degrees, blurred, noisy, JPEG at quality 55), with the PDF's own text as the truth, and then reads them with
                   RapidOCR and Tesseract. What is there already is left alone.

Wants pdftoppm and pdftotext (poppler-utils), and tesseract; without it, Tesseract is left out. Python packages go into a
virtual environment in FOLDER.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import venv

import sources

NEEDED = ["rapidocr==3.10.0", "onnxruntime==1.31.1", "pillow", "numpy"]
# Package, file, page: prose, two columns, tables, forms, small print, headings, maths.
PAGES = [
    ("pypdf", "crazyones.pdf", 1),
    ("pypdf", "issue-914-xmp-data.pdf", 1),
    ("pypdf", "GeoBase_NHNC1_Data_Model_UML_EN.pdf", 5),
    ("pypdf", "side-by-side-subfig.pdf", 1),
    ("pdf2docx", "demo-whisper_2_3.pdf", 1),
    ("pdf2docx", "demo-whisper_2_3.pdf", 3),
    ("pdf2docx", "demo-section.pdf", 1),
    ("pdf2docx", "demo-table-close-underline.pdf", 1),
    ("tabula-py", "campaign_donors.pdf", 1),
    ("tabula-py", "MultiColumn.pdf", 1),
]


def say(text):
    print(text, file=sys.stderr, flush=True)


def source_package(name, folder):
    """The PDFs of the newest source package: pip itself would want to build it."""
    target = folder / name
    if target.is_dir():
        return target
    say(f"fetching {name} …")
    part = folder / f"{name}.part"
    part.mkdir(exist_ok=True)
    with sources.source_archive(name) as opened:
        for member in opened.getmembers():
            if member.isfile() and member.name.endswith(".pdf"):
                (part / pathlib.PurePosixPath(member.name).name).write_bytes(opened.extractfile(member).read())
    part.rename(target)
    return target


def render(pdf, page, dpi, target):
    stem = target.with_suffix("")
    subprocess.run(
        ["pdftoppm", "-r", str(dpi), "-f", str(page), "-l", str(page), "-singlefile", "-png", pdf, stem], check=True
    )


def spoil(source, target, seed):
    """A poor scan."""
    import numpy
    from PIL import Image, ImageFilter

    picture = Image.open(source).convert("RGB")
    picture = picture.rotate(-0.8, resample=Image.BICUBIC, expand=True, fillcolor=(255, 255, 255))
    picture = picture.filter(ImageFilter.GaussianBlur(0.7))
    pixels = numpy.asarray(picture).astype("float32")
    pixels += numpy.random.RandomState(seed).normal(0, 10, pixels.shape)
    Image.fromarray(pixels.clip(0, 255).astype("uint8")).save(target, quality=55)


def prepare(folder):
    sources = folder / "sources"
    sources.mkdir(parents=True, exist_ok=True)
    for number, (package, file, page) in enumerate(PAGES):
        pdf = source_package(package, sources) / file
        name = f"{number:02}-{pdf.stem}-{page}"
        truth = folder / f"{name}.truth.txt"
        clean, noisy = folder / f"{name}.clean.png", folder / f"{name}.noisy.jpg"
        if truth.exists() and clean.exists() and noisy.exists():
            continue
        say(f"rendering {name} …")
        render(pdf, page, 200, clean)
        render(pdf, page, 130, folder / "scan.png")
        spoil(folder / "scan.png", noisy, number)
        (folder / "scan.png").unlink()
        subprocess.run(["pdftotext", "-f", str(page), "-l", str(page), pdf, truth], check=True)


def pictures(folder):
    return sorted([*folder.glob("*.clean.png"), *folder.glob("*.noisy.jpg")])


def keep(folder, tool, texts, version):
    (folder / f"{tool}.json").write_text(json.dumps({"version": version, "pages": texts}, ensure_ascii=False, indent=1))


def rapidocr(folder):
    import importlib.metadata

    from rapidocr import RapidOCR

    threads = {"EngineConfig.onnxruntime.intra_op_num_threads": 2, "Global.log_level": "error"}
    engine = RapidOCR(params=threads)
    texts = {}
    for picture in pictures(folder):
        started = time.monotonic()
        answer = engine(str(picture))
        texts[picture.name] = {"text": "\n".join(answer.txts or ()), "seconds": time.monotonic() - started}
        say(f"rapidocr {picture.name} {texts[picture.name]['seconds']:.1f} s")
    keep(folder, "rapidocr", texts, importlib.metadata.version("rapidocr"))


def tesseract(folder):
    said = subprocess.run(["tesseract", "--version"], capture_output=True, text=True)
    version = (said.stdout + said.stderr).split()[1]
    texts = {}
    for picture in pictures(folder):
        started = time.monotonic()
        answer = subprocess.run(["tesseract", picture, "stdout"], capture_output=True, check=True)
        texts[picture.name] = {"text": answer.stdout.decode(), "seconds": time.monotonic() - started}
    keep(folder, "tesseract", texts, version)


def again_in_environment(folder):
    python = folder / "venv" / "bin" / "python"
    if not python.exists():
        venv.create(folder / "venv", with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", *NEEDED], check=True)
    subprocess.run([python, __file__, folder], check=True)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if pathlib.Path(sys.prefix) != folder / "venv":
        return again_in_environment(folder)
    for program in ("pdftoppm", "pdftotext"):
        if not shutil.which(program):
            sys.exit(f"error: {program} is not on PATH\nhint: apt-get install poppler-utils")
    prepare(folder)
    for tool in (rapidocr, tesseract):
        if (folder / f"{tool.__name__}.json").exists():
            continue
        if tool is tesseract and not shutil.which("tesseract"):
            say("tesseract is left out: it is not on PATH (apt-get install tesseract-ocr)")
            continue
        tool(folder)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
