"""Uses of generated functions that are right, and some that mypy must refuse."""

import hard
import tools


def uses(gateway: hard.Caller) -> str:
    tools.letters_send(gateway, {"to": "ann@example.com", "text": "typed"})
    tools.letters_send(gateway, {"to": "ann@example.com"})  # type: ignore[typeddict-item]
    hard.desk_send_all(gateway, {"to": "ann", "class": "z"})  # type: ignore[typeddict-item]
    hard.tree(gateway, {"root": {"name": "a", "children": [{"name": "b"}]}, "value": [None, {"x": ["y"]}]})
    return hard.desk_send_all(gateway, {"to": "ann", "odd key": None, "when": {"x": 1}})["id"]
