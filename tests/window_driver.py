"""A window on a virtual display, driven as by a hand: keys, mouse, and what lies on the screen, in files and settings."""

import json
import os
import signal
import struct
import subprocess
import time

import pixels
from program import check

SCREEN = (1400, 900)
SIZE = (1280, 720)  # of a window, if the settings say nothing else

def wait_for(condition, what, seconds=60):
    end = time.time() + seconds
    while time.time() < end:
        if condition():
            return
        time.sleep(0.05)
    check(False, f"waited {seconds} s in vain: {what}")


class Display:
    def __init__(self):
        read, write = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", f"{SCREEN[0]}x{SCREEN[1]}x24", "-noreset", "+extension", "GLX"],
                                       pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as pipe:
            self.name = ":" + pipe.readline().strip()

    def close(self):
        self.server.terminate()
        self.server.wait()

    def do(self, *command):
        """What a hand does, or looks for, as xdotool has it."""
        return subprocess.run(["xdotool", *map(str, command)], env=dict(os.environ, DISPLAY=self.name), check=True, capture_output=True, text=True).stdout

    def window(self, title):
        """The newest window that is seen with such a title; None if there is none."""
        try:
            return self.do("search", "--onlyvisible", "--name", title).split()[-1]
        except subprocess.CalledProcessError:
            return None

    def screen(self):
        """The screen as (pixels a row, bytes): 4 bytes a pixel, blue first."""
        dump = subprocess.run(["xwd", "-root", "-silent", "-display", self.name], capture_output=True, check=True).stdout
        header = struct.unpack(">25I", dump[:100])
        pixels = dump[header[0] + header[19] * 12:]
        width, height, bits, row_bytes = header[4], header[5], header[11], header[12]
        if bits == 32:
            return row_bytes // 4, pixels
        check(bits == 24, f"a screen of {bits} bits a pixel")
        wide = bytearray(4 * width * height)
        for row in range(height):
            line = pixels[row * row_bytes:row * row_bytes + 3 * width]
            for channel in range(3):
                wide[4 * width * row + channel:4 * width * (row + 1):4] = line[channel::3]
        return width, bytes(wide)


class Window:
    """A running window with folders of its own; closes it at the end, by force if need be."""

    def __init__(self, program, display, *arguments, settings=None, picture=True, shots=True, fault=None):
        self.display = display
        self.folder = os.path.join(program.folder, f"window_{time.time_ns()}")
        self.shots = os.path.join(self.folder, "shots")
        os.makedirs(os.path.join(self.folder, "warpscope"))
        self.settings_path = os.path.join(self.folder, "warpscope", "settings.json")
        start = {"window": {"width": SIZE[0], "height": SIZE[1], "compare": "single"}}
        with open(self.settings_path, "w", encoding="utf-8") as file:
            json.dump(settings or start, file)
        self.image = os.path.join(self.folder, "small.pgm")
        with open(self.image, "wb") as file:
            file.write(pixels.pgm(300, 200, across=5))
        self.environment = dict(program.environment, DISPLAY=display.name, XDG_CONFIG_HOME=self.folder)
        self.log = open(os.path.join(self.folder, "log"), "w+", encoding="utf-8")
        images = ["--image", self.image] if picture else []
        if shots:  # a lecture with them is held off screen
            images += ["--shots", self.shots]
        path = program.path
        if fault:  # the same program, with a device that fails
            path = os.path.join(os.path.dirname(program.path), "warpscope_with_faults")
            self.environment["WARPSCOPE_FAULT"] = fault
        self.process = subprocess.Popen([path, *images, *arguments], env=self.environment,
                                        stdout=self.log, stderr=subprocess.STDOUT, cwd=self.folder)
        self.id = None
        wait_for(self.find, "the window appears")
        self.do("windowmove", self.id, 0, 0)
        self.do("windowfocus", "--sync", self.id)
        wait_for(lambda: self.brightness(0, 100, 500, 500) > 2, "a picture is drawn")

    def opened(self):
        """The picture that the window was started with, as pixels.py has it."""
        with open(self.image, "rb") as file:
            values = file.read()[-300 * 200:]
        return 300, 200, [[(v, v, v, 255) for v in values[300 * y:300 * (y + 1)]] for y in range(200)]

    def find(self):
        check(self.process.poll() is None, "the program ended: " + self.output())
        self.id = self.display.window("Warpscope")
        return self.id is not None

    def output(self):
        self.log.flush()
        with open(self.log.name, encoding="utf-8") as file:
            return file.read()

    def do(self, *command):
        return self.display.do(*command)

    def keys(self, *names):
        for name in names:
            self.do("key", name)
            time.sleep(0.08)

    def drag(self, from_x, to_x, y):
        self.do("mousemove", from_x, y)
        time.sleep(0.15)
        self.do("mousedown", 1)
        time.sleep(0.15)
        for part in range(1, 6):
            self.do("mousemove", from_x + (to_x - from_x) * part // 5, y)
            time.sleep(0.06)
        self.do("mouseup", 1)

    def settings(self):
        with open(self.settings_path, encoding="utf-8") as file:
            return json.load(file)

    def wait_for_setting(self, what, get, value):
        def there():
            try:
                return get(self.settings()) == value
            except (ValueError, KeyError, OSError):
                return False
        wait_for(there, f"{what} becomes {value}")

    def area(self, x, y, width, height):
        stride, pixels = self.display.screen()
        return b"".join(pixels[4 * (row * stride + x):4 * (row * stride + x + width)] for row in range(y, y + height))

    def brightness(self, x, y, width, height):
        data = self.area(x, y, width, height)
        return sum(data[1::4]) / (len(data) / 4)

    def processor_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def alive(self):
        check(self.process.poll() is None, f"the program ended with {self.process.returncode}: {self.output()}")

    def quit(self, key="ctrl+q"):
        self.alive()
        self.keys(key)
        try:
            code = self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGKILL)
            check(False, f"{key} does not quit")
        check(code == 0, f"exit code {code}: {self.output()}")
        self.log.close()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def with_window(test):
    def run(context):
        program, display = context
        windows = []

        def start(*arguments, **options):
            windows.append(Window(program, display, *arguments, **options))
            return windows[-1]
        try:
            test(start)
        finally:
            for window in windows:
                window.kill()
    run.__name__ = test.__name__
    return run
