"""A built program: what it is called, which machine it is for, and which C library it wants."""

import pathlib
import platform
import re
import shutil
import struct
import subprocess

# What each world calls the machine: Rust, Debian, Node, wheels.
MACHINES = {
    "x86_64": {"debian": "amd64", "node": "x64", "wheel": "x86_64", "elf": 62},
    "aarch64": {"debian": "arm64", "node": "arm64", "wheel": "aarch64", "elf": 183},
}
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Failed(Exception):
    """A package that could not be made, or does not do what it should. The text says which and why."""


def run(*command, **options):
    """A command that must succeed; what it printed is in the failure."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        words = " ".join(str(word) for word in command)
        raise Failed(f"`{words}` ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def version():
    found = re.search(r'(?m)^\[workspace\.package\]\n(?:[^\[]*\n)?version = "([^"]+)"', (ROOT / "Cargo.toml").read_text())
    return found.group(1)


class Program:
    """A program on this disk, without what debuggers read."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        with self.path.open("rb") as file:
            head = file.read(20)
        if head[:4] != b"\x7fELF":
            raise Failed(f"{path} is no program of Linux")
        (elf,) = struct.unpack_from("<H", head, 18)
        known = [name for name, words in MACHINES.items() if words["elf"] == elf]
        if not known:
            raise Failed(f"{path} is for a machine that has no packages; they are made for {', '.join(MACHINES)}")
        self.machine = known[0]
        self.words = MACHINES[self.machine]

    @property
    def name(self):
        return self.path.name

    @property
    def runs_here(self):
        return platform.machine() == self.machine

    def stripped(self, folder):
        """A copy without symbols."""
        folder.mkdir(parents=True, exist_ok=True)
        copy = folder / self.name
        strip = shutil.which("llvm-strip") if not self.runs_here else None
        try:
            run(strip or "strip", "-o", copy, self.path)
        except Failed:
            # The tools of this machine do not know the other one's programs; they come without symbols already.
            if self.runs_here:
                raise
            shutil.copy2(self.path, copy)
        return Program(copy)

    def glibc(self):
        """The least glibc that has all the program asks for, as (2, 34); `None` for a static one."""
        if "INTERP" not in run("readelf", "-lW", self.path):
            return None
        wanted = re.findall(r"GLIBC_(\d+)\.(\d+)", run("readelf", "-VW", self.path))
        return max((int(major), int(minor)) for major, minor in wanted)
