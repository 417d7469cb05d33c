"""The command line against its surroundings: numbers, names of files, folders and disks that refuse, little memory."""

import os
import random
import resource
import subprocess
import sys

import pixels
from program import check, main, path, write


def numbers_and_empty_texts(program):
    """What is no number is refused, never cut off or taken for 0; so is an empty text, as from an unset shell variable."""
    for text in ("0x5", " 5", "+5", "5.0", "99999999999", "4294967301"):
        program.fails("run", text, says="version", code=2)
    check("V10 " in program.run("occupancy", "010", "--gpu", "H200").stdout, "010 is ten")
    for text in ("99999999999", "4294967304", "8x", "0x8", ""):
        program.fails("run", 4, "--knob", "MIN_BLOCKS=" + text, says="is not a knob", code=2)
    for block in ("99999999999x1", "4294967328x8", "32x8x", "0x20x8"):
        program.fails("run", 0, "--block", block, says="32x8", code=2)
    for text in ("0x3", "4294967297", "", "2.5"):
        program.fails("run", 0, "--repeat", text, says="range", code=2)
        program.fails("run", 0, "--workers", text, says="range", code=2)
        program.fails("simt", "x.cu", "--print", text, says="range", code=2)
    program.fails("simt", "x.cu", "--shared", "-1", says="range", code=2)
    program.fails("picture", "--output", "x.png", "--size", "4294968896x1000", says="1600x1000", code=2)
    program.fails("simt", "x.cu", "--kernel", "f", "--grid", "4294967297", says="is not a shape", code=2)
    for option in ("--image", "--show", "--block", "--device", "--gpu", "--kernels", "--output", "--stage"):
        program.fails("occupancy" if option == "--stage" else "run", 0, option, "", says=f"{option} is empty", code=2)
    for command in ("run", "occupancy", "picture", "simt"):
        program.fails(command, "", *(["--output", "x.png"] if command == "picture" else []), says="is empty", code=2)


def names_with_wildcards(program):
    """What is there by its very name is no pattern."""
    folder = path(program, "photos [2020] *")
    os.makedirs(folder)
    for name in ("a[1].pgm", "b.pgm"):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(pixels.pgm(20, 10))
    run = ["run", 0, "--device", "cpu", "--image"]
    for image, results in ((folder, ["a[1].png", "b.png"]), (folder + "/*.pgm", ["a[1].png", "b.png"]), (folder + "/b.*", ["b.png"]),
                           (folder + "/[ab]*", ["a[1].png", "b.png"])):
        out = path(program, "wild")
        program.run(*run, image, "--output", out)
        check(sorted(os.listdir(out)) == results, (image, os.listdir(out)))
        for name in results:
            os.remove(os.path.join(out, name))
    program.run(*run, os.path.join(folder, "a[1].pgm"), "--repeat", 1, "--output", path(program, "one.png"))
    program.fails(*run, os.path.join(folder, "[xyz].pgm"), "--output", path(program, "wild"), says="no file matches", code=1)


def results_take_no_place(program):
    """No result replaces a source, or another result."""
    folder = path(program, "same")
    for sub in ("one", "two"):
        os.makedirs(os.path.join(folder, sub))
        with open(os.path.join(folder, sub, "a.pgm"), "wb") as file:
            file.write(pixels.pgm(20, 10))
    out = path(program, "results")
    run = ["run", 0, "--device", "cpu", "--repeat", 1]
    program.fails(*run, "--image", folder + "/*/a.pgm", "--output", out, says="the same result", code=1)
    one = os.path.join(folder, "one", "a.pgm")
    before = open(one, "rb").read()
    program.fails(*run, "--image", one, "--output", one, says="overwrite its source", code=1)
    os.symlink(one, path(program, "link.png"))
    program.fails(*run, "--image", one, "--output", path(program, "link.png"), says="overwrite its source", code=1)
    # A result that would replace another picture of the batch.
    pictures = path(program, "pictures")
    os.makedirs(pictures)
    for name in ("a.pgm.pgm", "a.pgm", "a.ppm"):
        with open(os.path.join(pictures, name), "wb") as file:
            file.write(pixels.pgm(20, 10))
    program.fails(*run, "--image", pictures, "--format", "pgm", "--output", pictures, says="overwrite its source", code=1)
    check(open(one, "rb").read() == before, "the source was written to")


