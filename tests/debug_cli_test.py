"""warpscope debug as its users meet it: the sessions of docs/debugger.md, versions of labs, bad input."""

import os
import re
import shutil
import subprocess
import sys

from program import check, main

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROMPT = "(warpscope) "


def session(program, *arguments, commands, expect=0):
    done = subprocess.run([program.path, "debug", *map(str, arguments)], input="".join(line + "\n" for line in commands), text=True,
                          capture_output=True, timeout=300, env=program.environment, cwd=program.folder)
    check(done.returncode == expect, f"debug {arguments}: exit code {done.returncode} instead of {expect}\n{done.stdout}{done.stderr}")
    return done.stdout


def sessions_of_the_page():
    """Of each block of docs/debugger.md that begins with a command line: its words, the commands, and the text."""
    with open(os.path.join(ROOT, "docs", "debugger.md"), encoding="utf-8") as page:
        text = page.read()
    for block in re.findall(r"^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if not block.startswith("$ warpscope debug "):
            continue
        line, rest = block.split("\n", 1)
        words = re.findall(r"'[^']*'|\S+", line)[3:]
        commands = [line[len(PROMPT):] for line in rest.splitlines() if line.startswith(PROMPT)]
        yield [word.strip("'") for word in words], commands, rest


def the_page_shows_what_is_printed(program):
    for name in os.listdir(os.path.join(ROOT, "docs", "debugger")):
        shutil.copy(os.path.join(ROOT, "docs", "debugger", name), program.folder)
    count = 0
    for words, commands, text in sessions_of_the_page():
        count += 1
        printed = session(program, *words, commands=commands)
        check(printed.strip() == text.strip(), f"docs/debugger.md, {words}: it prints\n{printed}\nand the page has\n{text}")
    check(count >= 2, f"{count} sessions in docs/debugger.md")


def commands_of_the_command_line_go_first(program):
    text = session(program, "block_sum.cu", "--kernel", "block_sum", "--block", 128, "--arg", "f32[128]=iota", "--arg", "f32[1]=poison",
                   "--commands", "set checks off; break 14; run", commands=["print part[0]"])
    check(f"{PROMPT}break 14" in text and text.index("Breakpoint 1,") < text.index("part[0] = 4560"), text)
    # What belongs to the window is refused where there is none.
    program.fails("debug", 5, "--theme", "dark", says="--window", code=2)
    program.fails("debug", 5, "--pixels", "1280x720", says="--output", code=2)
    program.fails("picture", 5, "--commands", "run", "--output", "x.png", says="--tab debugger", code=2)


def with_its_barrier_the_sum_is_right_in_every_order(program):
    """What the page says of the file that it shows."""
    with open(os.path.join(ROOT, "docs", "debugger", "block_sum.cu"), encoding="utf-8") as file:
        lines = file.read().split("\n")
    check(lines[10].strip() == "}", f"line 11 is '{lines[10]}'")
    lines.insert(11, "        __syncthreads();")
    with open(os.path.join(program.folder, "right.cu"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    commands = ["break 15"]
    for schedule in ("in-order", "reverse", "round-robin", "random 3", "random 4"):
        commands += [f"set schedule {schedule}", "run", "print part[0]"]
    text = session(program, "right.cu", "--kernel", "block_sum", "--block", 128, "--arg", "f32[128]=iota", "--arg", "f32[1]=poison",
                   commands=commands)
    check(text.count("part[0] = 8128") == 5 and "Check:" not in text, text)


def versions_of_labs_run(program):
    text = session(program, 0, "--image", "test", commands=["start", "next", "print threadIdx.x", "info args", "quit"])
    check("blur_g1.cu" in text and "threadIdx.x = 0" in text and "[" not in text.split("start")[0].replace("(warpscope) ", ""), text)
    text = session(program, "transpose", 3, "--size", "100x60", commands=["break 1", "set checks off", "run", "info warps", "delete", "continue", "quit"])
    check("[The block has ended" in text and "Breakpoint 1" in text, text)
    # It adds to what a step before has cleared.
    text = session(program, "reduction", 8, "--size", "40x40", commands=["run", "info warps", "reverse-step", "quit"])
    check("[The block has ended" in text, text)
    text = session(program, 0, "--image", "test", "--optimised", commands=["start", "info registers", "info locals"], expect=1)
    check("%r1" in text and "the code is optimised" in text, text)


def an_end_of_input_ends_it(program):
    text = session(program, 0, "--image", "test", commands=[])
    check(text.endswith(PROMPT + "\n"), text)
    session(program, 0, "--image", "test", commands=["nonsense"], expect=1)


def bad_command_lines(program):
    program.fails("debug", says="WHAT", code=2)
    program.fails("debug", "nothing.cu", "--kernel", "k", says="nothing.cu", code=1)
    program.fails("debug", "nowhere", says="is no .cu file and no version", code=2)
    program.fails("debug", "nowhere", 3, says="nowhere", code=2)
    program.fails("debug", "transpose", "x", says="is no .cu file and no version", code=2)
    program.fails("debug", "transpose", 99, says="99", code=2)
    program.fails("debug", "transpose", 3, "--lab", "filters", says="named twice", code=2)
    program.fails("debug", 0, "--json", says="--json", code=2)
    program.fails("debug", 0, "--grid", "3", says="belong to a .cu file", code=2)


if __name__ == "__main__":
    sys.exit(main([the_page_shows_what_is_printed, commands_of_the_command_line_go_first, with_its_barrier_the_sum_is_right_in_every_order, versions_of_labs_run, an_end_of_input_ends_it, bad_command_lines]))
