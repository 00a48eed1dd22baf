"""MiniWoB++: the policy plays, the page's own reward decides."""

import itertools
import time
import traceback

import policy
import tasks
from mcp_client import Refused, ServerGone
from policy.eye import Eye, GaveUp
from programs import ToolFailed

READY_SECONDS_MAX = 10
REWARD_SECONDS_MAX = 1.5
SOLVED = 0.99
NUMBERS = itertools.count()


class Episode:
    """One try of one task."""

    def __init__(self, task, seed):
        self.task, self.seed = task, seed
        self.reward, self.why, self.seconds, self.actions = 0.0, "", 0.0, 0

    @property
    def solved(self):
        return self.reward >= SOLVED

    def plain(self):
        return {"task": self.task, "seed": self.seed, "reward": self.reward, "why": self.why, "seconds": round(self.seconds, 2), "actions": self.actions}


def play(server, site, task, seed):
    """Plays a task once; what goes wrong is its reason, not an end of the benchmark."""
    episode = Episode(task, seed)
    number = f"p{next(NUMBERS)}"
    eye = Eye(server)
    begun = time.perf_counter()
    try:
        server.navigate(site.task(task, seed, number))
        if not site.reports.wait_ready(number, READY_SECONDS_MAX):
            raise GaveUp("the page did not start")
        eye.look()
        policy.STRATEGIES[task](eye)
    except ServerGone:
        raise
    except (GaveUp, ToolFailed, Refused) as trouble:
        episode.why = str(trouble)
    except Exception:
        episode.why = traceback.format_exc(limit=-2)
    told = site.reports.reward(number, REWARD_SECONDS_MAX)
    episode.seconds, episode.actions = time.perf_counter() - begun, eye.actions
    if told:
        episode.reward = float(told[0])
        episode.why = episode.why or ("" if episode.solved else f"reward {told[0]}: {told[1]}")
    else:
        episode.why = episode.why or "the episode did not end"
    return episode


def run(start, site, names, seeds, say):
    """All tasks with all seeds (a range); returns episodes. A server that is gone is a failed episode, and is started again."""
    played, server = [], start()
    for task in names:
        known = task in policy.STRATEGIES
        for seed in seeds:
            try:
                episode = play(server, site, task, seed) if known else unknown(task, seed)
            except ServerGone as gone:
                episode = Episode(task, seed)
                episode.why = f"the server is gone: {gone}"
                server.stop()
                server = start()
            played.append(episode)
        mine = played[-len(seeds) :]
        solved = sum(episode.solved for episode in mine)
        failed = next((episode for episode in mine if not episode.solved), None)
        say(f"{task:32} {solved}/{len(seeds)}" + (f"  seed {failed.seed}: {' '.join(failed.why.split())[:300]}" if failed else ""))
    server.stop()
    return played


def unknown(task, seed):
    episode = Episode(task, seed)
    episode.why = "no strategy" + (f" (needs a picture: {tasks.NEEDS_PICTURE[task]})" if task in tasks.NEEDS_PICTURE else "")
    return episode


def summary(played):
    """Counts over tasks without a picture: episodes, and tasks that were solved with every seed."""
    by_task = {}
    for episode in played:
        if episode.task not in tasks.NEEDS_PICTURE:
            by_task.setdefault(episode.task, []).append(episode)
    episodes = [episode for mine in by_task.values() for episode in mine]
    whole = sum(all(episode.solved for episode in mine) for mine in by_task.values())
    return {
        "tasks": len(by_task),
        "tasks_solved_with_every_seed": whole,
        "episodes": len(episodes),
        "episodes_solved": sum(episode.solved for episode in episodes),
        "failed": {
            task: [episode.plain() for episode in mine if not episode.solved]
            for task, mine in sorted(by_task.items())
            if not all(episode.solved for episode in mine)
        },
    }
