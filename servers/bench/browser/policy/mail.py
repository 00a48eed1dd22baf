"""An inbox: find the message of a sender, then delete, star, answer or forward it. Some tasks are written in many people's words."""

import re

from policy.eye import GaveUp

ICONS = {"delete": 0, "important": 1}
DELETE = r"\b(delet\w*|trash|rid of|remove|throw|don't want|out of|recycling)\b"
IMPORTANT = r"(import|imiport|impora|\bstar\b|flag|\bmark|classif|\btag\b)"
FORWARD = r"\b(forward\w*|foward|send|sent|give|resend|email|wants|waiting|receive|recieve|put a copy|list of people|let)\b"

# Who wrote it, and who shall have it; more certain signs first.
FROM = [r"\b(?:from|by) {}\b", r"\b{}s?'s\b", r"\b{}s\b", r"\b{} (?:sent|wrote|wants his)", r"\bthe {} e?-?mail", r"\b{}\b"]
TO = [r"\bto {}\b", r"\b(?:send|forward|give|let|email|sure) {}\b", r"^{} (?:wants|is|must|needs)", r"\b{} (?:to be forwarded|on the list|receive)", r"\b{}\b"]


def task(eye):
    return perform(eye, *understand(eye))


def understand(eye):
    """What is to be done, with whose message, and the text or the person that belongs to it."""
    words, senders = eye.task, _senders(eye)
    quotes = re.findall(r'"+([^"]+?)"', words)
    without = re.sub(r'"[^"]*"', "", words)
    if quotes:
        return "reply", _sender(without, senders), quotes[0]
    if re.search(DELETE, words, re.I):
        return "delete", _sender(words, senders), None
    if re.search(IMPORTANT, words, re.I):
        return "important", _sender(words, senders), None
    if re.search(FORWARD, words, re.I):
        return ("forward", *_people(words, senders))
    raise GaveUp(f"the task {words!r} is not understood")


def _senders(eye):
    """Names in the inbox: words that stand alone, as a name does."""
    return list(dict.fromkeys(name for node in eye.texts() for name in re.findall(r"\b[A-Z][a-z]+(?:-[A-Z][a-z]+)?\b", node.name)))


def _sender(words, senders):
    for pattern in FROM:
        for name in senders:
            if re.search(pattern.format(re.escape(name)), words):
                return name
    raise GaveUp(f"no sender of {senders} in {words!r}")


def _people(words, senders):
    """The sender is in the inbox; the other person is the other name."""
    others = re.findall(r"\b([A-Z][a-z]+(?:-[A-Z][a-z]+)?)(?:'s|s)?\b", words)
    best = None
    for sender in senders:
        for other in set(others) | set(senders):
            if other == sender or not re.search(rf"\b{re.escape(other)}", words):
                continue
            rank = _rank(FROM, sender, words) + _rank(TO, other, words)
            if _rank(FROM, sender, words) < len(FROM) and (best is None or rank < best[0]):
                best = rank, sender, other
    if not best:
        raise GaveUp(f"sender and receiver are not clear in {words!r}")
    return best[1], best[2]


def _rank(patterns, name, words):
    for rank, pattern in enumerate(patterns):
        if re.search(pattern.format(re.escape(name)), words, re.I if "{}" not in pattern[:2] else 0):
            return rank
    return len(patterns) + 3


def perform(eye, action, sender, more):
    row = _row(eye, sender)
    if action in ICONS:
        return eye.click(_icon(eye, row, action))
    eye.click(_opener(eye, row))
    eye.look()
    if action == "reply":
        eye.click(eye.button("Reply"))
        eye.look()
        eye.type(eye.fields()[-1], more)
    else:
        eye.click(eye.button("Forward"))
        eye.look()
        eye.type(eye.fields()[0], more)
    eye.look()
    eye.click(_send(eye))


def _row(eye, sender):
    """The line of the inbox that has the sender's name, alone or at its beginning."""
    whole = [node for node in eye.texts() if node.name == sender]
    start = [node for node in eye.texts() if node.name.startswith(sender + " ") or node.name.startswith(sender)]
    if not whole and not start:
        raise GaveUp(f"no message of {sender}")
    return (whole or start)[0]


def _opener(eye, row):
    """What is clicked to open the message: the line itself, what it stands in, or what shows its text."""
    if row.ref:
        return row
    around = [node for node in eye.nodes[: row.index] if node.ref and node.depth < row.depth]
    if around and not around[-1].name:
        return around[-1]
    return eye.ref_of(row.name)


def _icon(eye, row, action):
    """The bin and the star have no text. They are told by what the snapshot says of them, else by their order."""
    icons = [node for node in eye.all(after=row) if not node.name or node.hints(r"trash|delete|star|important")][:2]
    told = [node for node in icons if node.hints(r"trash|delete|bin" if action == "delete" else r"star|important")]
    return told[0] if told else icons[ICONS[action]]


def _send(eye):
    """The arrow back comes first, then the arrow that sends."""
    told = [node for node in eye.all() if not node.name and node.hints(r"send")]
    if told:
        return told[0]
    field = eye.fields()[0]
    return eye.all(before=field)[-1]


STRATEGIES = {
    name: task
    for name in (
        "email-inbox",
        "email-inbox-delete",
        "email-inbox-forward",
        "email-inbox-forward-nl",
        "email-inbox-forward-nl-turk",
        "email-inbox-important",
        "email-inbox-nl-turk",
        "email-inbox-noscroll",
        "email-inbox-reply",
        "email-inbox-star-reply",
    )
}
