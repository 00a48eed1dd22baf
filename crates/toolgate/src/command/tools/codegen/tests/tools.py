"""Written by `toolgate tools codegen --lang python`. Write it anew when the tools change."""

from __future__ import annotations

from typing import Any, Literal, Never, NotRequired, Protocol, Required, TypeAlias, TypedDict, cast


class Caller(Protocol):
    """Makes calls, with any client: what it returns is the structured content of the result."""

    def call(self, name: str, args: Any) -> Any: ...


DeskSendAllArguments = TypedDict(
    "DeskSendAllArguments",
    {
        "to": "Required[str]",
        "class": "NotRequired[Literal[\"a\", \"b\", None, 3]]",
        "odd key": "NotRequired[int | None]",
        "when": "NotRequired[str | list[float] | DeskSendAllArgumentsWhenOption3]",
    },
    total=False,
)


class DeskSendAllArgumentsWhenOption3(TypedDict, total=False):
    x: Required[int]


class DeskSendAllResult(TypedDict, total=False):
    id: Required[str]


def desk_send_all(gateway: Caller, args: DeskSendAllArguments) -> DeskSendAllResult:
    """Sends */ a 'letter'.
    Two lines.
    """
    return cast("DeskSendAllResult", gateway.call("desk__send-all", args))


class DeskSendAllArguments2(TypedDict, total=False):
    pass


def desk_send_all2(gateway: Caller, args: DeskSendAllArguments2 | None = None) -> Any:
    return gateway.call("desk__sendAll", {} if args is None else args)


TreeArguments = TypedDict(
    "TreeArguments",
    {
        "root": "Required[TreeArgumentsNode]",
        "value": "NotRequired[TreeArgumentsJson]",
        "loop": "NotRequired[TreeArgumentsLoop]",
        "pair": "NotRequired[list[str | int]]",
        "map": "NotRequired[dict[str, int]]",
        "never": "NotRequired[Never]",
        "any": "NotRequired[Any]",
        "mixed": "NotRequired[TreeArgumentsMixed]",
        "fl": "NotRequired[Literal[\"x\"] | float]",
        "uni": "NotRequired[Literal[\"\\u00fc\\U0001f600\\u000a\\\"q\\\"\"]]",
    },
    total=False,
)


class TreeArgumentsNode(TypedDict, total=False):
    name: Required[str]
    children: NotRequired[list[TreeArgumentsNode]]
    parent: NotRequired[TreeArguments]


TreeArgumentsJson: TypeAlias = "None | str | list[TreeArgumentsJson] | dict[str, TreeArgumentsJson]"


TreeArgumentsLoop: TypeAlias = "Any"


TreeArgumentsPool: TypeAlias = "TreeArgumentsLoop | str"


class TreeArgumentsMixed(TypedDict, total=False):
    name: Required[str]
    children: NotRequired[list[TreeArgumentsNode]]
    parent: NotRequired[TreeArguments]
    more: NotRequired[bool]


def tree(gateway: Caller, args: TreeArguments) -> Any:
    """Recursion"""
    return gateway.call("tree", args)


DeleteArguments = TypedDict(
    "DeleteArguments",
    {
        "from": "NotRequired[str]",
        "__private": "NotRequired[str]",
    },
    total=False,
)


def delete_(gateway: Caller, args: DeleteArguments | None = None) -> Any:
    """Reserved"""
    return gateway.call("delete", {} if args is None else args)


T2XArguments: TypeAlias = "T2XArgumentsA"


class T2XArgumentsA(TypedDict, total=False):
    v: Required[str]


T2XResult: TypeAlias = "list[Any]"


def t2_x(gateway: Caller, args: T2XArguments) -> T2XResult:
    """Digit"""
    return cast("T2XResult", gateway.call("2.x", args))


CallerArguments: TypeAlias = "CallerArgumentsOption1 | CallerArgumentsOption2"


class CallerArgumentsOption1(TypedDict, total=False):
    a: Required[str]


class CallerArgumentsOption2(TypedDict, total=False):
    b: Required[str]


def caller(gateway: Caller, args: CallerArguments) -> Any:
    """Name of ours"""
    return gateway.call("caller", args)


AnyArguments: TypeAlias = "Any"


AnyResult = TypedDict(
    "AnyResult",
    {
        "int": "NotRequired[int]",
        "list": "NotRequired[list[str]]",
        "str": "NotRequired[str]",
        "x": "NotRequired[str]",
    },
    total=False,
)


def any_(gateway: Caller, args: AnyArguments) -> AnyResult:
    """str"""
    return cast("AnyResult", gateway.call("any", args))
