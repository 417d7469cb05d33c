"""Pictures for scripts that test the program: a PNG reader, and the pipeline as it is defined, in plain Python.

A picture is (width, height, rows): rows of tuples, (red, green, blue, alpha) or one gray value.
"""

import math
import struct
import zlib

from program import check

CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}  # by PNG's colour type


def single(value):
    """Rounded to a 32-bit float."""
    return struct.unpack("f", struct.pack("f", value))[0]


RED, GREEN, BLUE = ([single(single(weight) * value) for value in range(256)] for weight in (0.299, 0.587, 0.114))
WEIGHTS = (1, 2, 3, 4, 3, 2, 1)


def unpacked_png(path):
    """The size, the channels of 8 bits, and the file's bytes as PNG's filters left them."""
    with open(path, "rb") as file:
        data = file.read()
    check(data[:8] == b"\x89PNG\r\n\x1a\n", f"{path} is no PNG")
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        check(zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0], f"{path}: checksum of {kind}")
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            check(depth == 8 and colour in CHANNELS and not interlaced, f"{path}: depth {depth}, colour type {colour}")
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    channels = CHANNELS[colour]
    filtered = zlib.decompress(packed)
    check(len(filtered) == height * (1 + width * channels), f"{path}: {len(filtered)} bytes for {height} rows")
    return width, height, channels, filtered


def read_png(path):
    """The size, and rows of tuples with as many values as the file has channels."""
    width, height, channels, filtered = unpacked_png(path)
    rows = unfiltered(filtered, width * channels, channels)
    return width, height, [list(zip(*(row[channel::channels] for channel in range(channels)))) for row in rows]


def unfiltered(data, row_bytes, channels):
    """The rows behind PNG's filters: each byte was predicted from its left, upper and upper left neighbour."""
    above = bytearray(row_bytes)
    for start in range(0, len(data), row_bytes + 1):
        kind, row = data[start], bytearray(data[start + 1:start + 1 + row_bytes])
        if kind == 2:
            row = bytearray([value + up & 255 for value, up in zip(row, above)])
        elif kind:
            for channel in range(channels):
                along = zip(row[channel::channels], above[channel::channels])
                row[channel::channels] = bytearray((from_the_left, None, from_the_mean, from_the_nearest)[kind - 1](along))
        yield row
        above = row


def from_the_left(along):
    left = 0
    for value, _ in along:
        left = value + left & 255
        yield left


def from_the_mean(along):
    left = 0
    for value, up in along:
        left = value + (left + up) // 2 & 255
        yield left


def from_the_nearest(along):
    """To left + above - corner, the first of equals."""
    left = corner = 0
    for value, up in along:
        to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
        nearest = left if to_left <= to_up and to_left <= to_corner else up if to_up <= to_corner else corner
        left, corner = value + nearest & 255, up
        yield left


def gray(picture):
    width, height, rows = picture
    return width, height, [[min(255, int(single(single(RED[p[0]] + GREEN[p[1]]) + BLUE[p[2]]))) for p in row] for row in rows]


def blur(picture):
    width, height, rows = picture

    def summed(line):
        wide = [0, 0, 0, *line, 0, 0, 0]
        return [sum(weight * value for weight, value in zip(WEIGHTS, wide[i:i + 7])) for i in range(len(line))]
    across = [summed(row) for row in rows]
    down = [summed(column) for column in zip(*across)]
    return width, height, [[value // 256 for value in row] for row in zip(*down)]


def edge(picture):
    width, height, rows = picture
    wide = [[0] * (width + 2), *([0, *row, 0] for row in rows), [0] * (width + 2)]

    def length(x, y):
        above, here, below = (wide[y + i][x:x + 3] for i in range(3))
        gx = above[2] - above[0] + 2 * (here[2] - here[0]) + below[2] - below[0]
        gy = above[0] - below[0] + 2 * (above[1] - below[1]) + above[2] - below[2]
        return min(255, math.isqrt(gx * gx + gy * gy))
    return width, height, [[length(x, y) for x in range(width)] for y in range(height)]


# What each choice of a picture shows of an RGBA picture.
VIEWS = {
    "gray": gray,
    "blur": lambda picture: blur(gray(picture)),
    "edge": lambda picture: edge(blur(gray(picture))),
    "sharp": lambda picture: edge(gray(picture)),
}


def first_difference(expected, actual):
    """Text that names the first pixel in which two pictures differ, empty for none; a gray pixel equals an equal (gray, gray, gray, ...)."""
    if expected[:2] != actual[:2]:
        return f"{actual[0]} x {actual[1]} instead of {expected[0]} x {expected[1]}"
    for y, (want_row, have_row) in enumerate(zip(expected[2], actual[2])):
        for x, (want, have) in enumerate(zip(want_row, have_row)):
            want, have = (tuple(p[:3]) if isinstance(p, (tuple, list)) and len(p) >= 3 else (p if isinstance(p, int) else p[0],) * 3
                          for p in (want, have))
            if want != have:
                return f"column {x}, row {y}: {have} instead of {want}"
    return ""


def pgm(width, height, across=7, down=13):
    """A gray picture as a file has it, whose values grow by so much to the right and downwards."""
    values = bytes((x * across + y * down) % 256 for y in range(height) for x in range(width))
    return b"P5\n%d %d\n255\n" % (width, height) + values
