"""The npm packages: `npx toolgate`. The main one has a small starter, and one package for each platform has the program."""

import json
import shutil
import subprocess
import tarfile

from .program import MACHINES, ROOT, Failed, run
from .trial import Gateway, bare_environment, says_its_version

STARTER = ROOT / "packages/npm/toolgate.js"


def platform_name(program, what=""):
    return f"@toolgate/{what}linux-{program.words['node']}"


def pack(folder, packed, level):
    """A package from its folder, as `npm pack` makes it."""
    with tarfile.open(packed, "w:gz", compresslevel=level) as archive:
        archive.add(folder, "package", filter=own_by_nobody)
    return packed


def own_by_nobody(entry):
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mtime = 0
    return entry


def described(name, version, **more):
    return {"name": name, "version": version, "license": "MIT OR Apache-2.0", **more}


def build_platform(programs, version, folder, work, effort, what=""):
    """The programs for one platform: the gateway, or with `what` the capability servers."""
    words = programs[0].words
    name = platform_name(programs[0], what)
    home = work / f"npm-{what}platform"
    (home / "bin").mkdir(parents=True)
    for program in programs:
        shutil.copy2(program.path, home / "bin" / program.name)
    about = f"Programs of Toolgate for Linux on {programs[0].machine}"
    entry = described(name, version, description=about, os=["linux"], cpu=[words["node"]], files=["bin"])
    (home / "package.json").write_text(json.dumps(entry, indent=2))
    return pack(home, folder / f"toolgate-{what}linux-{words['node']}-{version}.tgz", 9 if effort == "dist" else 1)


def build_main(version, folder, work):
    home = work / "npm-main"
    home.mkdir(parents=True)
    shutil.copy2(STARTER, home / "toolgate.js")
    (home / "toolgate.js").chmod(0o755)
    platforms = {f"@toolgate/linux-{words['node']}": version for words in MACHINES.values()}
    entry = described(
        "toolgate", version, description="The governed door between AI agents and tools", bin={"toolgate": "toolgate.js"},
        optionalDependencies=platforms, engines={"node": ">=18"}, files=["toolgate.js"],
    )
    (home / "package.json").write_text(json.dumps(entry, indent=2))
    return pack(home, folder / f"toolgate-{version}.tgz", 9)


def build(program, version, folder, work, effort):
    return build_main(version, folder, work), build_platform([program], version, folder, work, effort)


def try_it(packages, version, work):
    """Installs both into a fresh prefix, without a registry, and makes a first call."""
    home = work / "npm"
    home.mkdir(parents=True)
    node = shutil.which("node")
    bin_folder = node.rsplit("/", 1)[0]
    environment = bare_environment(home, f"{home}/prefix/bin:{bin_folder}:/usr/bin:/bin")
    environment["npm_config_cache"] = str(home / "cache")
    run(
        shutil.which("npm"), "install", "--global", "--prefix", home / "prefix", "--offline", "--no-audit", "--no-fund", "--loglevel=error",
        "--omit=optional", *packages, env=environment,
    )
    starter = home / "prefix/bin/toolgate"
    says_its_version([starter], environment, version)
    refuses_other_machines(home, environment, bin_folder)
    with Gateway([starter], home / "gate", environment) as gateway:
        return f"fresh prefix, serve, first call to {gateway.first_call()}"


def refuses_other_machines(home, environment, bin_folder):
    """Where the platform's package is missing, the starter says so, and which there are."""
    alone = home / "alone"
    alone.mkdir()
    shutil.copy2(STARTER, alone / "toolgate.js")
    (alone / "package.json").write_text('{"name": "toolgate", "version": "0.0.0"}')
    done = subprocess.run([f"{bin_folder}/node", alone / "toolgate.js", "--version"], env=environment, capture_output=True, text=True, cwd=alone, check=False)
    if done.returncode != 1 or "has no program for" not in done.stderr or "hint: " not in done.stderr:
        raise Failed(f"without the package of the platform, the starter ended with {done.returncode}: {done.stderr}")
