"""Checks the proof of a call: an implementation of its own, from RFC 6962 (trees), RFC 8032 (Ed25519) and C2SP
(signed-note, tlog-checkpoint), with nothing but Python's library.

    check_proof.py PROOF KEY

Prints what is proved as JSON. Exits with 1 and says why if the file proves nothing.
"""

import base64
import hashlib
import json
import sys

# Ed25519, as section 5.1 of RFC 8032 defines it.
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)


class Refused(Exception):
    pass


def add(one, other):
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c = 2 * one[3] * other[3] * D % P
    d = 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def times(number, point):
    sum_ = (0, 1, 1, 0)
    while number > 0:
        if number & 1:
            sum_ = add(sum_, point)
        point = add(point, point)
        number >>= 1
    return sum_


def same(one, other):
    return (one[0] * other[2] - other[0] * one[2]) % P == 0 and (one[1] * other[2] - other[1] * one[2]) % P == 0


def x_of(y, sign):
    if y >= P:
        raise Refused("a point of a key or signature is not on the curve")
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if square == 0 and sign:
        raise Refused("a point of a key or signature is not on the curve")
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - square) % P != 0:
        raise Refused("a point of a key or signature is not on the curve")
    return P - x if x & 1 != sign else x


def point(encoded):
    y = int.from_bytes(encoded, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    x = x_of(y, sign)
    return (x, y, 1, x * y % P)


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE_X = x_of(BASE_Y, 0)
BASE = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)


def is_signed(public, message, signature):
    if len(signature) != 64:
        return False
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    if s >= ORDER:
        return False
    h = int.from_bytes(hashlib.sha512(r + public + message).digest(), "little") % ORDER
    return same(times(s, BASE), add(point(r), times(h, point(public))))


# Merkle trees, as section 2.1 of RFC 6962 defines them.
def leaf(data):
    return hashlib.sha256(b"\x00" + data).digest()


def node(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_of(index, size, hash_, path):
    """The root according to an audit path: the reverse of PATH(m, D[n]) in section 2.1.1."""
    if not 0 <= index < size:
        raise Refused("an event lies beyond its checkpoint")
    if size == 1:
        if path:
            raise Refused("a path is too long")
        return hash_
    if not path:
        raise Refused("a path is too short")
    k = 1
    while k * 2 < size:
        k *= 2
    if index < k:
        return node(root_of(index, k, hash_, path[:-1]), path[-1])
    return node(path[-1], root_of(index - k, size - k, hash_, path[:-1]))


# Keys and notes.
def read_key(text):
    name, id_, encoded = text.split("+", 2)
    key = base64.b64decode(encoded, validate=True)
    if len(key) != 33 or key[0] != 1:
        raise Refused("the key is not of Ed25519")
    expected = hashlib.sha256(name.encode() + b"\n" + key).digest()[:4]
    if bytes.fromhex(id_) != expected:
        raise Refused("the id of the key is not its own")
    return name, expected, key[1:]


def open_note(note, key):
    name, id_, public = key
    text, signatures = note.rsplit("\n\n", 1)
    text += "\n"
    for line in signatures.splitlines():
        dash, signer, encoded = line.split(" ")
        signature = base64.b64decode(encoded, validate=True)
        if dash == "\u2014" and signer == name and signature[:4] == id_:
            if is_signed(public, text.encode(), signature[4:]):
                return text
            raise Refused("a signature is not right")
    raise Refused("the key has not signed the checkpoint")


def check(proof, key):
    if proof["form"] != "toolgate-call-proof/1":
        raise Refused("the form of the proof is not known")
    proved = []
    for stream in proof["streams"]:
        origin, size, root, *_ = open_note(stream["checkpoint"], key).splitlines()
        for event in stream["events"]:
            line = base64.b64decode(event["line"], validate=True)
            path = [base64.b64decode(hash_, validate=True) for hash_ in event["path"]]
            if root_of(event["number"] - 1, int(size), leaf(line), path) != base64.b64decode(root, validate=True):
                raise Refused(f"event {event['number']} of {origin} is not in the tree")
            proved.append({"origin": origin, "number": event["number"], "bytes": len(line)})
    if not proved:
        raise Refused("the proof has no event")
    return {"call": proof["call"], "events": proved}


if __name__ == "__main__":
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            print(json.dumps(check(json.load(file), read_key(sys.argv[2]))))
    except (Refused, ValueError, KeyError) as why:
        sys.exit(f"it proves nothing: {why}")
