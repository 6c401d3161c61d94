#!/usr/bin/env python3
"""Deals the dominoes of Texas 42 as docs/deal.md specifies it, without any code of the project.

    verify_deal.py RECORD             verifies a finished game with secret deals: every deal and the first shaker
    verify_deal.py seed TEXT HAND     the first shaker and the dominoes of a hand of a seeded game
    verify_deal.py key HEX            the dominoes of a hand key
    verify_deal.py check FILE         deals every test vector of docs/deal.md and compares

RECORD is a file, "-" for standard input, or the address of a record, such as
https://example.org/api/games/ID/record; then the environment variable TEXAS42_KEY contains the key of a session.
"""
import hashlib
import json
import os
import struct
import sys
import urllib.request


def chacha20(key, nonce, counter):
    """One block of 64 bytes (RFC 8439)."""
    start = struct.unpack("<4I", b"expand 32-byte k") + struct.unpack("<8I", key)
    start += (counter,) + struct.unpack("<3I", nonce)
    words = list(start)

    def quarter(a, b, c, d):
        for x, y, z, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            words[x] = (words[x] + words[y]) & 0xFFFFFFFF
            mixed = words[z] ^ words[x]
            words[z] = (mixed << turn | mixed >> (32 - turn)) & 0xFFFFFFFF

    for _ in range(10):
        for a in range(4):
            quarter(a, a + 4, a + 8, a + 12)
        for a in range(4):
            quarter(a, 4 + (a + 1) % 4, 8 + (a + 2) % 4, 12 + (a + 3) % 4)
    return struct.pack("<16I", *((one + two) & 0xFFFFFFFF for one, two in zip(words, start)))


def derive(root, label, number):
    return chacha20(root, label + struct.pack("<I", number) + bytes(4), 0)[:32]


def words_of(key):
    counter = 0
    while True:
        yield from struct.unpack("<32H", chacha20(key, bytes(12), counter))
        counter += 1


def shuffle(key):
    dominoes = [(high, low) for high in range(7) for low in range(high + 1)]
    words = words_of(key)
    for last in range(27, 0, -1):
        fair = 65536 - 65536 % (last + 1)
        word = next(word for word in words if word < fair)
        other = word % (last + 1)
        dominoes[last], dominoes[other] = dominoes[other], dominoes[last]
    return dominoes


def draw(order):
    """The seat that shakes first, or None if the dominoes run out before a tie is broken."""
    drawing, order = [0, 1, 2, 3], list(order)
    while len(drawing) > 1:
        if len(order) < len(drawing):
            return None
        drawn = [(sum(order.pop(0)), seat) for seat in drawing]
        drawing = [seat for pips, seat in drawn if pips == max(drawn)[0]]
    return drawing[0]


def first_shaker(root):
    number = 0
    while (seat := draw(shuffle(derive(root, b"draw", number)))) is None:
        number += 1
    return seat


def text(dominoes):
    return " ".join(f"{high}-{low}" for high, low in dominoes)


def of_seed(seed, hand):
    root = hashlib.sha256(b"texas42 seed v1\0" + seed.encode()).digest()
    return f"seed {seed} hand {hand} shaker {first_shaker(root)}: {text(shuffle(derive(root, b'hand', int(hand))))}"


def of_key(key):
    return f"key {key}: {text(shuffle(bytes.fromhex(key)))}"


def check(path):
    vectors = [line.strip() for line in open(path, encoding="utf-8") if line.startswith(("seed ", "key "))]
    for vector in vectors:
        kind, name, *rest = vector.split(": ")[0].split()
        mine = of_key(name) if kind == "key" else of_seed(name, rest[1])
        if mine != vector:
            sys.exit(f"expected {vector}\nfound    {mine}")
    print(f"{len(vectors)} vectors hold")
    return len(vectors)


class Unfair(Exception):
    """Why a record does not prove a fair deal."""


def sha256(label, *parts):
    return hashlib.sha256(b"texas42 " + label + b" v1\0" + b"".join(parts)).digest()


def require(holds, otherwise):
    if not holds:
        raise Unfair(otherwise)


def committed(secret, commitment):
    """A secret, which has to match the hash that the table showed first."""
    secret = bytes.fromhex(secret)
    require(sha256(b"commitment", secret).hex() == commitment, "a secret is not the one that was committed before")
    return secret


