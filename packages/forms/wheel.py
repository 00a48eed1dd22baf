"""The wheel: `pip install toolgate` and `uvx toolgate`. The program lies inside as a script, as with ruff and uv; no Python is in it."""

import base64
import hashlib
import os
import stat
import sys
import venv
import zipfile

from .program import ROOT, Failed, newest_glibc, run
from .trial import Gateway, bare_environment, says_its_version

# What every file of a wheel is dated, so that the same program gives the same wheel.
DATE = (2020, 2, 2, 0, 0, 0)
# Large programs, many packages a day: little is gained by trying harder in the gate.
LEVEL = {"quick": 1, "dist": 9}


UV = "uv==0.13.8"


def tag(programs):
    """The one of the programs that wants the newest C library decides."""
    glibc = newest_glibc(programs)
    machine = programs[0].words["wheel"]
    if glibc is None:
        # A static program runs with each C library.
        return f"py3-none-manylinux_2_17_{machine}.musllinux_1_1_{machine}"
    return f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_{machine}"


def build(name, about, programs, version, folder, effort, inside=None):
    """A wheel of one or more programs. `inside` is a folder below `bin` for programs that nobody calls by hand."""
    label = tag(programs)
    path = folder / f"{name.replace('-', '_')}-{version}-{label}.whl"
    base = f"{name.replace('-', '_')}-{version}"
    place = f"{base}.data/data/bin/{inside}" if inside else f"{base}.data/scripts"
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL[effort]) as wheel:

        def add(inner, data, mode):
            info = zipfile.ZipInfo(inner, DATE)
            info.external_attr = (stat.S_IFREG | mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(info, data, compresslevel=LEVEL[effort])
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{inner},sha256={digest},{len(data)}")

        for program in programs:
            add(f"{place}/{program.name}", program.path.read_bytes(), 0o755)
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: {about}\nLicense: MIT OR Apache-2.0\nRequires-Python: >=3.8\n"
        add(f"{base}.dist-info/METADATA", metadata.encode(), 0o644)
        tags = "".join(f"Tag: py3-none-{one}\n" for one in label.split("-")[2].split("."))
        add(f"{base}.dist-info/WHEEL", f"Wheel-Version: 1.0\nGenerator: script/package\nRoot-Is-Purelib: false\n{tags}".encode(), 0o644)
        record.append(f"{base}.dist-info/RECORD,,")
        wheel.writestr(zipfile.ZipInfo(f"{base}.dist-info/RECORD", DATE), "\n".join(record) + "\n")
    return path


def install(wheel, home, *more):
    """Into an environment that has nothing else. Returns the program."""
    venv.EnvBuilder(with_pip=False, symlinks=True).create(home / "venv")
    quiet = ["--quiet", "--no-index", "--no-deps", "--disable-pip-version-check", "--no-compile"]
    run(sys.executable, "-m", "pip", "--python", home / "venv/bin/python", "install", *quiet, wheel, *more)
    program = home / "venv/bin/toolgate"
    if not os.access(program, os.X_OK):
        raise Failed(f"{wheel.name} left no program at {program}")
    return program


def try_it(program, version, work):
    """Makes a first call with the installed program."""
    home = work / "wheel"
    environment = bare_environment(home, f"{home}/venv/bin:/usr/bin:/bin")
    says_its_version([program], environment, version)
    with Gateway([program], home / "gate", environment) as gateway:
        return f"venv, serve, first call to {gateway.first_call()}"


def try_uvx(wheel, version, work):
    """`uvx` from the wheel, as from an index."""
    cache = os.environ.get("TOOLGATE_CACHE", str(ROOT / ".cache"))
    place = f"{cache}/{UV.replace('==', '-')}"
    if not os.path.exists(f"{place}/bin/uvx"):
        run(sys.executable, "-m", "venv", "--clear", place)
        run(f"{place}/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", UV)
    environment = {**bare_environment(work / "uvx", f"{place}/bin:/usr/bin:/bin"), "UV_CACHE_DIR": str(work / "uv-cache"), "UV_OFFLINE": "1", "UV_PYTHON": sys.executable}
    says_its_version([f"{place}/bin/uvx", "--from", wheel, "toolgate"], environment, version)
    return "uvx says its version"
