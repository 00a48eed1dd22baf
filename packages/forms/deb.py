"""The package for Debian and its kin: the program, and a unit of systemd with a user of its own."""

import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

from .program import ROOT, Failed, need, newest_glibc, run
from .trial import LOOK_SECONDS, Gateway, bare_environment, configuration_over_http, first_call, says_its_version

SOURCE = ROOT / "packages/deb"
UNIT = "usr/lib/systemd/system/toolgate.service"
HOME = "usr/lib/toolgate"
# Not in /etc/apparmor.d: a parser that does not know `userns` would stumble over it at each start.
PROFILE = "usr/share/toolgate/apparmor/toolgate"
# `systemd-analyze security` counts what a unit leaves open, from 0 to 100.
EXPOSURE_MAX = 45
SUITE = "bookworm"
BOOT_SECONDS_MAX = 60
AS_TOOLGATE = ["runuser", "-u", "toolgate", "--", "toolgate"]
PLACES = ["--config", "/etc/toolgate/toolgate.toml", "--data", "/var/lib/toolgate"]


def control(name, about, programs, version, depends, folder):
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) // 1024
    glibc = newest_glibc(programs)
    wanted = ([f"libc6 (>= {glibc[0]}.{glibc[1]})", "libgcc-s1"] if glibc else []) + depends
    lines = [
        f"Package: {name}", f"Version: {version}", f"Architecture: {programs[0].words['debian']}", "Section: net", "Priority: optional",
        "Maintainer: The Toolgate authors <toolgate@localhost>", f"Installed-Size: {size}",
        *([f"Depends: {', '.join(wanted)}"] if wanted else []),
        *(["Recommends: ca-certificates"] if name == "toolgate" else []), f"Description: {about}",
    ]
    return "\n".join(lines) + "\n"


def finish(home, deb, effort):
    (home / "DEBIAN").chmod(0o755)
    for path in home.rglob("*"):
        if path.is_dir():
            path.chmod(0o755)
    run("dpkg-deb", "--root-owner-group", "-Zgzip" if effort == "quick" else "-Zxz", "-z1" if effort == "quick" else "-z6", "--build", home, deb)
    return deb


def build(program, version, folder, work, effort):
    home = work / "deb"
    for place in ("DEBIAN", HOME, "usr/bin", "etc/toolgate", "usr/lib/systemd/system", "usr/share/doc/toolgate", "usr/share/toolgate/apparmor"):
        (home / place).mkdir(parents=True)
    shutil.copy2(program.path, home / HOME / "toolgate")
    (home / HOME / "toolgate").chmod(0o755)
    # The program looks for its capability servers beside itself, wherever links lead to it.
    (home / "usr/bin/toolgate").symlink_to("../lib/toolgate/toolgate")
    shutil.copy2(SOURCE / "toolgate.toml", home / "etc/toolgate/toolgate.toml")
    shutil.copy2(SOURCE / "toolgate.service", home / UNIT)
    shutil.copy2(SOURCE / "apparmor/toolgate", home / PROFILE)
    (home / PROFILE).chmod(0o644)
    shutil.copy2(ROOT / "packages/container/seccomp.json", home / "usr/share/toolgate/seccomp.json")
    for name in ("README.md", "CHANGELOG.md", "toolgate.example.toml", "LICENSE-MIT", "LICENSE-APACHE"):
        shutil.copy2(ROOT / name, home / "usr/share/doc/toolgate" / name)
    for name in ("postinst", "prerm", "postrm"):
        shutil.copy2(SOURCE / name, home / "DEBIAN" / name)
    (home / "DEBIAN/conffiles").write_text("/etc/toolgate/toolgate.toml\n")
    about = "governed door between AI agents and tools\n Each call of an agent is checked, judged by a policy, shown to a person where the\n policy asks for one, run, and recorded in a chain that proves itself."
    (home / "DEBIAN/control").write_text(control("toolgate", about, [program], version, ["passwd"], home))
    return finish(home, folder / f"toolgate_{version}_{program.words['debian']}.deb", effort)


def build_servers(name, about, programs, version, folder, work, effort):
    """Capability servers, which the gateway finds in a folder beside its program."""
    home = work / f"deb-{name}"
    (home / "DEBIAN").mkdir(parents=True)
    (home / HOME / "servers").mkdir(parents=True)
    for program in programs:
        target = home / HOME / "servers" / program.name
        shutil.copy2(program.path, target)
        target.chmod(0o755)
    (home / "DEBIAN/control").write_text(control(name, about, programs, version, ["toolgate"], home))
    return finish(home, folder / f"{name}_{version}_{programs[0].words['debian']}.deb", effort)


def try_it(deb, version, work):
    """Unpacks it into a folder: nothing of this machine is touched. What systemd thinks of the unit is asked where it is installed."""
    home = work / "unpacked"
    run("dpkg-deb", "--extract", deb, home)
    contents = run("dpkg-deb", "--contents", deb)
    foreign = [line for line in contents.splitlines() if not re.match(r"\S+ root/root ", line)]
    if foreign:
        raise Failed(f"{deb.name} has files that are not root's: {foreign[:3]}")
    environment = bare_environment(work, "/usr/bin:/bin")
    program = home / "usr/bin/toolgate"
    says_its_version([program], environment, version)
    judged = f"{judge_unit(home)}, {judge_profiles(home)}"
    with Gateway([program], work / "deb-gate", environment) as gateway:
        return f"unpacked, {judged}, serve, first call to {gateway.first_call()}"


