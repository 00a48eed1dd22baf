"""What can go wrong between a graph and its gateway, each with a hint.

A refusal of one call is no error: it is a `ToolMessage` with status `error`, which the model reads. An error ends the node;
LangGraph may try the node again, since calls keep their ids.
"""

from __future__ import annotations


class ToolgateError(Exception):
    """The gateway did not do what a node needs."""

    def __init__(self, message: str, *, hint: str = "", code: str = "", status: int | None = None) -> None:
        super().__init__(f"{message}\nhint: {hint}" if hint else message)
        self.message = message
        self.hint = hint
        self.code = code
        self.status = status


class GatewayUnreachable(ToolgateError):
    """The gateway was not reached, or is not ready. The same request may be sent again."""


class TokenRefused(ToolgateError):
    """The token is not known, has expired, was revoked, or may not do this."""


class RunGone(ToolgateError):
    """The run of the thread does not exist any more, or has ended."""


class GatewayTooOld(ToolgateError):
    """The gateway does not have what this package needs."""


class GatewayTooNew(ToolgateError):
    """The gateway answers in a form that this package does not know."""


class RequestRefused(ToolgateError):
    """The gateway refused the request as a whole."""
