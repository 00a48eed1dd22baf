"""The capability servers in the forms of the gateway: each by itself, and a package with all of them."""

import json

from . import deb, npm, wheel
from .program import Failed, Program, run
from .trial import Gateway, bare_environment

ENGINE = "toolgate-engine"


def find(folder):
    """The built servers and the engine of indexes, which the gateway starts as well."""
    found = sorted(path for path in folder.glob("*-mcp") if path.is_file())
    if not found:
        raise Failed(f"there are no capability servers in {folder}\nhint: build them: cargo build --profile dist --workspace, or name a folder with --programs")
    engine = folder / ENGINE
    return [Program(path) for path in found + ([engine] if engine.is_file() else [])]


def name_of(program):
    """toolgate-doc-parser for doc-parser-mcp."""
    short = program.name.removesuffix("-mcp")
    return short if short == ENGINE else f"toolgate-{short}"


def build(programs, version, folder, work, effort):
    """Each by itself, then all together, as wheels and .deb; for npm all together, since its packages are per machine and not per program."""
    made = []
    for program in programs:
        name, about = name_of(program), f"{program.name}, a capability server of Toolgate"
        made.append(wheel.build(name, about, [program], version, folder, effort, inside="servers"))
        made.append(deb.build_servers(name, about, [program], version, folder, work, effort))
    about = "The capability servers of Toolgate, all of them"
    whole = wheel.build("toolgate-servers", about, programs, version, folder, effort, inside="servers")
    made.append(deb.build_servers("toolgate-servers", about, programs, version, folder, work, effort))
    packed = npm.build_platform(programs, version, folder, work, effort, what="servers-")
    return made, whole, packed


def try_wheel(gateway_wheel, servers_wheel, programs, work):
    """Installs both wheels into one environment: the gateway lists the servers as its own."""
    home = work / "servers"
    program = wheel.install(gateway_wheel, home, servers_wheel)
    environment = bare_environment(home, f"{home}/venv/bin:/usr/bin:/bin")
    with Gateway([program], home / "gate", environment, has_python=False, servers=str(home / "venv/bin/servers")) as gateway:
        listed = json.loads(run(program, "servers", "list", "--json", "--config", gateway.folder / "toolgate.toml", "--data", gateway.data, env=gateway.environment))
    names = {one["name"] for one in listed}
    wanted = {one.name for one in programs if one.name.endswith("-mcp") and one.name != "connectors-mcp"}
    if not wanted <= names:
        raise Failed(f"an installed gateway does not list {sorted(wanted - names)}, but {sorted(names)}")
    return f"{len(wanted)} listed behind an installed gateway"
