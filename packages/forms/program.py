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


# Where programs come from that not every machine has.
SOURCES = {
    "buildah": "apt-get install buildah", "podman": "apt-get install podman crun", "mmdebstrap": "apt-get install mmdebstrap",
    "systemd-nspawn": "apt-get install systemd-container", "qemu-aarch64-static": "apt-get install qemu-user-static",
    "readelf": "apt-get install binutils", "strip": "apt-get install binutils", "dpkg-deb": "apt-get install dpkg-dev", "npm": "apt-get install nodejs npm",
    "psql": "apt-get install postgresql-client", "kubectl": "version 1.27 or newer, from the package source of Kubernetes",
    "cargo": "install Rust, see https://rustup.rs",
}


def need(*names):
    """Refuses early, before minutes of compiling, what cannot work on this machine."""
    missing = [name for name in names if shutil.which(name) is None]
    if missing:
        hints = "; ".join(f"{name}: {SOURCES[name]}" for name in missing)
        raise Failed(f"there is no {' and no '.join(missing)} on PATH\nhint: {hints}")


def run(*command, **options):
    """A command that must succeed; what it printed is in the failure."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    except OSError as error:
        name = words[0].rsplit("/", 1)[-1]
        hint = f"\nhint: {SOURCES[name]}" if name in SOURCES else ""
        raise Failed(f"`{words[0]}` could not be started: {error.strerror}{hint}") from error
    if done.returncode != 0:
        raise Failed(f"`{' '.join(words)}` ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
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


def newest_glibc(programs):
    """The least glibc that all of them run with; `None` if all are static."""
    return max((one for one in map(Program.glibc, programs) if one is not None), default=None)
