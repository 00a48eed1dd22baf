#!/usr/bin/env python3
"""Loads DocIRs with docling-core and compares what it writes back with what was read.

    pip install docling-core==2.104.0
    cargo run -p docir --example sample | python libraries/docir/tests/docling/round_trip.py -

Arguments are files, or `-` for the standard input. Ends with 1 if any of them changes.
"""

import json
import sys

from docling_core.types.doc import DoclingDocument


def difference(ours, theirs, at=""):
    """The first place where two values of JSON differ, or None."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(ours.keys() | theirs.keys()):
            if key not in ours or key not in theirs:
                return f"{at}/{key}: only in {'theirs' if key in theirs else 'ours'}"
            found = difference(ours[key], theirs[key], f"{at}/{key}")
            if found:
                return found
        return None
    if isinstance(ours, list) and isinstance(theirs, list):
        if len(ours) != len(theirs):
            return f"{at}: {len(ours)} and {len(theirs)} elements"
        pairs = enumerate(zip(ours, theirs, strict=True))
        return next((found for at_, (one, other) in pairs if (found := difference(one, other, f"{at}/{at_}"))), None)
    return None if ours == theirs else f"{at}: {ours!r} and {theirs!r}"


def main(names):
    changed = 0
    for name in names:
        data = sys.stdin.buffer.read() if name == "-" else open(name, "rb").read()
        ours = json.loads(data)
        document = DoclingDocument.model_validate_json(data)
        exported = json.loads(json.dumps(document.export_to_dict()))
        dumped = document.model_dump(mode="json", by_alias=True, exclude_none=True)
        for way, theirs in (("export_to_dict", exported), ("model_dump", dumped)):
            found = difference(ours, theirs)
            changed += bool(found)
            print(f"{name}: {way}: {found or 'unchanged'}")
        print(f"{name}: {len(document.export_to_markdown())} characters of Markdown")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["-"]))
