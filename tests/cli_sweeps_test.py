"""Sweeps and advice on the command line: each runs many versions or points, so at length."""

import json
import os
import subprocess
import sys
import time

import pixels
from program import check, main, path, write


def advise_says_what_to_try(program):
    image = write(program, "a.pgm", pixels.pgm(128, 96))
    advice = program.json("advise", 0, "--image", image, "--gpu", "RTX 3060")
    check(advice["stage"] == "blur" and 0 < advice["share"] <= 1 and advice["line"]["number"] > 0, advice)
    check(1 <= len(advice["evidence"]) <= 3 and advice["evidence"][0]["indicator"] == "limiter", advice)
    check(advice["candidates"], "nothing to try after the first version")
    text = program.run("advise", 0, "--image", image, "--gpu", "RTX 3060").stdout
    for evidence in advice["evidence"]:
        check(evidence["text"] in text, text)
    for candidate in advice["candidates"]:
        check(candidate["try"] in text and candidate["kind"] in ("estimated", "predicted") and candidate["gain"] > 1, text)
    program.fails("advise", 0, "--show", "original", says="needs no run", code=2)


def sweeps(program):
    records, table = path(program, "sweep.jsonl"), path(program, "sweep.csv")
    sweep = ["sweep", "transpose", "6", "--device", "simt", "--size", "64x48", "--axis", "block", "--records", records]
    first = program.json(*sweep, "--csv", table)
    check(first["lab"] == "transpose" and first["axis"] == "block", first)
    points = first["points"]
    check(len(points) > 10 and all(p["ms"] > 0 and p["kind"] == "estimated" for p in points), points)
    with open(records) as file:
        lines = file.read().splitlines()
    check(len(lines) == len(points) + 2, "a line for each point, one for what they share, one for the kernel's text")
    with open(table) as file:
        check(len(file.read().splitlines()) == len(points) + 1, "the table")
    # As if it had been killed in the middle of a line.
    write(program, "sweep.jsonl", ("\n".join(lines[:8]) + "\n" + lines[8][:20]).encode())
    again = program.run(*sweep)
    check("6 points were recorded earlier" in again.stderr and "line 9 is left out" in again.stderr, again.stderr)
    recorded = program.json(*sweep)["points"]
    check([p["at"] for p in recorded] == [p["at"] for p in points], "the same points, all of them recorded")
    check(all(abs(a["ms"] - b["ms"]) < 1e-5 * b["ms"] for a, b in zip(recorded, points)), "with the same times")
    program.fails("sweep", "filters", "--axis", "nonsense", says="choose one of", code=2)
    program.fails("sweep", "transpose", "--versions", "6,99", says="99", code=2)
    program.fails("sweep", "transpose", "--gpus", "GTX 1", says="choose one of", code=2)
    program.fails(*sweep[:-1], program.folder, says="records", code=1)
    write(program, "other.jsonl", b'{"warpscope_records": 2}\n')
    program.fails(*sweep[:-1], path(program, "other.jsonl"), says="schema 2", code=1)
    program.fails("picture", "5", "--replay", "nothing", "--output", path(program, "x.png"), says="h100, h200", code=1)
    program.fails("picture", "5", "--replay", records, "--output", path(program, "x.png"), says="measured", code=1)


def a_sweep_has_the_errors_of_approximations(program):
    table = path(program, "errors.csv")
    sweep = ["lab", "intrinsics", "5", "--device", "simt", "--size", "256x64", "--sweep", "EXPONENT"]
    points = {int(p["at"]): p["errors"] for p in program.json(*sweep, "--csv", table)["points"]}
    check(points[0]["largest_ulps"] <= 4 and points[4]["largest_ulps"] > 5 * points[0]["largest_ulps"], points)
    check(16 <= points[4]["at"] < 32 and points[4]["without_bound"] == 0, points)
    with open(table) as file:
        lines = file.read().splitlines()
    check(lines[0].endswith("gb_s,largest_ulps,mean_ulps,occupancy_percent,kind,check"), lines[0])
    check(all("of the simulated GPU" in line for line in lines[1:]), lines[1])
    alone = program.json("lab", "intrinsics", "5", "--device", "simt", "--size", "256x64", "--knob", "EXPONENT=4")
    check(alone["errors"] == points[4], "as without a sweep")


def a_killed_sweep_resumes(program):
    records = path(program, "killed.jsonl")
    sweep = ["sweep", "transpose", "6", "--device", "simt", "--size", "256x256", "--axis", "block", "--records", records]
    with subprocess.Popen([program.path, *sweep], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=program.environment,
                          cwd=program.folder) as process:
        def lines():
            if not os.path.exists(records):
                return 0
            with open(records, "rb") as file:
                return file.read().count(b"\n")
        end = time.time() + 120
        while lines() < 5 and time.time() < end and process.poll() is None:
            time.sleep(0.005)
        check(process.poll() is None, "it is killed while it runs")
        process.kill()
    earlier = lines() - 2  # what they share, and the kernel's text
    check(earlier >= 3, f"{earlier} points were there")
    again = program.run(*sweep)
    check(f"{earlier} points were recorded earlier" in again.stderr, again.stderr)
    with open(records, encoding="utf-8") as file:
        blocks = [json.loads(line)["kernels"][0][2:4] for line in file if '"ms"' in line]
    check(len(blocks) > earlier, "the others came")
    check(len(set(map(tuple, blocks))) == len(blocks), f"none was made twice: {blocks}")
    points = program.json(*sweep)["points"]
    check(len(points) == len(blocks) and all(p["ms"] > 0 for p in points), "and now all are there")


if __name__ == "__main__":
    sys.exit(main([advise_says_what_to_try, sweeps, a_sweep_has_the_errors_of_approximations, a_killed_sweep_resumes]))
