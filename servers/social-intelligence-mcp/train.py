#!/usr/bin/env python3
"""Learns which of two headlines is clicked more often, and writes data/headlines.txt.

    python3 servers/social-intelligence-mcp/train.py PACKAGES.jsonl [--out FILE] [--check]

PACKAGES.jsonl: packages of the Upworthy Research Archive (CC BY 4.0) with clickability_test_id, headline,
eyecatcher_id, impressions, clicks. Needs numpy and scipy.

A pair is two headlines of one experiment with the same picture. All pairs teach, those with a clear difference
more; a model is judged by the pairs that differ at the level of 5 %. Experiments that share a headline are in
the same of five folds, so that what is judged was never seen. `--check` prints accuracy and calibration over
the five folds and writes nothing; `script/bench servers headlines` repeats it with the program's own code.
"""

import argparse
import collections
import hashlib
import json
import math
import pathlib

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

HERE = pathlib.Path(__file__).resolve().parent
FOLDS = 5
SIGNIFICANT = 1.96
# A word or pair of words in fewer headlines says nothing.
HEADLINES_MIN = 8
PENALTY = 40.0
# Weights below are left out of the file.
WEIGHT_MIN = 0.01
LENGTHS = [(1, 7), (8, 10), (11, 13), (14, 16), (17, 19), (20, 40)]


def lists():
    lines = (HERE / "data/signs.txt").read_text().splitlines()
    pairs = (line.split(":", 1) for line in lines if line.strip() and not line.startswith("#"))
    return {name: set(words.split()) for name, words in pairs}


LISTS = lists()


def split(text):
    """Runs of letters, digits and apostrophes, without apostrophes at their ends."""
    found, run = [], ""
    for letter in text.replace("’", "'").replace("‘", "'") + " ":
        if letter.isalnum() or letter == "'":
            run += letter
            continue
        if run.strip("'"):
            found.append(run.strip("'"))
        run = ""
    return found


def sentences(text):
    """Ends of sentences, one to four."""
    ends = sum(a in ".!?…" and b.isspace() for a, b in zip(text, text[1:] + " "))
    return float(min(max(ends, 1), 4))


def signs(text):
    """The same as src/headline/signs.rs."""
    text = text.strip()
    written = split(text)
    words = [word.lower() for word in written]
    first = words[0] if words else ""
    has = lambda letters: float(any(letter in text for letter in letters))
    count = lambda name: float(min(sum(word in LISTS[name] for word in words), 3))
    upper = lambda word: len(word) > 1 and word.upper() == word and word.lower() != word
    values = {
        "length": len(words) / 10,
        "length_squared": (len(words) / 10) ** 2,
        "word_length": sum(map(len, words)) / max(len(words), 1),
        "question_mark": has("?"),
        "exclamation_mark": has("!"),
        "ellipsis": float("..." in text or "…" in text),
        "quotation": has('"“”'),
        "colon": has(":"),
        "dash": has("—–"),
        "parenthesis": has("("),
        "asterisk": has("*"),
        "hash": has("#"),
        "commas": float(min(text.count(","), 3)),
        "sentences": sentences(text),
        "full_stop": float(text.endswith(".")),
        "digit": float(any(letter.isnumeric() for letter in text)),
        "starts_with_number": float(first[:1].isnumeric()),
        "capitals": float(min(sum(map(upper, written)), 3)),
    }
    values |= {name: count(name) for name in LISTS}
    for name in ["question_word", "he_or_she", "this", "you", "i", "they"]:
        values["starts_with_" + name] = float(first in LISTS[name])
    values["starts_with_if"] = float(first == "if")
    return values


def terms(text):
    """Words and pairs of neighbours; `^` and `$` are the ends."""
    words = [word.lower() for word in split(text)]
    ends = ["^", *words, "$"]
    return set(words) | {f"{a} {b}" for a, b in zip(ends, ends[1:])}


def load(path):
    """(group of experiments, headline, headline, z) for each pair."""
    tests = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    for line in open(path):
        package = json.loads(line)
        seen = tests[package["clickability_test_id"]][package["eyecatcher_id"], package["headline"]]
        seen[0] += package["impressions"]
        seen[1] += package["clicks"]
    parents = {}

    def root(node):
        parents.setdefault(node, node)
        while parents[node] != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    for test, packages in tests.items():
        for _, headline in packages:
            parents[root("test " + test)] = root("headline " + headline)
    smallest = {}
    for test in tests:
        group = root("test " + test)
        smallest[group] = min(test, smallest.get(group, test))
    pairs = []
    for test in sorted(tests):
        packages = sorted(tests[test].items())
        for i, ((picture, one), a) in enumerate(packages):
            for (other_picture, other), b in packages[:i]:
                share = (a[1] + b[1]) / max(a[0] + b[0], 1)
                error = math.sqrt(share * (1 - share) * (1 / a[0] + 1 / b[0])) if share else 0
                if picture == other_picture and error:
                    z = (a[1] / a[0] - b[1] / b[0]) / error
                    pairs.append((smallest[root("test " + test)], one, other, z))
    return pairs


def fold(group):
    return hashlib.sha256(group.encode()).digest()[0] % FOLDS


