#!/usr/bin/env python3
"""Deals the dominoes of Texas 42 without any code of the project, as docs/deal.md describes it.

    verify_deal.py seed TEXT HAND     the first shaker and the dominoes of a hand of a seeded game
    verify_deal.py key HEX            the dominoes of a hand key
    verify_deal.py check FILE         deals every test vector of docs/deal.md and compares
"""
import hashlib
import struct
import sys


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
    """The seat that shakes first, or None when the dominoes run out in the middle of a tie."""
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


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["seed", seed, hand]:
            print(of_seed(seed, hand))
        case ["key", key]:
            print(of_key(key))
        case ["check", path]:
            sys.exit(0 if check(path) else "there are no vectors")
        case _:
            sys.exit(__doc__)