def judge_unit(home):
    if shutil.which("systemd-analyze") is None:
        return "no systemd-analyze here: the unit is not judged"
    said = run("systemd-analyze", "security", "--offline=true", "--no-pager", home / UNIT)
    exposure = float(re.search(r"Overall exposure level for \S+: ([0-9.]+)", said).group(1))
    if exposure * 10 > EXPOSURE_MAX:
        raise Failed(f"systemd-analyze security: exposure {exposure}, more than {EXPOSURE_MAX / 10}\n{said}")
    return f"exposure {exposure}"


def judge_profiles(home):
    """The profile names programs that the package has, and the filter for containers leaves a sandbox what it is built with."""
    text = (home / PROFILE).read_text()
    named = {name for group in re.findall(r"^profile \S+ /usr/lib/toolgate/\{([^}]*)\}", text, re.M) for name in group.split(",")}
    if not {"toolgate", "servers/*"} <= named or text.count("userns,") != text.count("flags=(unconfined)"):
        raise Failed(f"the AppArmor profile does not fit the package: it names {sorted(named)}")
    filtered = json.loads((home / "usr/share/toolgate/seccomp.json").read_text())
    refused = {name for rule in filtered["syscalls"] if rule["action"] != "SCMP_ACT_ALLOW" for name in rule["names"]}
    needed = {"clone", "clone3", "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "seccomp", "prctl"}
    if refused & needed or not {"bpf", "kexec_load", "init_module", "keyctl", "userfaultfd"} <= refused:
        raise Failed(f"the filter for containers refuses {sorted(refused & needed)} or lets too much through")
    if shutil.which("apparmor_parser") is None:
        return "no apparmor_parser here: the profile is not parsed"
    parsed = subprocess.run(["apparmor_parser", "--skip-kernel-load", "--skip-cache", str(home / PROFILE)], capture_output=True, text=True)
    return "the AppArmor profile is accepted" if parsed.returncode == 0 else f"this AppArmor does not know the profile: {parsed.stderr.strip()[:200]}"


def try_installed(deb, version, work):
    """Installs and purges it in a Debian of its own. Needs root and mmdebstrap."""
    need("mmdebstrap", "systemd-nspawn")
    root = work / "debian"
    run("mmdebstrap", "--variant=essential", "--include=passwd,python3-minimal,systemd", SUITE, root)
    # Not in /tmp, which is another one in a system that was booted.
    package = f"/opt/{deb.name}"
    (root / "opt").mkdir(exist_ok=True)
    shutil.copy2(deb, root / package[1:])
    chroot = [shutil.which("chroot"), str(root)]
    run(*chroot, "dpkg", "--install", package)
    run(*chroot, "systemd-analyze", "verify", f"/{UNIT}")
    says_its_version([*chroot, "/usr/bin/toolgate"], {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, version)
    booted = boot(root, package, work)
    run(*chroot, *AS_TOOLGATE, "token", "create", "--role", "agent", *PLACES)
    run(*chroot, "dpkg", "--purge", "toolgate")
    if not (root / "var/lib/toolgate/toolgate.db").exists():
        raise Failed("purging the package took the data with it")
    if (root / "usr/bin/toolgate").is_symlink() or (root / "etc/toolgate/toolgate.toml").exists():
        raise Failed("purging the package left its program or its configuration")
    return f"installed, verified, {booted}, and purged in a Debian of its own; the data stays"


def boot(root, package, work):
    """Starts the systemd of that Debian, which starts the unit, makes a first call, and installs the package once more meanwhile."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    (root / "etc/toolgate/toolgate.toml").write_text(f'listen = "127.0.0.1:{port}"\n' + configuration_over_http())
    # Nothing of systemd runs while the package is installed, so the unit is enabled by hand.
    run("chroot", root, "systemctl", "enable", "toolgate")
    tokens = root / "var/lib/toolgate/first-tokens.json"
    with (work / "booted").open("wb") as said:
        command = ["systemd-nspawn", "--directory", str(root), "--boot", "--register=no", "--keep-unit", "--console=pipe"]
        system = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
    try:
        until = time.monotonic() + BOOT_SECONDS_MAX
        while not (tokens.exists() and tokens.read_text().endswith("\n")):
            if system.poll() is not None or time.monotonic() > until:
                raise Failed(f"the unit did not start:\n{(work / 'booted').read_text()[-3000:]}")
            time.sleep(LOOK_SECONDS)
        endpoint, token = f"http://127.0.0.1:{port}/mcp", json.loads(tokens.read_text())["agent"]
        called = first_call(endpoint, token)
        inside = ["nsenter", f"--target={leader(system.pid)}", "--mount", "--uts", "--ipc", "--pid", "--root", "--wd"]
        main = [*inside, "systemctl", "show", "--property=MainPID", "--value", "toolgate"]
        before = run(*main)
        run(*inside, "dpkg", "--install", package, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
        if run(*main) == before:
            raise Failed("the service went on with the old program after an upgrade")
        first_call(endpoint, token)
        run(*inside, *AS_TOOLGATE, "ledger", "verify", *PLACES)
    finally:
        # What systemd takes for "power off" from outside.
        system.send_signal(signal.SIGTERM)
        system.wait(BOOT_SECONDS_MAX)
    return f"booted with systemd, first call to {called}, installed over the running service, which restarted and kept token and ledger"


def leader(pid):
    """The first process of the system that `systemd-nspawn` has booted."""
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        for children in pathlib.Path(f"/proc/{parent}/task").glob("*/children"):
            for child in children.read_text().split():
                if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == "systemd":
                    return child
                waiting.append(child)
    raise Failed("the Debian that was booted has no systemd")