class Task:
    """All pairs as differences of what is counted."""

    def __init__(self, pairs):
        self.headlines = sorted({text for pair in pairs for text in pair[1:3]})
        place = {text: i for i, text in enumerate(self.headlines)}
        self.z = np.array([pair[3] for pair in pairs])
        self.one = np.array([place[pair[1]] for pair in pairs])
        self.other = np.array([place[pair[2]] for pair in pairs])
        self.fold = np.array([fold(pair[0]) for pair in pairs])
        self.clear = np.abs(self.z) > SIGNIFICANT
        counted = [signs(text) for text in self.headlines]
        self.signs = list(counted[0])
        self.values = np.array([[values[name] for name in self.signs] for values in counted])
        self.scale = self.values.std(0) + 1e-9
        found = [terms(text) for text in self.headlines]
        often = collections.Counter(term for some in found for term in some)
        self.terms = sorted(term for term, count in often.items() if count >= HEADLINES_MIN)
        column = {term: i for i, term in enumerate(self.terms)}
        words = np.zeros((len(self.headlines), len(self.terms)), np.float32)
        for row, some in enumerate(found):
            words[row, [column[term] for term in some if term in column]] = 1
        self.matrix = np.hstack([self.values / self.scale, words]).astype(np.float32)

    def learn(self, chosen):
        """Weights, from these pairs."""
        rows = self.matrix[self.one[chosen]] - self.matrix[self.other[chosen]]
        won = (self.z[chosen] > 0).astype(float)
        weight = np.minimum(np.abs(self.z[chosen]), 4) / 2

        def loss(weights):
            margin = rows @ weights.astype(np.float32)
            value = (weight * (np.logaddexp(0, margin) - won * margin)).sum() + PENALTY / 2 * weights @ weights
            slope = rows.T @ (weight * (expit(margin) - won)).astype(np.float32)
            return value, slope.astype(float) + PENALTY * weights

        start = np.zeros(self.matrix.shape[1])
        return minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 60}).x

    def margins(self, weights, chosen):
        return (self.matrix[self.one[chosen]] - self.matrix[self.other[chosen]]) @ weights

    def crossed(self):
        """For each pair, the margin by a model that has not seen its experiment."""
        margins = np.zeros(len(self.z))
        for number in range(FOLDS):
            margins[self.fold == number] = self.margins(self.learn(self.fold != number), self.fold == number)
        return margins


def slope(margins, won):
    """By how much margins are stretched so that their logistic is the share that wins."""
    loss = lambda by: np.logaddexp(0, -by[0] * np.where(won, margins, -margins)).sum()
    return float(minimize(loss, [1.0], method="Nelder-Mead").x[0])


def judged(task, margins, stretch):
    margins, won = margins[task.clear] * stretch, task.z[task.clear] > 0
    sure, right = expit(np.abs(margins)), (margins > 0) == won
    error = 0.0
    for low in np.arange(0.5, 1.0, 0.05):
        inside = (sure >= low) & (sure < low + 0.05)
        if inside.any():
            error += inside.mean() * abs(sure[inside].mean() - right[inside].mean())
    return right.mean(), error, len(right)


def shares(task):
    """For each sign: of the clear pairs that differ in it, how many are won by the one with more of it."""
    difference = task.values[task.one] - task.values[task.other]
    for column, name in enumerate(task.signs):
        differs = task.clear & (np.abs(difference[:, column]) > 1e-9)
        wins = (difference[differs, column] > 0) == (task.z[differs] > 0)
        yield name, wins.mean() if differs.any() else 0.5, int(differs.sum())


def lengths(task):
    """For each range of lengths in words: how often such a headline wins against another length."""
    words = np.array([len(split(text)) for text in task.headlines])
    for low, high in LENGTHS:
        one, other = [(words[side] >= low) & (words[side] <= high) for side in (task.one, task.other)]
        chosen = task.clear & (one != other)
        yield low, high, (one[chosen] == (task.z[chosen] > 0)).mean(), int(chosen.sum())


def shipped_stretch():
    """That of the shipped weights: one number, which a fifth of the pairs hardly moves."""
    lines = (HERE / "data/headlines.txt").read_text().splitlines()
    return float(next(line for line in lines if line.startswith("# stretch")).split()[2])


def write(path, task, weights, stretch, measured):
    weights = weights * stretch
    accuracy, error, pairs = measured
    lines = [
        "# Which headline is clicked more often: weights learned by train.py from the Upworthy Research Archive.",
        "# measured: accuracy, calibration error, pairs. sign: weight, share of pairs won with more of it, pairs.",
        "# length: words from, to, share of pairs won against other lengths, pairs. Other lines: weight, words.",
        f"measured\t{accuracy:.3f}\t{error:.3f}\t{pairs}",
    ]
    for (name, share, count), weight, scale in zip(shares(task), weights, task.scale):
        lines.append(f"sign\t{name}\t{weight / scale:.4f}\t{share:.2f}\t{count}")
    for low, high, share, count in lengths(task):
        lines.append(f"length\t{low}\t{high}\t{share:.2f}\t{count}")
    for term, weight in zip(task.terms, weights[len(task.signs) :]):
        if abs(weight) >= WEIGHT_MIN:
            lines.append(f"{weight:.3f}\t{term}")
    pathlib.Path(path).write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages")
    parser.add_argument("--out", default=str(HERE / "data/headlines.txt"))
    parser.add_argument("--check", action="store_true")
    said = parser.parse_args()
    task = Task(load(said.packages))
    margins = task.crossed()
    stretch = slope(margins[task.clear], task.z[task.clear] > 0)
    measured = judged(task, margins, stretch)
    print(f"accuracy {measured[0]:.4f}, calibration error {measured[1]:.4f}, pairs {measured[2]}, stretch {stretch:.3f}")
    if not said.check:
        write(said.out, task, task.learn(np.ones(len(task.z), bool)), stretch, measured)
        with open(said.out, "a") as file:
            file.write(f"# stretch {stretch:.3f}\n")


if __name__ == "__main__":
    main()
