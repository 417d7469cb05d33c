"""Posters from the command line: both labs, both languages, both kinds of file, and what cannot be written."""

import os

import pixels
from program import main, check

SMALL = ["--size", "256x192", "--device", "simt"]


def out(program, name):
    return os.path.join(program.folder, name)


def poster(program, *arguments):
    done = program.run("poster", *arguments)
    check("wrote " in done.stdout, done.stdout)
    return done


def a_pdf_of_one_page_with_text(program):
    path = out(program, "transpose.pdf")
    poster(program, "--lab", "transpose", *SMALL, "--output", path)
    with open(path, "rb") as file:
        data = file.read()
    check(data.startswith(b"%PDF-1.") and data.rstrip().endswith(b"%%EOF"), "a whole PDF")
    check(data.count(b"/Type /Page\n") + data.count(b"/Type /Page ") <= 1 and b"DejaVuSans" in data, "one page, its fonts")


def a_picture_in_each_language(program):
    image = out(program, "small.pgm")
    with open(image, "wb") as file:
        file.write(b"P5\n400 300\n255\n" + bytes(x * y % 256 for y in range(300) for x in range(400)))
    seen = []
    for language in ("en", "de"):
        path = out(program, language + ".png")
        poster(program, "--image", image, "--device", "simt", "--language", language, "--output", path)
        width, height, _, filtered = pixels.unpacked_png(path)
        check(width > 3000 and 1.40 < width / height < 1.43, f"{width} x {height} is no A3")
        check(len(set(filtered[::4001])) > 20, "there is something on it")
        seen.append(filtered)
    check(seen[0] != seen[1], "two languages, one poster")


def recorded_times_are_those_of_the_recording(program):
    poster(program, "--lab", "transpose", "--size", "4096x4096", "--replay", "h200", "--output", out(program, "h200.pdf"))


def what_cannot_be_written_is_an_error(program):
    program.fails("poster", "--output", out(program, "poster.txt"), says=".pdf or a .png", code=2)
    program.fails("poster", *SMALL[2:], says="--output", code=2)
    program.fails("poster", "--lab", "nothing", "--output", out(program, "a.pdf"), says="nothing", code=2)
    with open(out(program, "file"), "wb") as file:
        file.write(b"no folder")
    program.fails("poster", "--lab", "transpose", *SMALL, "--output", out(program, "file/a.pdf"), says="file", code=1)
    program.fails("poster", "--replay", "nothing", "--output", out(program, "a.pdf"), says="h200", code=1)


if __name__ == "__main__":
    if os.environ.get("WARPSCOPE_NO_CAIRO"):
        print("skipped: built without Cairo")
        raise SystemExit(77)
    raise SystemExit(main([a_pdf_of_one_page_with_text, a_picture_in_each_language, recorded_times_are_those_of_the_recording,
                           what_cannot_be_written_is_an_error]))
