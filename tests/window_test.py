"""The window driven as by a hand: a virtual display, keys and mouse, and then files, settings and pixels are looked at.

Needs Xvfb, xdotool and xwd; without them the test skips by name.
"""

import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import pixels
from program import Program, check, run_tests, write
from window_driver import SCREEN, SIZE, Display, wait_for, with_window

# The sliders of the block, the fields beside them, and the second of its buttons.
SLIDER_LEFT, SLIDER_RIGHT, SLIDER_X, SLIDER_Y, FIELD = 61, 322, 545, 584, 395
SECOND_PRESET = 143, 621
# The pictures, the headline, and messages over the picture.
PICTURE, HEADLINE, MESSAGES = (60, 200, 500, 250), (650, 100, 400, 90), (24, 140, 560, 60)


def version(settings):
    return settings["pipeline"]["version"]


def blur_block(settings):
    return settings.get("pipeline", {}).get("blocks", {}).get("blur", [0, 0])


@with_window
def keys_switch_versions(start):
    window = start()
    for key, number in (("7", 7), ("minus", 10), ("equal", 11), ("0", 0), ("Down", 1), ("Next", 2), ("Up", 1)):
        window.keys(key)
        window.wait_for_setting("version", version, number)
    window.wait_for_setting("V1's block", blur_block, [32, 2])
    window.quit()


@with_window
def a_window_that_was_larger_fits_the_screen(start):
    window = start(settings={"window": {"width": 1920, "height": 1080, "compare": "single"}})
    told = window.do("getwindowgeometry", "--shell", window.id)
    geometry = dict(line.split("=") for line in told.split())
    kept = tuple(int(geometry[name]) for name in ("X", "Y", "WIDTH", "HEIGHT"))
    check(kept == (0, 0, *SCREEN), f"on a screen of {SCREEN} the window lies at {kept}")
    window.quit()


@with_window
def keys_switch_the_picture(start):
    window = start("0")
    seen = {}
    for key, view in (("g", "gray"), ("b", "blur"), ("e", "edge"), ("r", "original")):
        window.keys(key)
        window.wait_for_setting("view", lambda s: s["pipeline"]["show"], view)
        time.sleep(0.3)
        seen[view] = window.area(*PICTURE)
    check(len(set(seen.values())) == 4, "four views, but not four different pictures")
    window.keys("e", "b")
    window.wait_for_setting("view", lambda s: s["pipeline"]["show"], "edge of gray")
    time.sleep(0.3)
    check(window.area(*PICTURE) != seen["edge"], "edges without blur look like edges after blur")
    window.quit()


@with_window
def escape_never_quits_and_q_asks(start):
    window = start()
    window.keys("Escape", "Escape")
    time.sleep(0.4)
    window.alive()
    window.keys("q")
    time.sleep(0.4)
    window.alive()
    window.keys("Escape")
    time.sleep(0.4)
    window.alive()
    window.keys("q")
    window.quit("Return")


@with_window
def every_page_has_its_key(start):
    window = start("5")
    for number, name in enumerate(("story", "source", "warp", "occupancy", "memory", "gpu", "debugger"), 1):
        window.keys(f"ctrl+{number}")
        window.wait_for_setting("page", lambda s: s["window"]["tab"], name)
    window.keys("Tab")
    window.wait_for_setting("page", lambda s: s["window"]["tab"], "story")
    window.keys("shift+Tab")
    window.wait_for_setting("page", lambda s: s["window"]["tab"], "debugger")
    window.do("mousemove", 693, 73)
    time.sleep(0.2)
    window.do("click", 1)
    window.wait_for_setting("page", lambda s: s["window"]["tab"], "story")
    window.keys("End")
    window.wait_for_setting("version", version, 17)
    window.keys("Left", "Left")
    window.wait_for_setting("version", version, 15)
    window.keys("Home", "Right")
    window.wait_for_setting("version", version, 1)
    window.quit()


