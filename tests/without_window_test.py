"""The program that was built without a window: it computes what the other one does, and says what it cannot show."""

import sys

import pixels
from program import check, main, path, write


def commands_work(program):
    check(len(program.json("versions")) > 5, "the versions of the filters")
    check("built without a window" in program.run("--version").stdout, "it does not say so")
    image = write(program, "a.pgm", pixels.pgm(33, 21))
    check(program.json("run", 5, "--image", image, "--device", "simt", "--repeat", 1)["image"]["width"] == 33, "a version on the simulated GPU")


def a_window_is_refused(program):
    picture = path(program, "a.png")
    for asked in ((), ("picture", 5, "--output", picture), ("poster", "--output", picture), ("debug", 5, "--window")):
        program.fails(*asked, says="built without a window (WITH_OPENGL=OFF)", code=1)
        program.fails(*asked, says="'warpscope run 5'", code=1)


TESTS = [commands_work, a_window_is_refused]

if __name__ == "__main__":
    sys.exit(main(TESTS))
