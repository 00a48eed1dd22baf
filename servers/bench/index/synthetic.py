"""Passages that nobody wrote, with random vectors: as many as a latency needs, and about nothing.

Words follow Zipf's law; the most frequent ones are English function words, so that queries have stop words as those of people do. The
engine encodes passages itself, and keeps the vectors by the text that they are of. The vectors made here are laid into that place before
the engine starts; so passages go the way of all others, and none is encoded.
"""

import hashlib
import pathlib
import random

import numpy

import corpus

SEED = 26
PASSAGES_OF_DOCUMENT = 10
WORDS_OF_SENTENCE = 16
SENTENCES_MIN, SENTENCES_MAX = 4, 9
RARE_WORDS = 60_000
ZIPF = 1.05
KEY_BYTES, CHECK_BYTES = 16, 8
FUNCTION_WORDS = """the of and to in a is that it for as was with be by on not he this are or his from at which but have an had they you were
their one all we can her has there been if more when will would who so no out up into than them only other new some could time these two may
then do first any my now such like our over me even most made after also did many before must through back where much your way down should
because each just those people how too little state good very make world still own see men work long here get both between life being under""".split()
SYLLABLES = [first + vowel + last for first in "bdfgklmnprstvz" for vowel in "aeiou" for last in ("", "l", "n", "r", "s")]


class Writer:
    """Documents from a seed: the same number always makes the same ones."""

    def __init__(self, seed=SEED):
        self.dice = numpy.random.default_rng(seed)
        self.words = FUNCTION_WORDS + _rare_words()
        weights = 1 / numpy.arange(1, len(self.words) + 1) ** ZIPF
        self.bounds = numpy.cumsum(weights / weights.sum())

    def texts(self, count):
        """Each text is a few sentences."""
        lengths = self.dice.integers(SENTENCES_MIN, SENTENCES_MAX + 1, count)
        drawn = numpy.searchsorted(self.bounds, self.dice.random(int(lengths.sum()) * WORDS_OF_SENTENCE)).clip(max=len(self.words) - 1)
        words = [self.words[number] for number in drawn.tolist()]
        at = 0
        for length in lengths.tolist():
            sentences = []
            for _ in range(length):
                sentence = " ".join(words[at : at + WORDS_OF_SENTENCE])
                sentences.append(sentence[0].upper() + sentence[1:] + ".")
                at += WORDS_OF_SENTENCE
            yield " ".join(sentences)

    def queries(self, texts, count):
        """Three to eight words in a row of a text. One at least is no function word: people do not ask for "the where and a"."""
        queries, common = [], set(FUNCTION_WORDS)
        while len(queries) < count:
            words = texts[int(self.dice.integers(0, len(texts)))].replace(".", "").lower().split()
            length = int(self.dice.integers(3, 9))
            first = int(self.dice.integers(0, len(words) - length))
            query = words[first : first + length]
            if not common.issuperset(query):
                queries.append(" ".join(query))
        return queries


class Document:
    """A document of several passages, each under a heading of its own."""

    def __init__(self, number, bodies):
        self.path = f"{number:07}.txt"
        self.title = f"Document {number}"
        self.sections = [(f"Part {part}", body) for part, body in enumerate(bodies, 1)]

    def docir(self):
        return corpus.docir(self.title, self.sections)

    def encoded_texts(self):
        """The texts that the engine encodes for its passages: title, heading, body."""
        return [f"{self.title}\n{heading}\n{body}" for heading, body in self.sections]


def write_documents(writer, count):
    """Documents, a batch at a time."""
    for first in range(0, count, corpus.BATCH):
        numbers = range(first, min(first + corpus.BATCH, count))
        bodies = list(writer.texts(len(numbers) * PASSAGES_OF_DOCUMENT))
        yield [
            Document(number, bodies[at * PASSAGES_OF_DOCUMENT : (at + 1) * PASSAGES_OF_DOCUMENT]) for at, number in enumerate(numbers)
        ]


class KeptVectors:
    """The engine's kept vectors of a model (`vectors/<digest>-newer`), as `servers/engine/src/embeddings` writes them."""

    def __init__(self, home, model, dimensions):
        folder = pathlib.Path(home) / "vectors"
        folder.mkdir(parents=True, exist_ok=True)
        name = model.removeprefix("sha256:")
        self.labels = (folder / f"{name}-newer.labels").open("wb")
        self.vectors = (folder / f"{name}-newer.vectors").open("wb")
        self.dimensions = dimensions
        self.dice = numpy.random.default_rng(SEED + 1)

    def put(self, texts):
        """A random vector of length 1 for each text."""
        drawn = self.dice.standard_normal((len(texts), self.dimensions), dtype=numpy.float32)
        drawn /= numpy.linalg.norm(drawn, axis=1, keepdims=True)
        for text, vector in zip(texts, drawn.astype("<f4")):
            key = hashlib.sha256(text.encode()).digest()[:KEY_BYTES]
            numbers = vector.tobytes()
            self.vectors.write(numbers)
            self.labels.write(key + hashlib.sha256(key + numbers).digest()[:CHECK_BYTES])

    def close(self):
        self.labels.close()
        self.vectors.close()


def _rare_words():
    dice, words = random.Random(SEED), {}
    while len(words) < RARE_WORDS:
        words["".join(dice.choices(SYLLABLES, k=dice.randint(2, 4)))] = None
    return list(words)