@with_window
def a_baseline_is_pinned_and_comes_back(start):
    window = start("3")
    before = window.area(1000, 8, 180, 34)
    window.keys("p")
    window.wait_for_setting("baseline", lambda s: s["window"]["baseline"], 0)
    window.keys("5")
    window.wait_for_setting("version", version, 5)
    check([pin["name"] for pin in window.settings()["window"]["pins"]] == ["V3"], window.settings())
    time.sleep(0.3)
    check(window.area(1000, 8, 180, 34) != before, "the top bar names the baseline")
    # The bar of V0, right: another one.
    window.do("mousemove", 724, 400)
    time.sleep(0.2)
    window.do("click", 3)
    wait_for(lambda: [pin["name"] for pin in window.settings()["window"]["pins"]] == ["V0", "V3"], "V0 is pinned")
    window.quit()
    again = start("5", settings=window.settings())
    again.keys("t")
    again.wait_for_setting("theme", lambda s: s["window"]["theme"], "dark")
    again.quit()
    check([pin["name"] for pin in again.settings()["window"]["pins"]] == ["V0", "V3"], again.settings())


@with_window
def the_line_of_the_wipe_is_dragged(start):
    window = start("5", settings={"window": {"width": SIZE[0], "height": SIZE[1], "compare": "wipe", "wipe": 0.5}})
    time.sleep(0.5)
    left = window.area(60, 200, 60, 200)
    window.drag(324, 60, 300)
    wait_for(lambda: window.settings()["window"]["wipe"] < 0.2, "the line follows the pointer")
    time.sleep(0.3)
    check(window.area(100, 200, 20, 200) != left[:len(left) // 3], "the result shows where the original was")
    window.keys("w")
    window.wait_for_setting("way", lambda s: s["window"]["compare"], "beside")
    window.keys("w")
    window.wait_for_setting("way", lambda s: s["window"]["compare"], "single")
    window.keys("d")
    window.wait_for_setting("way", lambda s: s["window"]["compare"], "difference")
    window.quit()


@with_window
def slides_go_on_by_a_presenters_keys(start):
    window = start("3")
    page = window.area(0, 0, 1280, 60)
    window.keys("F5")
    wait_for(lambda: window.area(0, 0, 1280, 60) != page, "a slide is shown")
    window.keys("Next", "Next", "Prior")
    window.wait_for_setting("version", version, 4)
    bright = window.brightness(0, 0, 1280, 720)
    window.keys("b")
    wait_for(lambda: window.brightness(0, 0, 1280, 720) < 1 < bright, "a black screen")
    window.keys("b")
    wait_for(lambda: window.brightness(0, 0, 1280, 720) > 1, "the slide is back")
    # Frozen it stays as it is, whatever goes on behind it.
    title = window.area(0, 0, 1280, 130)
    window.keys("period", "Next")
    window.wait_for_setting("version", version, 5)
    time.sleep(0.5)
    check(window.area(0, 0, 1280, 130) == title, "a frozen slide has changed")
    window.keys("period")
    wait_for(lambda: window.area(0, 0, 1280, 130) != title, "the slide goes on")
    window.keys("Escape")
    wait_for(lambda: window.brightness(0, 0, 1280, 60) > 100, "the window is back")
    window.alive()
    window.quit()


@with_window
def a_is_chosen_and_a_baseline_gets_a_name(start):
    window = start("5", "--device", "cpu")
    window.keys("w")  # wipe
    window.wait_for_setting("way", lambda s: s["window"]["compare"], "wipe")
    time.sleep(0.5)
    left = window.area(60, 250, 80, 150)
    window.keys("A")
    window.wait_for_setting("A", lambda s: s["window"]["a"], {"kind": "view", "view": "gray", "version": 0})
    wait_for(lambda: window.area(60, 250, 80, 150) != left, "gray stands at the left")
    window.keys("A", "A", "A", "A")
    window.wait_for_setting("A", lambda s: s["window"]["a"]["kind"], "baseline")
    window.keys("A")
    window.wait_for_setting("A", lambda s: s["window"]["a"]["kind"], "usual")
    window.keys("p")
    window.wait_for_setting("baseline", lambda s: s["window"]["baseline"], 0)
    window.do("mousemove", 1090, 24)
    time.sleep(0.2)
    window.do("click", 1)
    time.sleep(0.3)
    before = window.area(0, 60, 1280, 300)
    check(before, "a list")
    window.do("mousemove", 1090, 114)  # the field below the baselines
    time.sleep(0.2)
    window.do("click", 1)
    time.sleep(0.2)
    window.keys("m", "y", "7", "Return")
    window.wait_for_setting("name", lambda s: s["window"]["pins"][0]["given"], "my7")
    check(version(window.settings()) == 5, "what is typed is no command")
    window.keys("Escape")
    window.quit()


@with_window
def a_detail_is_saved_as_it_is_shown(start):
    window = start("5", settings={"window": {"width": SIZE[0], "height": SIZE[1], "compare": "single",
                                             "camera": {"framing": "free", "zoom": 3.0, "center_x": 150, "center_y": 100}}})
    window.keys("S")
    wait_for(lambda: os.path.isdir(window.shots) and len([n for n in os.listdir(window.shots) if n.endswith(".json")]) == 1,
             "the detail is saved")
    names = sorted(os.listdir(window.shots))
    check(len(names) == 2 and names[1].endswith("_detail.png"), names)
    width, height, rows = pixels.read_png(os.path.join(window.shots, names[1]))
    shown = window.area(24, 250, 300, 60)
    saved = b"".join(bytes((p[2], p[1], p[0])) for row in rows[250 - 99:310 - 99] for p in row[8:308])
    same = sum(saved[3 * i:3 * i + 3] == shown[4 * i:4 * i + 3] for i in range(300 * 60))
    check(same > 0.98 * 300 * 60, f"{same} of {300 * 60} pixels are those on the screen")
    check(width >= 600 and height > 370, f"{width} x {height}: the picture's place and a caption")
    window.quit()
    again = start("--restore", os.path.join(window.shots, names[0]), picture=False)
    again.keys("t")
    again.wait_for_setting("theme", lambda s: s["window"]["theme"], "dark")
    check(again.settings()["window"]["camera"]["zoom"] == 3.0, again.settings())
    again.quit()


@with_window
def dragging_the_slider_changes_the_block(start):
    window = start("0")
    window.drag(SLIDER_LEFT + 70, SLIDER_RIGHT - 20, SLIDER_X)
    wait_for(lambda: blur_block(window.settings())[0] > 100, "the block grows wide")
    x, y = blur_block(window.settings())
    check(x * y <= 1024, f"{x} x {y} are too many threads")
    window.drag(SLIDER_LEFT + 70, SLIDER_RIGHT, SLIDER_Y)
    time.sleep(0.5)
    check(blur_block(window.settings()) == [x, 1024 // x], f"{blur_block(window.settings())}: one side must not change the other")
    window.quit()


@with_window
def typing_a_block(start):
    window = start("0")
    window.do("mousemove", FIELD, SLIDER_X)
    window.do("click", "--repeat", 2, "--delay", 60, 1)
    time.sleep(0.2)
    window.keys("ctrl+a", "3", "7", "Return")
    window.wait_for_setting("block", blur_block, [37, 8])
    check(version(window.settings()) == 0, "digits typed into a field must not switch versions")
    window.do("click", "--repeat", 2, "--delay", 60, 1)
    time.sleep(0.2)
    window.keys("ctrl+a", "1", "2", "9", "Return")
    time.sleep(0.8)
    check(blur_block(window.settings()) == [37, 8], "129 x 8 threads are too many: refused, nothing changed")
    window.quit()


@with_window
def saving_before_and_after(start):
    window = start("5")
    window.keys("s")
    wait_for(lambda: os.path.isdir(window.shots) and len([n for n in os.listdir(window.shots) if n.endswith(".json")]) == 1,
             "three pictures are saved")
    names = sorted(os.listdir(window.shots))
    check(all("_V5_32x4" in name for name in names), names)
    state = next(name for name in names if name.endswith(".json"))
    names.remove(state)
    check([name.split("_")[-1] for name in names] == ["both.png", "edges-after-blur.png", "original.png", "view.png"], names)
    window.keys("F12")
    wait_for(lambda: len(os.listdir(window.shots)) == 10, "F12 saves too, and overwrites nothing")
    both, edges, original, view = (pixels.read_png(os.path.join(window.shots, name)) for name in names)
    check(view[:2] == SIZE, f"the view is {view[:2]}")
    for _ in range(4):
        window.keys("Escape")  # messages
    # What was opened, what the pipeline is defined to make of it, and both beside each other.
    opened = window.opened()
    defined = pixels.VIEWS["edge"](opened)
    same_pixels("the saved original", opened, original)
    same_pixels("the saved edges", defined, edges)
    same_pixels("the left half", opened, cut(both, 0, opened))
    same_pixels("the right half", defined, cut(both, opened[0] + 4, opened))
    # And the same stands on the screen, one to one.
    window.keys("z")
    wait_for(lambda: on_screen(window, edges), "the saved edges are the pixels on the screen")
    window.keys("r")
    wait_for(lambda: on_screen(window, original), "the saved original is on the screen")
    window.quit()
    # The state beside the pictures brings all of it back.
    again = start("--restore", os.path.join(window.shots, state), picture=False)
    again.keys("t")
    again.wait_for_setting("theme", lambda s: s["window"]["theme"], "dark")
    check(version(again.settings()) == 5 and again.settings()["picture"] == window.image, again.settings())
    again.quit()


def same_pixels(what, expected, actual):
    wrong = pixels.first_difference(expected, actual)
    check(not wrong, f"{what}: {wrong}")


def cut(picture, left, like):
    """The part of a picture that is as large as another, from column `left` on."""
    return like[0], like[1], [row[left:left + like[0]] for row in picture[2][:like[1]]]


def on_screen(window, picture):
    """Whether every pixel of a picture stands on the screen, below the labels that lie over its first rows."""
    width, height, rows = picture
    stride, screen = window.display.screen()
    labels = height // 3
    lines = [bytes(value for p in row for value in ((p[2], p[1], p[0]) if len(p) >= 3 else p[:1] * 3)) for row in rows]
    shown = [bytes(value for i, value in enumerate(screen[4 * stride * y:4 * stride * (y + 1)]) if i % 4 != 3) for y in range(SIZE[1])]
    for top in range(SIZE[1] - height):
        at = shown[top + labels].find(lines[labels])
        if at >= 0 and at % 3 == 0 and all(shown[top + y][at:at + 3 * width] == lines[y] for y in range(labels, height)):
            return True
    return False


@with_window
def saving_where_one_may_not(start):
    window = start()
    with open(window.shots, "w", encoding="utf-8") as file:
        file.write("a file, not a folder")
    before = window.area(*MESSAGES)
    window.keys("s")
    wait_for(lambda: window.area(*MESSAGES) != before, "a message appears")
    time.sleep(1)
    window.alive()
    window.quit()


def open_by_path(window, path):
    window.keys("o")
    window.do("type", "--delay", 15, path)
    window.keys("Return")
    time.sleep(0.6)


@with_window
def opening_a_good_and_a_bad_file(start):
    window = start()
    first = window.area(40, 430, 200, 40)  # below the messages, beside the dialog
    other = os.path.join(window.folder, "other.pgm")
    with open(other, "wb") as file:
        file.write(pixels.pgm(300, 200, across=29))
    open_by_path(window, other)
    wait_for(lambda: window.area(40, 430, 200, 40) != first, "the other picture is shown")
    time.sleep(0.5)
    second = window.area(40, 430, 200, 40)
    for name, data in (("bad.png", b"no picture at all" * 20), ("cut.pgm", pixels.pgm(300, 200)[:9000]), ("empty.jpg", b"")):
        bad = os.path.join(window.folder, name)
        with open(bad, "wb") as file:
            file.write(data)
        open_by_path(window, bad)
        window.alive()
    check(window.area(40, 430, 200, 40) == second, "after bad files the last good picture stays")
    window.keys("Escape", "Escape", "Escape")
    window.keys("o", "Escape")
    window.alive()
    window.quit()
    check(version(window.settings()) == 0, "the digits of typed paths must not switch versions")


@with_window
def dropping_a_file(start):
    window = start()
    first = window.area(40, 430, 200, 40)
    other = os.path.join(window.folder, "drop ped.pgm")
    with open(other, "wb") as file:
        file.write(pixels.pgm(300, 200, across=29))
    # The system's Python has the X library's package.
    python = "/usr/bin/python3"
    if subprocess.run([python, "-c", "import Xlib"], capture_output=True, check=False).returncode != 0:
        print("skipped dropping_a_file: it needs python3-xlib")
        return
    drop = [python, os.path.join(os.path.dirname(os.path.abspath(__file__)), "drop_file.py")]
    subprocess.run([*drop, window.id, other], env=window.environment, check=True, timeout=20)
    wait_for(lambda: window.area(40, 430, 200, 40) != first, "the dropped picture is shown")
    window.quit()


@with_window
def a_bad_picture_at_start(start):
    window = start("3", "--image", "/nowhere/missing.jpg", picture=False)
    window.alive()
    window.quit()


@with_window
def full_screen_and_font_size(start):
    window = start()
    window.keys("F11")
    window.wait_for_setting("full screen", lambda s: s["window"]["full_screen"], True)
    wait_for(lambda: window.brightness(1330, 0, 60, 60) > 1 or window.brightness(1330, 800, 60, 60) > 1, "the whole screen is used")
    window.keys("F11")
    window.wait_for_setting("full screen", lambda s: s["window"]["full_screen"], False)
    window.keys("ctrl+plus", "ctrl+plus")
    window.wait_for_setting("font", lambda s: round(s["window"]["font_scale"], 2), 1.2)
    window.keys("ctrl+minus")
    window.wait_for_setting("font", lambda s: round(s["window"]["font_scale"], 2), 1.1)
    for _ in range(30):
        window.do("key", "ctrl+plus")
    window.wait_for_setting("font", lambda s: round(s["window"]["font_scale"], 2), 1.6)
    window.keys("ctrl+0")
    window.wait_for_setting("font", lambda s: round(s["window"]["font_scale"], 2), 1)
    window.quit()


@with_window
def key_sheet_opens_and_closes(start):
    window = start()
    time.sleep(0.5)
    before = window.area(400, 200, 400, 250)
    for opener in ("question", "F1"):
        window.keys(opener)
        wait_for(lambda: window.area(400, 200, 400, 250) != before, "the key sheet is shown")
        window.keys("Escape")
        time.sleep(0.3)
        window.alive()
    window.quit()


@with_window
def settings_are_kept(start):
    window = start("8", "--block", "16x16", "--gpu", "GTX 280")
    window.keys("ctrl+plus", "g")
    window.wait_for_setting("view", lambda s: s["pipeline"]["show"], "gray")
    window.quit()
    kept = window.settings()
    again = start(settings=kept)
    again.keys("b")
    again.wait_for_setting("view", lambda s: s["pipeline"]["show"], "blur")
    again.quit()
    after = again.settings()
    check(version(after) == 8 and blur_block(after) == [16, 16], after)
    check(after["pipeline"]["target_gpu"] == "GTX 280", after)
    check(round(after["window"]["font_scale"], 2) == 1.1, after)


@with_window
def a_lost_context_is_made_anew(start):
    window = start("2", fault="gl-lost")
    places = itertools.cycle((400, 420))

    def lost():  # after some frames, and at rest there are none
        window.do("mousemove", next(places), 400)
        return "OpenGL context" in window.output()
    wait_for(lost, "the context is lost")
    window.alive()
    wait_for(window.find, "the window is there again")
    window.do("windowmove", window.id, 0, 0)
    window.do("windowfocus", "--sync", window.id)
    wait_for(lambda: window.brightness(0, 100, 500, 500) > 2, "the picture is there again")
    window.keys("4")
    window.wait_for_setting("version", version, 4)
    window.quit()


@with_window
def a_failed_launch_and_a_lost_device_are_reported(start):
    for fault in ("launch", "cuda-lost"):
        window = start("2", fault=fault)
        window.keys("g")
        time.sleep(1)
        window.alive()
        window.keys("e")
        window.wait_for_setting("view", lambda s: s["pipeline"]["show"], "edge")
        check(window.brightness(*PICTURE) > 2, "the picture stays")
        window.quit()


@with_window
def kernels_are_followed(start):
    window = start("1")
    window.quit()
    folder = os.path.join(window.folder, "kernels")
    subprocess.run([window.process.args[0], "kernels", folder], check=True, capture_output=True)
    window = start("1", "--kernels", folder)
    with open(os.path.join(folder, "blur_g1.cu"), "a", encoding="utf-8") as file:
        file.write("int broken = ;\n")
    time.sleep(1.5)
    window.alive()
    check(window.brightness(*PICTURE) > 2, "the last good kernel stays active")
    window.quit()


@with_window
def host_path_is_drawn_too(start):
    window = start("3", "--no-interop")
    check(window.brightness(*PICTURE) > 2, "a picture through host memory")
    window.quit()


@with_window
def the_simulated_gpu_follows_the_block(start):
    window = start("0", "--device", "simt")
    time.sleep(1)
    before = window.area(*HEADLINE)
    window.do("mousemove", *SECOND_PRESET)  # 32 x 2
    time.sleep(0.2)
    window.do("click", 1)
    wait_for(lambda: blur_block(window.settings()) == [32, 2], "the block changes")
    wait_for(lambda: window.area(*HEADLINE) != before, "the headline follows")
    window.quit()


@with_window
def at_rest_it_draws_nothing(start):
    window = start("7", "--device", "cpu")

    def rests():
        before = window.processor_seconds()
        time.sleep(0.5)
        return window.processor_seconds() - before < 0.05
    wait_for(rests, "the window comes to rest")
    before = window.processor_seconds()
    time.sleep(3)
    check(window.processor_seconds() - before < 0.15, "a window at rest takes no processor time")
    window.keys("8")  # and awakes at once
    window.wait_for_setting("version", version, 8)
    window.quit()


LECTURE = """title: Two steps
language: en
step: First
sentence: A sentence.
note: Say hello.
version: 0
step: Second
sentence: Another one.
note: Ask why.
version: 5
end
"""


def notes_window(window):
    """The id of the lecturer's view; None if there is none."""
    return window.display.window("Lecturer's view")


def settled(window, *area):
    """What the window shows there once it stays: text is a little blurred until its fonts are made."""
    seen = [None]

    def stays():
        now, before = window.area(*area), seen[0]
        seen[0] = now
        time.sleep(0.5)
        return now == before == window.area(*area)
    wait_for(stays, "it stays as it is")
    return seen[0]


@with_window
def the_lecturers_view_is_a_window_of_its_own(start):
    with tempfile.NamedTemporaryFile("w", suffix=".lecture", encoding="utf-8") as file:
        file.write(LECTURE)
        file.flush()
        window = start("--play", file.name, "--device", "cpu", "--presenter", shots=False)
    wait_for(lambda: notes_window(window), "the view opens with --presenter")
    notes = notes_window(window)
    window.do("windowmove", notes, 300, 200)
    window.do("windowraise", notes)
    inside = (340, 240, 800, 500)
    wait_for(lambda: window.brightness(*inside) > 2, "it is drawn")
    before = window.area(*inside)
    band = (24, 660, 250, 50)  # the step's title in the class's window
    title = settled(window, *band)
    # A remote's key, whichever window has the keys.
    window.do("windowfocus", "--sync", notes)
    window.keys("Next")
    wait_for(lambda: window.area(*inside) != before, "the next step's note")
    wait_for(lambda: window.area(*band) != title, "the class sees the next step")
    window.do("windowfocus", "--sync", window.id)
    window.keys("Prior")
    wait_for(lambda: window.area(*band) == title, "the class sees the first step again")
    # The clock goes on while the class's window rests.
    second = window.area(*inside)
    wait_for(lambda: window.area(*inside) != second, "the time goes on", 5)
    window.keys("P")
    wait_for(lambda: not notes_window(window), "P closes it")
    window.alive()
    window.keys("P")
    wait_for(lambda: notes_window(window), "and opens it again")
    window.do("windowfocus", "--sync", window.id)
    window.quit()


@with_window
def the_lecturers_view_never_opens_by_itself(start):
    with tempfile.NamedTemporaryFile("w", suffix=".lecture", encoding="utf-8") as file:
        file.write(LECTURE)
        file.flush()
        window = start("--play", file.name, "--device", "cpu", shots=False)
    window.keys("Next", "Prior")
    check(not notes_window(window), "nobody has asked for it")
    window.quit()


def a_key_counts_that_comes_as_a_wait_ends(context):
    program, display = context
    path = os.path.join(os.path.dirname(program.path), "wait_for_key")
    with subprocess.Popen([path], env=dict(program.environment, DISPLAY=display.name), stdout=subprocess.PIPE, text=True) as waiting:
        try:
            wait_for(lambda: display.window("Waits for a key"), "the window appears")
            display.do("windowfocus", "--sync", display.window("Waits for a key"), "key", "8")
            told, _ = waiting.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            told = ""
        finally:
            waiting.kill()
    check(told == "taken\n", f"a key that comes as a wait ends is {told or 'never seen'}")


def no_display_is_reported(context):
    program, _ = context
    environment = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}
    program.fails("3", says="warpscope picture --output", code=1, environment=environment)
    out = os.path.join(program.folder, "picture.png")
    small = write(program, "small.pgm", pixels.pgm(300, 200, across=5))
    program.run("picture", "3", "--image", small, "--output", out, "--size", "800x600", environment=environment)
    check(os.path.getsize(out) > 10000, "an off-screen picture without a display")


TESTS = [a_window_that_was_larger_fits_the_screen, keys_switch_versions, keys_switch_the_picture, escape_never_quits_and_q_asks, every_page_has_its_key,
         a_baseline_is_pinned_and_comes_back, the_line_of_the_wipe_is_dragged, slides_go_on_by_a_presenters_keys, dragging_the_slider_changes_the_block, typing_a_block,
         a_is_chosen_and_a_baseline_gets_a_name, a_detail_is_saved_as_it_is_shown, saving_before_and_after, saving_where_one_may_not, opening_a_good_and_a_bad_file, dropping_a_file, a_bad_picture_at_start,
         full_screen_and_font_size, key_sheet_opens_and_closes, settings_are_kept, a_lost_context_is_made_anew,
         a_failed_launch_and_a_lost_device_are_reported, kernels_are_followed, host_path_is_drawn_too,
         the_simulated_gpu_follows_the_block, at_rest_it_draws_nothing,
         the_lecturers_view_is_a_window_of_its_own, the_lecturers_view_never_opens_by_itself, a_key_counts_that_comes_as_a_wait_ends, no_display_is_reported]


def main():
    missing = [tool for tool in ("Xvfb", "xdotool", "xwd") if not shutil.which(tool)]
    if missing:
        print("skipped: window_test needs " + ", ".join(missing))
        return 77
    program = Program(sys.argv[1])
    display = Display()
    wanted = sys.argv[2:]
    try:
        return run_tests([test for test in TESTS if not wanted or test.__name__ in wanted], (program, display))
    finally:
        display.close()
        program.close()


if __name__ == "__main__":
    sys.exit(main())
