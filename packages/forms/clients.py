"""The packages that stand in other programs: the clients, and what frameworks get. `clients/test` and `bridges/test` try them; here they are only built."""

import os
import shutil
import sys

from .program import ROOT, Failed, need, run

WHEELS = ["bridges/langgraph", "bridges/pydantic-ai", "clients/python"]
TYPESCRIPT = ROOT / "clients/typescript"
BACKEND = "hatchling==1.33.0"


def build(folder, work):
    need("npm")
    made = [wheel(ROOT / source, folder, work) for source in WHEELS]
    return [*made, typescript(folder, work)]


def wheel(source, folder, work):
    # Building leaves files beside the sources.
    copy = work / "wheels" / source.name
    shutil.copytree(source, copy)
    run(builder(), "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", work / "built", copy)
    name = next(line.split('"')[1] for line in (source / "pyproject.toml").read_text().splitlines() if line.startswith("name ="))
    [built] = (work / "built").glob(f"{name.replace('-', '_')}-*.whl")
    return shutil.move(built, folder / built.name)


def builder():
    cache = os.environ.get("TOOLGATE_CACHE", str(ROOT / ".cache"))
    place = f"{cache}/{BACKEND.replace('==', '-')}"
    if not os.path.exists(f"{place}/ready"):
        run(sys.executable, "-m", "venv", "--clear", place)
        run(f"{place}/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", BACKEND)
        open(f"{place}/ready", "w").close()
    return f"{place}/bin/python"


def typescript(folder, work):
    cache = os.environ.get("TOOLGATE_CACHE", str(ROOT / ".cache"))
    compiler = f"{cache}/npm-compiler/node_modules/typescript/bin/tsc"
    if not os.path.exists(compiler):
        raise Failed(f"there is no {compiler}\nhint: tests/clients/install fetches it")
    copy = work / "typescript"
    shutil.copytree(TYPESCRIPT, copy)
    run(f"{cache}/node/bin/node", compiler, "-p", copy)
    name = run(shutil.which("npm"), "pack", "--silent", "--pack-destination", folder, cwd=copy).strip()
    return folder / name
