"""The container image: the static program from scratch, as nobody, on a root that cannot be written."""

import json
import shutil
import subprocess
import time

from .program import ROOT, Failed, run
from .trial import LOOK_SECONDS, START_SECONDS_MAX, configuration_over_http, first_call

NAME = "localhost/toolgate"
PORT = 18700


def build(program, version, folder, work):
    """An OCI archive, by buildah, which needs no daemon."""
    home = work / "container"
    for place in ("data", "tmp"):
        (home / place).mkdir(parents=True)
    shutil.copy2(program.path, home / "toolgate")
    shutil.copy2(ROOT / "packages/container/Containerfile", home / "Containerfile")
    image = f"{NAME}:{version}"
    # Docker's form keeps the health check, which OCI's own leaves out; nothing is run while it is built.
    run("buildah", "build", "--isolation=chroot", "--format=docker", "--timestamp=0", "--tag", image, home)
    archive = folder / f"toolgate-{version}-{program.words['debian']}.image.tar"
    archive.unlink(missing_ok=True)
    run("buildah", "push", image, f"docker-archive:{archive}:{image}")
    return archive


def try_it(archive, version, work):
    """Runs it with podman: read-only, no capabilities, a volume. A kill, and it goes on with what it knew."""
    image = f"{NAME}:{version}"
    described = json.loads(run("podman", "image", "inspect", image))[0]
    if described["Config"]["User"] != "65532:65532":
        raise Failed(f"the image runs as {described['Config']['User']}")
    data = work / "container-data"
    data.mkdir(mode=0o700)
    shutil.chown(data, 65532, 65532)
    (data / "toolgate.toml").write_text(configuration_over_http())
    shutil.chown(data / "toolgate.toml", 65532, 65532)
    name = f"toolgate-trial-{work.name}"
    command = [
        "podman", "run", "--detach", "--replace", "--name", name, "--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--network=host",
        "--volume", f"{data}:/data", "--tmpfs", "/tmp", image,
        "serve", "--config", "/data/toolgate.toml", "--listen", f"127.0.0.1:{PORT}",
    ]
    try:
        run(*command)
        until_healthy(name)
        token = json.loads((data / "first-tokens.json").read_text())["agent"]
        endpoint = f"http://127.0.0.1:{PORT}/mcp"
        called = first_call(endpoint, token)
        run("podman", "kill", "--signal=KILL", name)
        run("podman", "wait", name)
        run("podman", "start", name)
        until_healthy(name)
        first_call(endpoint, token)
        run("podman", "run", "--rm", "--read-only", "--volume", f"{data}:/data", image, "ledger", "verify", "--config", "/data/toolgate.toml")
    finally:
        subprocess.run(["podman", "rm", "--force", "--time=5", name], capture_output=True, check=False)
    return f"podman: health check, first call to {called}, killed and started again, ledger verified"


def until_healthy(name):
    until = time.monotonic() + START_SECONDS_MAX
    while subprocess.run(["podman", "healthcheck", "run", name], capture_output=True, check=False).returncode != 0:
        if time.monotonic() > until:
            raise Failed(f"the container is not healthy:\n{subprocess.run(['podman', 'logs', name], capture_output=True, text=True, check=False)}")
        time.sleep(LOOK_SECONDS * 4)
