"""The static program: musl inside, no file beside it. Built here, because the C library is chosen when it is compiled."""

import os
import shutil
import stat

from .program import ROOT, Failed, Program, run
from .trial import Gateway, bare_environment, says_its_version

PROFILES = {"quick": "dev", "dist": "dist"}


def build(machine, effort, work):
    """Compiles the gateway for musl with zig as the C compiler, whichever machine this is."""
    target = f"{machine}-unknown-linux-musl"
    folder = os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))
    environment = {**os.environ, "CARGO_PROFILE_DEV_DEBUG": "0"}
    profile = PROFILES[effort]
    run(
        "cargo", "zigbuild", "--locked", "--profile", profile, "--target", target, "-p", "toolgate", "--bin", "toolgate", "--features", "own-roots",
        cwd=ROOT, env=environment,
    )
    built = f"{folder}/{target}/{'debug' if profile == 'dev' else profile}/toolgate"
    return Program(built).stripped(work / f"static-{machine}")


def try_it(program, version, work):
    """Runs it in a root that holds nothing else. A program of another machine runs under qemu."""
    if program.glibc() is not None:
        raise Failed(f"{program.path} is not static")
    root = work / f"root-{program.machine}"
    root.mkdir()
    shutil.copy2(program.path, root / "toolgate")
    (root / "toolgate").chmod(stat.S_IRWXU | stat.S_IRGRP | stat.S_IXGRP | stat.S_IROTH | stat.S_IXOTH)
    command = ["chroot", root]
    if not program.runs_here:
        emulator = shutil.which(f"qemu-{program.machine}-static")
        if emulator is None:
            raise Failed(f"there is no qemu-{program.machine}-static to run {program.path} with")
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
