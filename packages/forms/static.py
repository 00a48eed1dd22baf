"""The static program: musl inside, no file beside it. Built here, because the C library is chosen when it is compiled."""

import os
import pathlib
import shutil
import stat
import sys

from .program import ROOT, Failed, Program, need, run
from .trial import Gateway, bare_environment, says_its_version

PROFILES = {"quick": "dev", "dist": "dist"}
# The C compiler for every machine, and what lets cargo use it.
COMPILERS = ("cargo-zigbuild==0.24.0", "ziglang==0.17.0")


def build(machine, effort, work):
    """Compiles the gateway for musl with zig as the C compiler, whichever machine this is."""
    target = f"{machine}-unknown-linux-musl"
    need("cargo", "chroot", *([] if machine == os.uname().machine else [f"qemu-{machine}-static"]))
    installed = pathlib.Path(run("rustc", "--print", "sysroot", cwd=ROOT).strip()) / "lib/rustlib" / target
    if not installed.is_dir():
        raise Failed(f"this Rust has no library for {target}\nhint: rustup target add {target}")
    folder = os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))
    path = f"{compilers()}:{os.environ.get('PATH', '')}"
    environment = {**os.environ, "CARGO_PROFILE_DEV_DEBUG": "0", "PATH": path}
    profile = PROFILES[effort]
    run(
        "cargo", "zigbuild", "--locked", "--profile", profile, "--target", target, "-p", "toolgate", "--bin", "toolgate", "--features", "own-roots",
        cwd=ROOT, env=environment,
    )
    built = f"{folder}/{target}/{'debug' if profile == 'dev' else profile}/toolgate"
    return Program(built).stripped(work / f"static-{machine}")


def compilers():
    """A folder with zig and cargo-zigbuild, as packages of PyPI have them."""
    cache = os.environ.get("TOOLGATE_CACHE", str(ROOT / ".cache"))
    place = f"{cache}/zig-{'-'.join(one.rsplit('=', 1)[1] for one in COMPILERS)}"
    if not os.path.exists(f"{place}/ready"):
        run(sys.executable, "-m", "venv", "--clear", place)
        run(f"{place}/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *COMPILERS)
        open(f"{place}/ready", "w").close()
    return f"{place}/bin"


def try_it(program, version, work):
    """Runs it in a root that holds nothing else. A program of another machine runs under qemu."""
    if program.glibc() is not None:
        raise Failed(f"{program.path} is not static")
    root = work / f"root-{program.machine}"
    root.mkdir()
    shutil.copy2(program.path, root / "toolgate")
    (root / "toolgate").chmod(stat.S_IRWXU | stat.S_IRGRP | stat.S_IXGRP | stat.S_IROTH | stat.S_IXOTH)
    # By its whole path: the environment of what it starts has no PATH to find it in.
    command = [shutil.which("chroot"), root]
    if not program.runs_here:
        need(f"qemu-{program.machine}-static")
        emulator = shutil.which(f"qemu-{program.machine}-static")
        # In place of the kernel's own way to find it, which a container may not have.
        shutil.copy2(emulator, root / "qemu")
        command += ["/qemu"]
    command += ["/toolgate"]
    environment = bare_environment("/", "/")
    says_its_version(command, environment, version)
    if not program.runs_here:
        return "its version, in an empty root under qemu-user"
    with InRoot(command, root, environment) as gateway:
        called = gateway.first_call()
    return f"serve in an empty root, first call to {called}"


class InRoot(Gateway):
    """A gateway whose folders lie in its own root; there is no Python for a server."""

    def __init__(self, command, root, environment):
        super().__init__(command, root / "gate", environment, has_python=False)
        self.root = root

    def place(self, path):
        return "/" + str(path.relative_to(self.root))