def what_is_written_is_what_its_name_says(program):
    image = write(program, "a.pgm", pixels.pgm(20, 20))
    run = ["run", 0, "--device", "cpu", "--image", image, "--repeat", 1, "--output"]
    for ending, begin in ((".png", b"\x89PNG"), (".pgm", b"P5\n20 20\n255\n")):
        out = path(program, "named" + ending)
        program.run(*run, out)
        check(open(out, "rb").read().startswith(begin), ending)
    for name in ("a.jpg", "a", "a.png.bak"):
        program.fails(*run, path(program, name), says="ends in .png or .pgm", code=2)
        check(not os.path.exists(path(program, name)), name)
    program.fails("run", 0, "--show", "original", "--image", image, "--output", path(program, "colours.pgm"), says="no colours", code=2)
    program.fails("picture", 0, "--image", image, "--output", path(program, "window.pgm"), says="ends in .png", code=2)
    # The window opens without its picture; what is only drawn is not drawn without it.
    for broken in (write(program, "broken.jpg", b"junk"), path(program, "none.jpg")):
        out = path(program, "of_broken.png")
        program.fails("picture", 0, "--image", broken, "--output", out, says=os.path.basename(broken), code=1)
        check(not os.path.exists(out), broken)


def unwritable_outputs(program):
    image = write(program, "a.pgm", pixels.pgm(20, 20))
    run = ["run", 0, "--device", "cpu", "--image", image, "--repeat", 1, "--output"]
    file = write(program, "file", b"x")
    program.fails(*run, file + "/out.png", says="folder", code=1)
    program.fails("run", 0, "--device", "cpu", "--image", program.folder + "/*.pgm", "--output", file + "/below", says="not a folder", code=1)
    program.fails("run", 0, "--device", "cpu", "--image", program.folder + "/*.pgm", "--output", file, says="not a folder", code=1)
    # What a full disk does: no file grows beyond 1000 bytes.
    image = write(program, "noise.pgm", b"P5\n200 100\n255\n" + random.Random(1).randbytes(20000))
    full = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))}
    for output in (["--output", path(program, "big.png")], ["--output", path(program, "bigs")]):
        many = output[1].endswith("s")
        done = program.run("run", 0, "--device", "cpu", "--repeat", 1, "--image", image + ("*" if many else ""), *output, expect=1, **full)
        check("File too large" in done.stderr, done)
    check(not os.path.exists(path(program, "big.png")) and not os.listdir(path(program, "bigs")), "half a file was left")
    check(not [name for name in os.listdir(program.folder) if name.endswith(".new")], "a temporary file was left")
    if os.path.exists("/dev/full"):
        program.fails(*run, "/dev/full", says="No space left", code=1)
        program.run(*run, "/dev/null")
        check(not os.path.isfile("/dev/null"), "/dev/null is a device still")
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([program.path, "versions"], stdout=full, stderr=subprocess.PIPE, text=True, env=program.environment,
                                  check=False)
        check(done.returncode == 1 and "cannot write" in done.stderr, f"a full disk behind standard output: {done}")


def little_memory_is_reported(program):
    """Whatever allocation fails, in whatever thread: a message and exit code 1, never a signal."""
    roomy = subprocess.run([program.path, "versions"], capture_output=True, check=False, env=program.environment,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30)))
    if roomy.returncode != 0:
        print("skipped little_memory_is_reported: a sanitizer takes more addresses than any limit leaves")
        return
    folder = path(program, "large")
    os.makedirs(folder)
    for i in range(4):
        with open(os.path.join(folder, f"{i}.pgm"), "wb") as file:
            file.write(b"P5\n2000 2000\n255\n" + bytes(4_000_000))
    for mib in range(60, 260, 20):
        limit = {"preexec_fn": lambda size=mib << 20: resource.setrlimit(resource.RLIMIT_AS, (size, size))}
        done = subprocess.run([program.path, "run", "0", "--device", "cpu", "--workers", "4", "--image", folder, "--output",
                               path(program, "little"), "--format", "pgm"], capture_output=True, text=True, check=False,
                              env=dict(program.environment, WARPSCOPE_NVRTC="/nowhere/libnvrtc.so"), timeout=300, **limit)
        if "cannot allocate memory" in done.stderr.lower() and done.returncode == 127:
            continue  # the loader itself
        check(done.returncode in (0, 1), f"{mib} MiB: {done}")
        check(done.returncode == 0 or "memory" in done.stderr or "thread" in done.stderr, f"{mib} MiB: {done}")


def without_a_home(program):
    """Nothing is kept where another user could have prepared it."""
    environment = {key: value for key, value in program.environment.items() if key not in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
    environment["TMPDIR"] = path(program, "tmp")
    os.makedirs(environment["TMPDIR"])
    done = subprocess.run([program.path, "occupancy", "0", "--gpu", "H200"], env=environment, capture_output=True, text=True, check=False,
                          cwd=environment["TMPDIR"])
    check(done.returncode == 0, done)
    check(not os.listdir(environment["TMPDIR"]), os.listdir(environment["TMPDIR"]))


TESTS = [numbers_and_empty_texts, names_with_wildcards, results_take_no_place, what_is_written_is_what_its_name_says,
         unwritable_outputs,
         little_memory_is_reported, without_a_home]

if __name__ == "__main__":
    sys.exit(main(TESTS))
