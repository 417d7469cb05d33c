"""Drives the window on a CUDA GPU: all versions, a dozen blocks, both paths to the screen.

gpu_window.py PROGRAM OUTPUT_FOLDER [--other-gl], on a display with OpenGL on that GPU. Saves the picture after each step and compares
them: every version and block must show the same one, through the shared buffer and through host memory.
"""

import glob
import json
import os
import struct
import subprocess
import sys
import time
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests"))
import window_driver  # noqa: E402
from window_test import version  # noqa: E402
from program import Program, check  # noqa: E402

BLOCKS = [(8, 8), (32, 2), (8, 16), (32, 4), (32, 8), (16, 16), (64, 4), (32, 32), (1, 1), (7, 5), (1024, 1), (1, 1024), (33, 31)]


class ExistingDisplay(window_driver.Display):
    def __init__(self):
        self.name = os.environ["DISPLAY"]

    def close(self):
        pass


def write_png(path, width, height, stride, pixels):
    rows = []
    for y in range(height):
        row = pixels[4 * y * stride:4 * (y * stride + width)]
        rgb = bytearray(3 * width)
        rgb[0::3], rgb[1::3], rgb[2::3] = row[2::4], row[1::4], row[0::4]
        rows.append(b"\0" + bytes(rgb))

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(b"".join(rows), 9)) + chunk(b"IEND", b""))


def screenshot(window, path, size):
    stride, pixels = window.display.screen()
    write_png(path, size[0], size[1], stride, pixels)


def save(window, seen):
    """Saves before and after; returns the bytes of the picture that was shown."""
    window.keys("s")
    pattern = os.path.join(window.shots, "*_edges-after-blur.png")
    window_driver.wait_for(lambda: len(glob.glob(os.path.join(window.shots, "*_both.png"))) > len(seen), "a picture is saved", 60)
    time.sleep(0.2)
    newest = max(glob.glob(pattern), key=os.path.getmtime)
    with open(newest, "rb") as file:
        data = file.read()
    seen.append(os.path.basename(newest))
    return data


def tour(program, display, out, size):
    settings = {"window": {"width": size[0], "height": size[1]}}
    window = window_driver.Window(program, display, "--device", "cuda", settings=settings, picture=False)
    seen = []
    pictures = {}
    try:
        window.keys("0")
        for number in range(len(program.json("versions"))):
            if number > 0:
                window.keys("Next")
            window.wait_for_setting("version", version, number)
            time.sleep(0.7)
            pictures[f"V{number}"] = save(window, seen)
        time.sleep(10)  # until the messages are gone
        screenshot(window, os.path.join(out, "window.png"), size)
    finally:
        window.quit()
    return pictures, seen


def blocks(program, display, out):
    pictures = {}
    for x, y in BLOCKS:
        path = os.path.join(out, "block.png")
        result = json.loads(subprocess.run([program.path, "run", "8", "--device", "cuda", "--block", f"{x}x{y}", "--output", path, "--json"],
                                           capture_output=True, text=True, check=True, env=program.environment).stdout)
        print(f"V8 blur, block {x} x {y}: {1000 * result['times_ms']['blur']['median']:.1f} us, "
              f"occupancy {result['occupancy']['percent']:.0f} %, {result['check']}")
        with open(path, "rb") as file:
            pictures[(x, y)] = file.read()
    return pictures


def one_picture(program, display, *options):
    window = window_driver.Window(program, display, "5", "--device", "cuda", *options, picture=False)
    try:
        return save(window, [])
    finally:
        window.quit()


def main():
    program = Program(sys.argv[1])
    out = sys.argv[2]
    display = ExistingDisplay()
    try:
        if "--other-gl" in sys.argv:
            window = window_driver.Window(program, display, "5", "--device", "cuda", settings={"window": {"width": 1280, "height": 720}},
                                        picture=False)
            time.sleep(3)
            screenshot(window, os.path.join(out, "other-gl.png"), (1280, 720))
            window.quit()
            print("OpenGL elsewhere: the window went on through host memory")
            return
        pictures, seen = tour(program, display, out, (1920, 1080))
        check(len(set(pictures.values())) == 1, f"the versions show {len(set(pictures.values()))} different pictures")
        print(f"window: {len(pictures)} versions, {len(seen)} times saved, the same picture each time")
        by_block = blocks(program, display, out)
        check(len(set(by_block.values())) == 1, "blocks show different pictures")
        shared = one_picture(program, display)
        host = one_picture(program, display, "--no-interop")
        check(shared == host == pictures["V0"], "the shared buffer and host memory show different pictures")
        print("shared buffer and host memory: the same picture")
    finally:
        program.close()


if __name__ == "__main__":
    main()
