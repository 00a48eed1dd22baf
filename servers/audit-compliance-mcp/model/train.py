#!/usr/bin/env python3
"""Trains the tagger for personal data, and measures it.

    model/train.py TEXTS.json           writes src/personal/tagger.bin
    model/train.py TEXTS.json --folds   measures it on texts and on templates that it was not trained on

The texts are those of presidio-research (`full_text` and `spans`); they are not part of this project. The tagger is an
averaged perceptron over tokens: one label for each, found from left to right. Features are told apart by a hash, so the
file holds numbers only. `src/personal/features.rs` makes the same features: change both or neither.
"""

import json
import random
import struct
import sys
import unicodedata
from collections import defaultdict
from pathlib import Path

LABELS = ["O", "PERSON", "STREET_ADDRESS", "GPE", "ORGANIZATION", "CREDIT_CARD", "DATE_TIME", "TITLE", "PHONE_NUMBER",
          "AGE", "NRP", "EMAIL_ADDRESS", "DOMAIN_NAME", "ZIP_CODE", "IBAN_CODE", "IP_ADDRESS", "US_SSN",
          "US_DRIVER_LICENSE"]
EPOCHS = 8
BUCKETS = 1 << 18
# Features that were met less often are left out.
SEEN_MIN = 2
# How much better `O` has to be than the best other label: a name that is missed costs more than one too many.
MARGIN = 0.8
SCALE = 24.0


def kind(character):
    if character.isalpha() or unicodedata.category(character) == "Mn":
        return "a"
    if character.isdecimal():
        return "0"
    return " " if character.isspace() else "."


def tokens(text):
    """Runs of letters, runs of digits, and single other characters: (text, from, to, gap before)."""
    found, gap, at = [], "^", 0
    while at < len(text):
        own = kind(text[at])
        end = at + 1
        if own == " ":
            gap = "n" if text[at] == "\n" or gap == "n" else ("^" if gap == "^" else "s")
            at = end
            continue
        while own != "." and end < len(text) and kind(text[end]) == own:
            end += 1
        found.append((text[at:end], at, end, gap))
        gap, at = "-", end
    return found


def shape(word):
    out = ""
    for character in word[:12]:
        own = "X" if character.isupper() else "x" if kind(character) == "a" else "0" if kind(character) == "0" else character
        if not (len(out) > 1 and out[-1] == own and out[-2] == own):
            out += own
    return out


def fnv(text):
    value = 0x811C9DC5
    for byte in text.encode():
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value % BUCKETS


def features(words, lowers, shapes, gaps, index, previous, before):
    def word(offset):
        at = index + offset
        return lowers[at] if 0 <= at < len(lowers) else "^$"[offset > 0]

    def form(offset):
        at = index + offset
        return shapes[at] if 0 <= at < len(shapes) else "^$"[offset > 0]

    own, gap = word(0), gaps[index]
    after = gaps[index + 1] if index + 1 < len(gaps) else "$"
    length = str(min(len(words[index]), 9))
    return [fnv(name + value) for name, value in (
        ("b", ""), ("w", own), ("s", form(0)), ("p", own[:3]), ("e", own[-3:]), ("f", own[-2:]), ("l", form(0)[:1] + length),
        ("g", gap + after + form(0)), ("h", word(-1)), ("i", word(1)), ("j", word(-2)), ("k", word(2)), ("m", form(-1) + "|" + form(0)),
        ("n", form(0) + "|" + form(1)), ("o", form(-1) + "|" + form(0) + "|" + form(1)), ("q", word(-1) + "|" + word(-2)),
        ("r", word(1) + "|" + word(2)), ("t", previous), ("u", previous + "|" + before), ("v", previous + "|" + form(0)),
        ("x", previous + "|" + gap + own), ("y", word(-1) + "|" + form(0)), ("z", word(1) + "|" + form(0)),
        ("c", form(1) + "|" + form(2)), ("d", form(-1) + "|" + form(-2)), ("a", word(-3)), ("B", gap + form(-1) + previous),
        ("C", "1" if index == 0 else "0" + form(0)),
    )]


def prepared(text):
    found = tokens(text)
    words = [token[0] for token in found]
    lowers = ["".join("0" if kind(c) == "0" else c for c in word.lower()) if len(word) > 4 and word[0].isdecimal() else word.lower()
              for word in words]
    return found, words, lowers, [shape(word) for word in words], [token[3] for token in found]


def gold(sample, found):
    labels = ["O"] * len(found)
    for span in sample["spans"]:
        for at, (_, start, end, _) in enumerate(found):
            if start < span["end_position"] and end > span["start_position"] and span["entity_type"] in LABELS:
                labels[at] = span["entity_type"]
    return labels


