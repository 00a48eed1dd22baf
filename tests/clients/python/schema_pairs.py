"""Pairs of JSON Schemas with the verdict of jsonsubschema: is every value of the first one a value of the second?

Prints one JSON array of [narrow, wide, verdict] for each pair; the verdict is null where jsonsubschema gives up. The pairs are the same
on every run. Only constructs that both sides know are used: jsonsubschema reads draft 4, where exclusive bounds are booleans.
"""

import json
import logging
import random
import sys
import warnings

logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")

from jsonsubschema import isSubschema  # noqa: E402

KINDS = ["null", "boolean", "integer", "number", "string", "array", "object"]
NAMES = ["a", "b", "c"]


def number(chance, whole):
    schema = {"type": "integer" if whole else "number"}
    if chance.random() < 0.6:
        schema["minimum"] = chance.randint(-2, 3)
    if chance.random() < 0.6:
        schema["maximum"] = schema.get("minimum", 0) + chance.randint(0, 4)
    return schema


def text(chance):
    schema = {"type": "string"}
    if chance.random() < 0.5:
        schema["minLength"] = chance.randint(0, 2)
    if chance.random() < 0.5:
        schema["maxLength"] = schema.get("minLength", 0) + chance.randint(0, 3)
    return schema


def items(chance, depth):
    schema = {"type": "array", "items": part(chance, depth - 1)}
    if chance.random() < 0.4:
        schema["minItems"] = chance.randint(0, 2)
    if chance.random() < 0.4:
        schema["maxItems"] = schema.get("minItems", 0) + chance.randint(0, 2)
    return schema


def members(chance, depth):
    names = chance.sample(NAMES, chance.randint(0, 3))
    schema = {"type": "object", "properties": {name: part(chance, depth - 1) for name in names}}
    required = [name for name in names if chance.random() < 0.4]
    if required:
        schema["required"] = required
    if chance.random() < 0.6:
        schema["additionalProperties"] = False
    return schema


def part(chance, depth):
    kind = chance.choice(KINDS if depth > 0 else KINDS[:5])
    if chance.random() < 0.12:
        return {"enum": chance.sample(["x", "y", "z"], chance.randint(1, 3))}
    if depth > 0 and chance.random() < 0.12:
        return {"anyOf": [part(chance, depth - 1), part(chance, depth - 1)]}
    if kind in ("integer", "number"):
        return number(chance, kind == "integer")
    if kind == "string":
        return text(chance)
    if kind == "array":
        return items(chance, depth)
    if kind == "object":
        return members(chance, depth)
    return {"type": kind}


def changed(chance, schema):
    """A copy with one thing changed, so that many pairs are close to each other."""
    copy = json.loads(json.dumps(schema))
    here = copy
    while chance.random() < 0.5:
        inner = list(here.get("properties", {}).values()) + ([here["items"]] if "items" in here else [])
        if not inner:
            break
        here = chance.choice(inner)
    kind = here.get("type")
    if kind == "object":
        name = chance.choice(NAMES)
        pick = chance.random()
        if pick < 0.4:
            here.setdefault("properties", {})[name] = part(chance, 0)
        elif pick < 0.7:
            here["required"] = sorted(set(here.get("required", [])) ^ {name})
            here["properties"].setdefault(name, part(chance, 0))
            if not here["required"]:
                del here["required"]
        elif "additionalProperties" in here:
            del here["additionalProperties"]
        else:
            here["additionalProperties"] = False
    elif kind == "integer":
        here["type"] = "number"
    elif kind == "number":
        here["minimum"] = chance.randint(-2, 3)
        here["maximum"] = here["minimum"] + chance.randint(0, 4)
    elif kind == "string":
        here["maxLength"] = here.get("minLength", 0) + chance.randint(0, 4)
    elif kind == "array":
        here["maxItems"] = here.get("minItems", 0) + chance.randint(0, 3)
    elif "enum" in here:
        here["enum"] = sorted(set(here["enum"]) ^ {chance.choice(["x", "y", "z"])}) or ["x"]
    return copy


def verdict(narrow, wide):
    try:
        return bool(isSubschema(narrow, wide))
    except Exception:
        return None


def main():
    chance = random.Random(22)
    for _ in range(int(sys.argv[1])):
        one = part(chance, 2)
        other = changed(chance, one) if chance.random() < 0.7 else part(chance, 2)
        if chance.random() < 0.5:
            one, other = other, one
        print(json.dumps([one, other, verdict(one, other)]))


if __name__ == "__main__":
    main()
