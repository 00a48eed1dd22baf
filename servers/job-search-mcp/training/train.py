#!/usr/bin/env python3
"""Trains the tagger of extract_skills and writes data/skills.model.

    training/train.py FOLDER_OF_SKILLSPAN ../resume-profile-mcp/data/skills.txt data/skills.model

Two linear-chain conditional random fields, one for skills and one for knowledge, are trained on the training part of SkillSpan by
stochastic gradients (AdaGrad) with dropped-out features; the weights of the later rounds are averaged, small ones are left out,
and the others become bytes. Strict span F1 on the development part is printed; the bias of each tagger and DROPPED were chosen there.
Standard library only; a few minutes on two cores. src/skills/features.rs makes the same features.
"""

import collections
import math
import multiprocessing
import pathlib
import random
import struct
import sys

ROUNDS = 14
AVERAGED_FROM = 5
RATE = 0.1
DECAY = 1e-4
DROPPED = 0.4
# Rarer features are left out, and so are those whose weights round to nothing.
COUNT_MIN = 2
TELLING = {"experience", "knowledge", "skills", "ability", "understanding", "familiarity", "familiar", "proficiency", "proficient",
           "expertise", "degree", "background", "responsible", "ensure", "you", "we", "our", "using", "including", "like", "as"}
NEVER = -1e9


def read(path):
    """Sentences of (token, tag of skill, tag of knowledge)."""
    sentences, current = [], []
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if line.strip():
            current.append(tuple(line.split("\t")[:3]))
        elif current:
            sentences.append(current)
            current = []
    return sentences + ([current] if current else [])


def known_names(path):
    names = set()
    for line in open(path, encoding="utf-8"):
        if line.startswith("# "):
            continue
        for entry in line.strip().split(" | "):
            name, _, others = entry.partition(" = ")
            names.update(word.strip().lower() for word in [name, *others.split(", ")] if word.strip())
    return names


def normal(word):
    return "".join("0" if "0" <= c <= "9" else c for c in word.lower())


def shape(word):
    kinds = []
    for c in word:
        kind = "X" if c.isupper() else "x" if c.isalpha() else "0" if "0" <= c <= "9" else c
        if not kinds or kinds[-1] != kind:
            kinds.append(kind)
    return "".join(kinds[:6])


def mark_known(tokens, known):
    words = [token.lower() for token in tokens]
    marks, at = [None] * len(words), 0
    while at < len(words):
        count = next((n for n in range(min(4, len(words) - at), 0, -1) if " ".join(words[at:at + n]) in known), 0)
        for offset in range(count):
            marks[at + offset] = "B" if offset == 0 else "I"
        at += max(count, 1)
    return marks


def contexts(sentences):
    """For each sentence the heading before it, and the size of the sentence before."""
    found, heading, before = [], "-", "0"
    for sentence in sentences:
        found.append((heading, before))
        if len(sentence) <= 3:
            heading = " ".join(normal(token) for token, *_ in sentence).strip(":")
        elif len(sentence) >= 8 and not heading.startswith("~"):
            heading = "~" + heading
        before = "s" if len(sentence) <= 3 else "l"
    return found


def features(tokens, heading, before, marks):
    count = len(tokens)
    words, shapes = [normal(token) for token in tokens], [shape(token) for token in tokens]
    size = "short" if count <= 3 else "mid" if count <= 8 else "long"
    ending = "dot" if words[-1] == "." else "no"

    def word(at):
        return words[at] if 0 <= at < count else "<s>" if at < 0 else "</s>"

    def form(at):
        return shapes[at] if 0 <= at < count else "#"

    rows = []
    for at in range(count):
        w = words[at]
        row = ["b", "w=" + w, "-1=" + word(at - 1), "-2=" + word(at - 2), "+1=" + word(at + 1), "+2=" + word(at + 2),
               "-1w=" + word(at - 1) + " " + w, "w+1=" + w + " " + word(at + 1), "-2-1=" + word(at - 2) + " " + word(at - 1),
               "+1+2=" + word(at + 1) + " " + word(at + 2), "-1+1=" + word(at - 1) + " " + word(at + 1),
               "-3=" + word(at - 3), "+3=" + word(at + 3)]
        row += ["s%d=" % n + w[-n:] for n in (1, 2, 3, 4) if len(w) > n]
        row += ["p%d=" % n + w[:n] for n in (2, 3, 4) if len(w) > n]
        for offset in (-1, 1):
            other = word(at + offset)
            row += ["%ds3=" % offset + other[-3:], "%ds2=" % offset + other[-2:], "%dsh=" % offset + form(at + offset)]
        row += ["sh=" + form(at), "sh3=" + form(at - 1) + "/" + form(at) + "/" + form(at + 1),
                "s3b=" + word(at - 1)[-3:] + "/" + w[-3:] + "/" + word(at + 1)[-3:]]
        place = "0" if at == 0 else "1" if at == 1 else "l" if at + 2 >= count else "m"
        row += ["pos=" + place + ending + size, "first=" + words[0], "first=" + words[0] + "|s3=" + w[-3:],
                "h=" + heading, "h=" + heading + "|" + size, "h=" + heading + "|" + form(at), "len=" + size + ending + before]
        if marks[at]:
            row += ["g=" + marks[at], "g=" + marks[at] + form(at)]
        if at and marks[at - 1]:
            row.append("g-1=" + marks[at - 1])
        if at + 1 < count and marks[at + 1]:
            row.append("g+1=" + marks[at + 1])
        telling = next((words[back] for back in range(at - 1, max(-1, at - 7), -1) if words[back] in TELLING), None)
        if telling:
            row.append("t=" + telling)
        rows.append(row)
    return rows


