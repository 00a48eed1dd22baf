"""The profiles that the gateway ships, and what is left of them without meaning."""

import copy
import pathlib
import tomllib

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "domains/toolgate-index/profiles"


def shipped(name):
    """A profile as requests have it."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text())["profile"]


def by_document(profile):
    """The same profile with the best passage of each document alone, so that a ranking of passages is one of documents."""
    return {**copy.deepcopy(profile), "per_document": 1}


def words_alone(profile, feedback=False):
    """No vectors; without feedback it is plain BM25 over the fields."""
    profile = copy.deepcopy(profile)
    profile.pop("meaning", None)
    if not feedback:
        profile["words"].pop("feedback", None)
    return profile
