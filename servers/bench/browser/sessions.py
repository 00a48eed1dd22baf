"""Our server alone: its first action after a start, and twenty sessions at once."""

import pathlib
import re
import statistics
import threading
import time

import programs

STARTS = 5
STARTS_QUICK = 2
SESSIONS = 20
SETTLE_SECONDS = 2.0


def first_action(command, site, quick):
    """Milliseconds from the start of the program to the answer of its first action, which opens a page."""
    taken = []
    for _ in range(STARTS_QUICK if quick else STARTS):
        begun = time.perf_counter()
        server = programs.Ours(command)
        server.navigate(site.large("form"))
        taken.append((time.perf_counter() - begun) * 1000)
        server.stop()
    return {"starts": len(taken), "median_ms": round(statistics.median(taken), 1), "worst_ms": round(max(taken), 1)}


def many(command, site):
    """Twenty sessions open a page at the same time; memory for each, and whether one sees another's cookie."""
    server = programs.Ours(command)
    try:
        server.navigate(site.large("form"))
        time.sleep(SETTLE_SECONDS)
        alone = memory(server.client.process.pid)
        sessions = [server.as_caller(f"session-{number}") for number in range(SESSIONS)]
        begun = time.perf_counter()
        trouble = _together(sessions, lambda session: session.navigate(site.large("shop")))
        opened = time.perf_counter() - begun
        time.sleep(SETTLE_SECONDS)
        whole = memory(server.client.process.pid)
        trouble += _together(sessions, lambda session: session.navigate(f"{site.origin}/cookie?name={session.caller}"))
        return {
            "sessions": SESSIONS,
            "seconds_to_open_all": round(opened, 2),
            "mib_with_one_session": round(alone, 1),
            "mib_with_all": round(whole, 1),
            "mib_per_session": round((whole - alone) / SESSIONS, 1),
            "processes": len(tree(server.client.process.pid)),
            "foreign_cookies": _foreign_cookies(sessions, site),
            "failed": trouble[:5],
        }
    finally:
        server.stop()


def _together(sessions, does):
    """Lets all sessions do it at the same time; returns what went wrong."""
    trouble = []

    def one(session):
        try:
            does(session)
        except Exception as failed:
            trouble.append(f"{session.caller}: {failed}"[:300])

    threads = [threading.Thread(target=one, args=(session,)) for session in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return trouble


def _foreign_cookies(sessions, site):
    """Sessions whose second visit does not show exactly the cookie of the first."""
    wrong = []
    for session in sessions:
        session.navigate(f"{site.origin}/cookie?name=second-{session.caller}")
        names = re.findall(r"name=([\w-]+)", "\n".join(line for line in session.snapshot().split("\n") if "You came with" in line))
        if names != [session.caller]:
            wrong.append({"session": session.caller, "saw": names})
    return wrong


def tree(root):
    """The process and all that descend from it."""
    children = {}
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError):
                continue
            children.setdefault(parent, []).append(int(folder.name))
    found, waiting = [], [root]
    while waiting:
        found.append(waiting.pop())
        waiting += children.get(found[-1], [])
    return found


def memory(root):
    """MiB of the whole tree, shared pages counted once (PSS)."""
    total = 0
    for process in tree(root):
        try:
            rollup = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text()
        except OSError:
            continue
        total += int(re.search(r"^Pss:\s+(\d+)", rollup, re.M).group(1))
    return total / 1024