def prepared(sentences, column, known):
    found = []
    for sentence, (heading, before) in zip(sentences, contexts(sentences)):
        tokens = [token for token, *_ in sentence]
        rows = features(tokens, heading, before, mark_known(tokens, known))
        found.append((rows, ["OBI".index(row[column][0]) for row in sentence]))
    return found


def spans(tags):
    found, start = set(), None
    for at, tag in enumerate(list(tags) + [0]):
        if start is not None and tag != 2:
            found.add((start, at))
            start = None
        if tag == 1 or (tag == 2 and start is None):
            start = at
    return found


class Chain:
    """The tags are 0 outside, 1 first, 2 inside."""

    def __init__(self, data):
        counts = collections.Counter(name for rows, _ in data for row in rows for name in row)
        self.index = {name: at for at, name in enumerate(sorted(name for name, n in counts.items() if n >= COUNT_MIN))}
        self.weights = [[0.0] * len(self.index) for _ in range(3)]
        self.squares = [[1e-8] * len(self.index) for _ in range(3)]
        self.steps = [[0.0] * 3 for _ in range(3)]
        self.steps[0][2] = NEVER
        self.step_squares = [[1e-8] * 3 for _ in range(3)]

    def encoded(self, data):
        return [([[self.index[name] for name in row if name in self.index] for row in rows], tags) for rows, tags in data]

    def scores(self, rows):
        one, two, three = self.weights
        return [(sum([one[k] for k in row]), sum([two[k] for k in row]), sum([three[k] for k in row])) for row in rows]

    def learn(self, rows, tags):
        exp, sqrt, count = math.exp, math.sqrt, len(rows)
        scores = self.scores(rows)
        steps = [[exp(step) if step > -100 else 0.0 for step in row] for row in self.steps]
        forward, sums, local = [], [], []
        for at in range(count):
            top = max(scores[at])
            x = [exp(score - top) for score in scores[at]]
            local.append(x)
            if at == 0:
                a = [x[0], x[1], 0.0]
            else:
                p = forward[-1]
                a = [(p[0] * steps[0][b] + p[1] * steps[1][b] + p[2] * steps[2][b]) * x[b] for b in range(3)]
            total = a[0] + a[1] + a[2]
            sums.append(total)
            forward.append([value / total for value in a])
        backward = [[1.0, 1.0, 1.0]] * count
        for at in range(count - 2, -1, -1):
            after, x, total = backward[at + 1], local[at + 1], sums[at + 1]
            backward[at] = [sum(steps[a][b] * x[b] * after[b] for b in range(3)) / total for a in range(3)]
        step_gradients = [[0.0] * 3 for _ in range(3)]
        for at in range(count):
            for b in range(3):
                gradient = forward[at][b] * backward[at][b] - (1.0 if tags[at] == b else 0.0)
                if abs(gradient) > 1e-3:
                    weights, squares = self.weights[b], self.squares[b]
                    for k in rows[at]:
                        value = weights[k]
                        g = gradient + DECAY * value
                        square = squares[k] + g * g
                        squares[k] = square
                        weights[k] = value - RATE * g / sqrt(square)
            if at:
                for a in range(3):
                    for b in range(3):
                        step_gradients[a][b] += forward[at - 1][a] * steps[a][b] * local[at][b] * backward[at][b] / sums[at]
                step_gradients[tags[at - 1]][tags[at]] -= 1
        for a in range(3):
            for b in range(3):
                if (a, b) != (0, 2):
                    g = step_gradients[a][b]
                    self.step_squares[a][b] += g * g
                    self.steps[a][b] -= RATE * g / sqrt(self.step_squares[a][b])

    def train(self, data, report):
        order, averaged, rounds = random.Random(1), None, 0
        for number in range(ROUNDS):
            order.shuffle(data)
            for rows, tags in data:
                self.learn([[k for k in row if order.random() > DROPPED] for row in rows], tags)
            if number >= AVERAGED_FROM:
                rounds += 1
                flat = self.weights + self.steps
                if averaged is None:
                    averaged = [list(row) for row in flat]
                else:
                    for kept, row in zip(averaged, flat):
                        for at, value in enumerate(row):
                            kept[at] += value
            report(number)
        averaged = [[value / rounds for value in row] for row in averaged]
        self.weights, self.steps = averaged[:3], averaged[3:]
        self.steps[0][2] = NEVER

    def packed(self):
        """Weights against `outside`, as bytes: the index by name becomes one by hash."""
        pairs = [(self.weights[1][k] - self.weights[0][k], self.weights[2][k] - self.weights[0][k]) for k in range(len(self.index))]
        scale = max(max(abs(a), abs(b)) for a, b in pairs) / 127
        table = {}
        for name, k in self.index.items():
            pair = tuple(round(value / scale) for value in pairs[k])
            if any(pair):
                table[fnv(name)] = pair
        return scale, table


