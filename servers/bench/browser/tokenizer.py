"""Counts tokens as o200k_base does: the ranks come out of npm js-tiktoken, the counting is PyPI tiktoken's. Neither asks the network."""

import base64
import functools
import json
import os
import pathlib
import re

import tiktoken


@functools.cache
def encoding():
    """The vocabulary o200k_base, out of the folder of node modules that BROWSER_BENCH_MODULES names."""
    path = pathlib.Path(os.environ["BROWSER_BENCH_MODULES"]) / "js-tiktoken/dist/ranks/o200k_base.js"
    text = path.read_text()
    data = json.loads(text[text.index("{") : text.rindex("}") + 1])
    ranks = {}
    for line in data["bpe_ranks"].split("\n"):
        _, first, *pieces = line.split(" ")
        for number, piece in enumerate(pieces, int(first)):
            ranks[base64.b64decode(piece)] = number
    return tiktoken.Encoding("o200k_base", pat_str=data["pat_str"], mergeable_ranks=ranks, special_tokens=data["special_tokens"])


def count(text):
    """How many tokens a model would read."""
    return len(encoding().encode(text, disallowed_special=()))


def without_times(text):
    """The text with times and counters of file names removed, so that two runs count the same."""
    return re.sub(r"page-[\dTZ:.-]+\.yml", "page.yml", text)
