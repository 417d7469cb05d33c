"""A lecture without hands: a picture of each step, and every mistake before anything is drawn."""

import os

import pixels
from program import check, main, write

LECTURE = """title: Short
language: en
step: Rows
sentence: A sentence.
image: small.pgm
version: 0
tab: warp
step: A guess
sentence: Another one.
version: 1
predict: load-sectors
capture: guess.png
end
"""


def every_step_has_its_picture(program):
    write(program, "small.pgm", b"P5\n96 64\n255\n" + bytes(x * y % 256 for y in range(64) for x in range(96)))
    path = write(program, "short.lecture", LECTURE.encode())
    done = program.run("--play", path, "--shots", "shots", "--size", "960x540", "--device", "simt")
    check("2 of 2" in done.stdout, done.stdout)
    check(sorted(os.listdir(os.path.join(program.folder, "shots"))) == ["01.png", "guess.png"], "their names")
    pictures = [pixels.read_png(os.path.join(program.folder, "shots", name)) for name in ("01.png", "guess.png")]
    for width, height, rows in pictures:
        check((width, height) == (960, 540), f"{width} x {height}")
        check(len({pixel for row in rows[486:] for pixel in row}) > 8, "the band has words")
    check(pictures[0] != pictures[1], "two steps look the same")
    check(not os.path.exists(os.path.join(program.folder, "config", "warpscope", "settings.json")), "nothing is kept")


def a_step_names_the_page_of_a_narrow_window(program):
    write(program, "small.pgm", b"P5\n96 64\n255\n" + bytes(x * y % 256 for y in range(64) for x in range(96)))
    first = LECTURE[:LECTURE.index("step: A guess")].replace("tab: warp", "tab: memory")
    text = first + "step: Rows\nsentence: A sentence.\npage: 2\nstep: Rows\nsentence: A sentence.\nend\n"
    path = write(program, "pages.lecture", text.encode())
    program.run("--play", path, "--shots", "pages", "--size", "1024x768", "--device", "simt")
    pages = [pixels.read_png(os.path.join(program.folder, "pages", name))[2] for name in ("01.png", "02.png", "03.png")]
    # Of the page and its dots; the lecture's band has a dot for each step.
    above = [rows[:600] for rows in pages]
    check(above[0] != above[1], "the second step shows another page")
    check(above[0] == above[2], "the third one the first again")


def a_step_shows_an_experiment(program):
    """Set as the step says, and again as before where a later step says so; then the lab behind it."""
    begin = "title: Law\nlanguage: en\n"
    step = "step: Law\nsentence: A sentence.\n"
    text = (begin + step + "lab: amdahl\nset: parallel=95\n" + step + "set: parallel=50\n" + step + "set: parallel=95\n" +
            step + "page: 2\n" + step + "lab: metrics\nsize: 1M\n" + step + "lab: amdahl\n" + step + "lab: transpose\nsize: 64x64\nend\n")
    path = write(program, "law.lecture", text.encode())
    done = program.run("--play", path, "--shots", "law", "--presenter", "--size", "960x540", "--device", "simt")
    check("7 of 7" in done.stdout, done.stdout)
    check(os.path.exists(os.path.join(program.folder, "law", "07-notes.png")), "the lecturer's view")
    pages = [pixels.read_png(os.path.join(program.folder, "law", f"0{n}.png"))[2][:480] for n in range(1, 8)]
    check(pages[0] == pages[2], "the same values show the same")
    check(pages[0] == pages[5], "as it begins")
    for first, second in ((0, 1), (0, 3), (3, 4), (0, 4), (0, 6), (4, 6)):
        check(pages[first] != pages[second], f"steps {first + 1} and {second + 1} differ")
    path = write(program, "law.lecture", text.replace("=50", "=500").encode())
    program.fails("--play", path, "--shots", "law", says="law.lecture:9: ", code=1)


def a_mistake_is_reported_with_its_line(program):
    path = write(program, "bad.lecture", LECTURE.replace("version: 1", "version: 99").replace("small.pgm", "test").encode())
    program.fails("--play", path, "--shots", "none", says="bad.lecture:10: ", code=1)
    check(not os.path.exists(os.path.join(program.folder, "none")), "no picture is drawn")
    program.fails("--play", "no-such-lecture", says="coalescing", code=1)


def the_lecturers_view_is_drawn_too(program):
    write(program, "small.pgm", b"P5\n96 64\n255\n" + bytes(x * y % 256 for y in range(64) for x in range(96)))
    path = write(program, "short.lecture", LECTURE.encode())
    program.run("--play", path, "--shots", "notes", "--presenter", "--size", "960x540", "--device", "simt")
    names = sorted(os.listdir(os.path.join(program.folder, "notes")))
    check(names == ["01-notes.png", "01.png", "guess-notes.png", "guess.png"], str(names))
    notes = [pixels.read_png(os.path.join(program.folder, "notes", name)) for name in ("01-notes.png", "guess-notes.png")]
    check(notes[0] != notes[1], "each step has its own")
    program.fails("5", "--presenter", says="--play", code=2)


def a_german_lecture_is_held(program):
    """With recorded times, on a machine without a GPU; no two of its pictures are alike."""
    done = program.run("--play", "shared-memory", "--language", "de", "--replay", "h200", "--shots", "german",
                       "--size", "1024x768", "--device", "simt")
    check("6 of 6" in done.stdout, done.stdout)
    names = sorted(os.listdir(os.path.join(program.folder, "german")))
    check(names == ["01.png", "02.png", "04.png", "05.png", "06.png", "shared-memory.png"], str(names))
    pictures = [pixels.read_png(os.path.join(program.folder, "german", name))[2] for name in names]
    for i, picture in enumerate(pictures):
        check(picture not in pictures[:i], f"{names[i]} is one before it")


if __name__ == "__main__":
    raise SystemExit(main([every_step_has_its_picture, a_step_names_the_page_of_a_narrow_window, the_lecturers_view_is_drawn_too, a_german_lecture_is_held, a_step_shows_an_experiment,
                           a_mistake_is_reported_with_its_line]))