def fnv(name):
    value = 0x811C9DC5
    for byte in name.encode():
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def decode(rows, scale, table, steps, bias):
    """As src/skills/model.rs does it, with the packed weights."""
    best, back = None, []
    for row in rows:
        first = sum(table[name][0] for name in row if name in table) * scale + bias
        inside = sum(table[name][1] for name in row if name in table) * scale
        scores = (0.0, first, inside)
        if best is None:
            best = [0.0, first, NEVER]
            continue
        chosen = [max(range(3), key=lambda a: best[a] + steps[a][b]) for b in range(3)]
        best = [best[chosen[b]] + steps[chosen[b]][b] + scores[b] for b in range(3)]
        back.append(chosen)
    tag = max(range(3), key=lambda b: best[b])
    tags = [tag]
    for chosen in reversed(back):
        tag = chosen[tag]
        tags.append(tag)
    return tags[::-1]


def counts(data, scale, table, steps, bias):
    right = found = wanted = 0
    for rows, tags in data:
        ours, truth = spans(decode(rows, scale, table, steps, bias)), spans(tags)
        right, found, wanted = right + len(ours & truth), found + len(ours), wanted + len(truth)
    return right, found, wanted


def f1(right, found, wanted):
    return 2 * right / (found + wanted)


def trained(arguments):
    """The packed tagger of one column, and its counts on the development part."""
    folder, names, column, name = arguments
    known = known_names(names)
    parts = {}
    for part in ("train", "dev"):
        documents = [read(folder / f"skillspan_{kind}_{part}.conll") for kind in ("house", "tech")]
        parts[part] = [row for sentences in documents for row in prepared(sentences, column, known)]
    chain = Chain(parts["train"])
    chain.train(chain.encoded(parts["train"]), lambda number: print(name, "round", number, file=sys.stderr, flush=True))
    scale, table = chain.packed()
    dev = [([[fnv(one) for one in row] for row in rows], tags) for rows, tags in parts["dev"]]
    bias = max((0.5, 1.0, 1.5, 2.0), key=lambda bias: f1(*counts(dev, scale, table, chain.steps, bias)))
    got = counts(dev, scale, table, chain.steps, bias)
    print(f"{name}: F1 {f1(*got):.4f} with bias {bias}, {len(table)} features", flush=True)
    packed = struct.pack("<Iff", len(table), scale, bias) + b"".join(struct.pack("<3f", *row) for row in chain.steps)
    return packed + b"".join(struct.pack("<Ibb", key, *table[key]) for key in sorted(table)), got


def main():
    folder, names, target = map(pathlib.Path, sys.argv[1:4])
    tasks = [(folder, names, 1, "skill"), (folder, names, 2, "knowledge")]
    with multiprocessing.Pool(len(tasks)) as pool:
        results = pool.map(trained, tasks)
    written = b"SKL1" + b"".join(packed for packed, _ in results)
    total = [sum(row) for row in zip(*(got for _, got in results))]
    print(f"both: F1 {f1(*total):.4f}; {len(written)} bytes")
    target.write_bytes(written)


if __name__ == "__main__":
    main()
