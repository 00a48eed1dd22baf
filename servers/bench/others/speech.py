"""Prepares spoken clips: LibriVox recordings out of the source archive of pocketsphinx, and sentences of ours spoken by
espeak-ng and flite where they are installed. `speech.py FOLDER` writes NAME.wav and NAME.txt."""

import pathlib
import re
import shutil
import subprocess
import sys

from sources import source_archive

SENTENCES = [
    "The quick brown fox jumps over the lazy dog near the river bank.",
    "Please send the quarterly report to the finance team before Friday morning.",
]


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


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
if not any(folder.glob("*.wav")):
    librivox(folder)
    spoken(folder)
if not any(folder.glob("*.wav")):
    sys.exit("speech: there are no clips")