def combined_entropy(record):
    """Hashes what the players contributed, the number of games before, and the previous game."""
    given = [(text or "").encode() for text in record["entropy"]]
    given.append(struct.pack("<I", record["gameNumber"]))
    if record.get("before"):
        given.append(bytes.fromhex(record["before"]))
    return sha256(b"entropy", *(bytes([len(part)]) + part for part in given))


def check_deals(record, secret, entropy):
    """Deals every hand again, each from its share of the secret."""
    require(not record["config"].get("deals"), "the deals were chosen when the table was set up")
    require(len(record["deals"]) == len(record["handCommitments"]), "each deal has one commitment")
    later = record.get("later")
    later_secret = later and committed(later["secret"], later["secretCommitment"])
    for hand, dealt in enumerate(record["deals"]):
        share = derive(later_secret if later and hand >= later["fromHand"] else secret, b"hand", hand)
        is_committed = sha256(b"commitment", share).hex() == record["handCommitments"][hand]
        require(is_committed, f"hand {hand + 1}: its share of the secret is not the one that was committed")
        row = text(shuffle(sha256(b"hand", share, entropy))).split()
        hands = [set(row[at:at + 7]) for at in range(0, 28, 7)]
        require(hands == [set(seat) for seat in dealt], f"hand {hand + 1}: other dominoes were dealt")


def check_plays(record):
    """Every domino was played from the hand that was dealt to its player."""
    hand_after = [0]  # the number of the current hand after each action
    for action in record["actions"]:
        hand = hand_after[-1]
        match action["type"]:
            case "play":
                dealt = record["deals"][hand][action["player"]]
                require(action["domino"] in dealt, f"hand {hand + 1}: {action['domino']} was not dealt to its player")
            case "score-hand" | "redeal":
                hand += 1
            case "undo":
                hand = hand_after[action["to"]]
        hand_after.append(hand)


def check_shaker(record, secret, entropy):
    """Draws the first shaker again; the seat to the left of it calls first. Returns how it was determined."""
    named = record["config"].get("shaker")
    root = sha256(b"draw", derive(secret, b"draw", 0), entropy) if record.get("secretDraw") else entropy
    shaker = first_shaker(root) if named is None else named
    first = next((action for action in record["actions"] if action["type"] in ("bid", "pass")), None)
    is_same = record.get("shaker", shaker) == shaker
    is_same &= first is None or first["player"] == (shaker + 1) % 4
    require(is_same, "the secret and the players' randomness draw a different first shaker")
    if named is not None:
        return f"the rules named seat {shaker + 1} as the first shaker"
    if not record.get("secretDraw"):
        return f"seat {shaker + 1} shook first, drawn from the players' randomness alone, as earlier versions did"
    return f"seat {shaker + 1} shook first, drawn from the same"


def verify(record):
    if "secretCommitment" not in record:
        raise Unfair("this is not the record of a finished game with secret deals")
    secret = committed(record["secret"], record["secretCommitment"])
    entropy = combined_entropy(record)
    check_deals(record, secret, entropy)
    check_plays(record)
    shaker = check_shaker(record, secret, entropy)
    from_device = min(record["later"]["fromHand"], len(record["deals"])) if record.get("later") else 0
    device = f"; a player's device dealt the first {from_device} and could know them" if from_device else ""
    hands = len(record["deals"])
    return f"yes: {hands} hands follow from the committed secret and the players' randomness{device}; {shaker}"


def read(source):
    if source == "-":
        return json.load(sys.stdin)
    if not source.startswith(("http://", "https://")):
        with open(source, encoding="utf-8") as file:
            return json.load(file)
    key = os.environ.get("TEXAS42_KEY")
    request = urllib.request.Request(source, headers={"Authorization": f"Bearer {key}"} if key else {})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def verify_record(source):
    try:
        print(verify(read(source)))
    except Unfair as why:
        sys.exit(f"no: {why}")
    except (KeyError, IndexError, TypeError, ValueError, OSError) as error:
        sys.exit(f"no: the record cannot be read: {error!r}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["seed", seed, hand]:
            print(of_seed(seed, hand))
        case ["key", key]:
            print(of_key(key))
        case ["check", path]:
            sys.exit(0 if check(path) else "there are no vectors")
        case [source] if not source.startswith("--"):
            verify_record(source)
        case _:
            sys.exit(__doc__)