def train(samples, seed=7):
    weights = defaultdict(lambda: [0.0] * len(LABELS))
    totals = defaultdict(lambda: [0.0] * len(LABELS))
    stamps = defaultdict(lambda: [0] * len(LABELS))
    seen = defaultdict(int)
    ready = []
    for sample in samples:
        found, *parts = prepared(sample["full_text"])
        ready.append((parts, [LABELS.index(label) for label in gold(sample, found)]))
    step = 0
    order = random.Random(seed)
    for epoch in range(EPOCHS):
        order.shuffle(ready)
        for (words, lowers, shapes, gaps), truth in ready:
            previous = before = "^"
            for at, right in enumerate(truth):
                step += 1
                own = features(words, lowers, shapes, gaps, at, previous, before)
                if epoch == 0:
                    for feature in own:
                        seen[feature] += 1
                scores = [0.0] * len(LABELS)
                for feature in own:
                    if feature in weights:
                        scores = [a + b for a, b in zip(scores, weights[feature])]
                # The right label has to win with a margin.
                scores[right] -= 1.0
                guess = max(range(len(LABELS)), key=lambda label: scores[label])
                if guess != right:
                    for feature in own:
                        for label, change in ((right, 1.0), (guess, -1.0)):
                            totals[feature][label] += (step - stamps[feature][label]) * weights[feature][label]
                            stamps[feature][label] = step
                            weights[feature][label] += change
                # Sometimes the tagger sees its own mistakes.
                chosen = guess if order.random() < 0.15 else right
                previous, before = LABELS[chosen], previous
    averaged = {}
    for feature, row in weights.items():
        if seen[feature] >= SEEN_MIN:
            total = [t + (step - s) * w for t, s, w in zip(totals[feature], stamps[feature], row)]
            values = [max(-127, min(127, round(value / step * SCALE))) for value in total]
            if any(values):
                averaged[feature] = values
    return averaged


def tag(model, text, margin=MARGIN):
    found, words, lowers, shapes, gaps = prepared(text)
    labels, previous, before = [], "^", "^"
    for at in range(len(found)):
        scores = [0] * len(LABELS)
        for feature in features(words, lowers, shapes, gaps, at, previous, before):
            row = model.get(feature)
            if row:
                scores = [a + b for a, b in zip(scores, row)]
        scores[0] -= round(margin * SCALE)
        best = max(range(len(LABELS)), key=lambda label: scores[label])
        labels.append(LABELS[best])
        previous, before = LABELS[best], previous
    return found, labels


def score(model, samples, margin=MARGIN):
    right = told = true = 0
    for sample in samples:
        found, labels = tag(model, sample["full_text"], margin)
        for label, truth in zip(labels, gold(sample, found)):
            right += label != "O" and truth != "O"
            told += label != "O"
            true += truth != "O"
    precision, recall = right / max(told, 1), right / max(true, 1)
    return precision, recall, 5 * precision * recall / max(4 * precision + recall, 1e-9)


def write(model, path):
    entries = [(feature, label, value) for feature in sorted(model) for label, value in enumerate(model[feature]) if value]
    out = struct.pack("<II", len(entries), round(MARGIN * SCALE))
    last = 0
    for feature, label, value in entries:
        # The distance to the feature before, as groups of seven bits; the label; the weight.
        gap, last = feature - last, feature
        while gap >= 0x80:
            out += bytes([gap & 0x7F | 0x80])
            gap >>= 7
        out += bytes([gap, label, value & 0xFF])
    path.write_bytes(out)
    return len(entries), len(out)


def main():
    samples = json.load(open(sys.argv[1]))
    if "--folds" in sys.argv:
        for name, key in (("texts", lambda at, _: at), ("templates", lambda _, sample: sample["template_id"])):
            halves = [[s for at, s in enumerate(samples) if key(at, s) % 2 == fold] for fold in range(2)]
            models = [train(halves[1]), train(halves[0])]
            for margin in (0.0, MARGIN, 1.2):
                rows = [score(model, half, margin) for model, half in zip(models, halves)]
                means = [sum(row[at] for row in rows) / 2 for at in range(3)]
                print(f"unseen {name}, margin {margin}: precision %.3f, recall %.3f, F2 %.3f" % tuple(means))
        return
    model = train(samples)
    path = Path(__file__).parent.parent / "src/personal/tagger.bin"
    print("%d weights, %d bytes" % write(model, path))


if __name__ == "__main__":
    main()
