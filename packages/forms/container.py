"""The container image: the static program from scratch, as nobody, on a root that cannot be written."""

import json
import pathlib
import shutil
import subprocess
import time

from .program import ROOT, Failed, need, run
from .trial import LOOK_SECONDS, START_SECONDS_MAX, configuration_over_http, first_call

NAME = "localhost/toolgate"
PORT = 18700
# Hosts where both forms of control groups are mounted, which crun refuses and runc takes.
HYBRID = pathlib.Path("/sys/fs/cgroup/unified")


def needed():
    """What building and trying wants, before minutes are spent on compiling."""
    need("buildah", *podman()[:1])


def podman():
    mixed = HYBRID.is_dir() and shutil.which("runc") is not None
    return ["podman", "--runtime", "runc"] if mixed else ["podman"]


def build(program, version, folder, work):
    """An OCI archive, by buildah, which needs no daemon."""
    home = work / f"container-{program.machine}"
    for place in ("data", "tmp"):
        (home / place).mkdir(parents=True)
    shutil.copy2(program.path, home / "toolgate")
    shutil.copy2(ROOT / "packages/container/Containerfile", home / "Containerfile")
    image = f"{NAME}:{version}"
    # Docker's form keeps the health check, which OCI's own leaves out; nothing is run while it is built.
    machine = program.words["debian"]
    run("buildah", "build", "--isolation=chroot", "--format=docker", "--timestamp=0", f"--arch={machine}", "--tag", image, home)
    archive = folder / f"toolgate-{version}-{machine}.image.tar"
    archive.unlink(missing_ok=True)
    run("buildah", "push", image, f"docker-archive:{archive}:{image}")
    return archive


def describe(archive, program):
    """Loads the archive as a user does, and looks at what it says of itself."""
    loaded = run(*podman(), "load", "--quiet", "--input", archive)
    image = loaded.strip().rsplit(" ", 1)[-1]
    described = json.loads(run(*podman(), "image", "inspect", image))[0]
    if described["Config"]["User"] != "65532:65532":
        raise Failed(f"the image runs as {described['Config']['User']}")
    if described["Architecture"] != program.words["debian"]:
        raise Failed(f"the image is for {described['Architecture']}, and its program for {program.machine}")
    return image


def try_it(archive, program, work):
    """Runs it with podman: read-only, no capabilities, a volume. A kill, and it goes on with what it knew."""
    image = describe(archive, program)
    if not program.runs_here:
        return f"loaded; for {program.words['debian']}, not run here"
    data = work / "container-data"
    data.mkdir(mode=0o700)
    shutil.chown(data, 65532, 65532)
    (data / "toolgate.toml").write_text(configuration_over_http())
    shutil.chown(data / "toolgate.toml", 65532, 65532)
    name = f"toolgate-trial-{work.name}"
    # Where podman runs inside a container, it may not raise the limits that it would give by itself.
    bare = ["--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--network=host", "--ulimit=nofile=4096:4096", "--ulimit=nproc=4096:4096"]
    command = [
        *podman(), "run", "--detach", "--replace", "--name", name, *bare, "--volume", f"{data}:/data", "--tmpfs", "/tmp", image,
        "serve", "--config", "/data/toolgate.toml", "--listen", f"127.0.0.1:{PORT}",
    ]
    try:
        run(*command)
        until_healthy(name)
        token = json.loads((data / "first-tokens.json").read_text())["agent"]
        endpoint = f"http://127.0.0.1:{PORT}/mcp"
        called = first_call(endpoint, token)
        run(*podman(), "kill", "--signal=KILL", name)
        run(*podman(), "wait", name)
        run(*podman(), "start", name)
        until_healthy(name)
        first_call(endpoint, token)
        run(*podman(), "run", "--rm", *bare, "--volume", f"{data}:/data", image, "ledger", "verify", "--config", "/data/toolgate.toml")
    finally:
        subprocess.run([*podman(), "rm", "--force", "--time=5", name], capture_output=True, check=False)
    return f"podman: health check, first call to {called}, killed and started again, ledger verified"


def until_healthy(name):
    until = time.monotonic() + START_SECONDS_MAX
    while subprocess.run([*podman(), "healthcheck", "run", name], capture_output=True, check=False).returncode != 0:
        if time.monotonic() > until:
            logs = subprocess.run([*podman(), "logs", name], capture_output=True, text=True, check=False)
            raise Failed(f"the container is not healthy:\n{logs.stdout[-2000:]}{logs.stderr[-2000:]}")
        time.sleep(LOOK_SECONDS * 4)
