"""The command line as its users meet it: every sub-command, every option, every kind of bad input."""

import json
import os
import sys

import pixels
from program import check, main, path, write

STAGES = ("gray", "blur", "edge")


def help_names_everything(program):
    text = program.run("--help").stdout
    for word in ("run", "simt", "occupancy", "advise", "versions", "devices", "calibrate", "kernels", "picture", "--image", "--show", "--no-blur", "--block",
                 "--block-gray", "--block-edge", "--knob", "--device", "--gpu", "--shots", "--no-interop", "--kernels", "--version"):
        check(word in text, f"--help does not name {word}")
    for command in ("run", "simt", "sass", "occupancy", "advise", "versions", "devices", "calibrate", "kernels", "picture"):
        check("--json" in program.run(command, "--help").stdout, f"{command} --help does not name --json")


def version_tells_of_cuda_and_gl(program):
    text = program.run("--version").stdout
    check(text.startswith("warpscope "), text)
    check("CUDA" in text and "OpenGL" in text and "compiler" in text, text)
    check("PNG written by " in text and "stb_image" in text, text)


def run_prints_the_four_times(program):
    image = write(program, "a.pgm", pixels.pgm(64, 48))
    text = program.run("run", 5, "--image", image, "--device", "cpu", "--repeat", 3).stdout
    for word in ("V5 shared memory", "gray", "blur", "edge", "total", "ms", "3 samples"):
        check(word in text, f"'{word}' is missing in {text}")


def built_in_pictures_are_known_by_name(program):
    run = ("run", 0, "--device", "cpu", "--repeat", 1)
    size = {"width": 3648, "height": 2736}
    check(program.json(*run)["image"] == {"name": "scene", **size}, "the picture to start with")
    # A file or folder of that name in the current folder is reached as ./test.
    os.mkdir(path(program, "test"))
    shown = {}
    for name in ("scene", "test"):
        out = path(program, name + ".png")
        result = program.json(*run, "--image", name, "--show", "gray", "--output", out)
        check(result["image"] == {"name": name, **size}, result["image"])
        with open(out, "rb") as file:
            shown[name] = file.read()
    check(shown["scene"] != shown["test"], "two pictures")
    program.fails(*run, "--image", "./test", says="--output", code=2)
    os.rmdir(path(program, "test"))
    program.fails(*run, "--image", "tests", says="tests", code=1)


def run_json_has_its_keys(program):
    image = write(program, "a.pgm", pixels.pgm(64, 48))
    result = program.json("run", 8, "--image", image, "--device", "cpu", "--repeat", 2, "--block", "16x4", "--block-edge", "8x8")
    check(result["version"] == 8, result)
    check(result["device"]["kind"] == "cpu", result)
    check(result["image"] == {"name": "a.pgm", "width": 64, "height": 48}, result)
    check(result["blocks"]["blur"] == {"x": 16, "y": 4} and result["blocks"]["edge"] == {"x": 8, "y": 8}, result)
    for key in (*STAGES, "total"):
        time = result["times_ms"][key]
        check(time["median"] > 0 and time["spread"] >= 0 and time["samples"] == 2, result)
    check(result["times_ms"]["one_pass"]["median"] > 0 and "fused" not in result["times_ms"], result)
    whole = program.json("run", 16, "--image", image, "--device", "cpu", "--repeat", 2)["times_ms"]
    check(whole["one_pass"]["median"] > 0 and set(whole["fused"]) == {"median", "spread", "samples"}, whole)
    occupancy = result["occupancy"]
    check(0 < occupancy["percent"] <= 100 and occupancy["active_warps"] > 0 and occupancy["active_blocks"] > 0, result)
    check(set(occupancy["limiters"]) == {"blocks", "warps", "registers", "shared"}, result)
    # The same kernel's occupancy, asked for alone.
    alone = program.json("occupancy", 8, "--block", "16x4")
    for key in occupancy:
        check(occupancy[key] == alone[key], f"{key}: run says {occupancy[key]}, occupancy {alone[key]}")


MERGED = """extern "C" __global__ void rows(float* out) {
    __shared__ float p[64][16];
    for (int i = 0; i < 16; ++i) p[threadIdx.x][i] = out[16 * threadIdx.x + i];
    __syncthreads();
    const float* r = p[threadIdx.x ^ 1];
    out[threadIdx.x] = r[0] * r[1] + r[2] * r[3];
}
"""


def machine_code_by_line(program):
    code = program.json("sass", 0, "--gpu", "H100")
    instructions = code["instructions"]
    check(code["architecture"] == 90 and len(instructions) > 100 and not code["unknown"], code["unknown"])
    check(sum(code["pipes"].values()) == len(instructions) == sum(b["instructions"] for b in code["blocks"]), code["pipes"])
    check(code["loads"] and 1 <= code["loads_in_flight"] <= len(code["loads"]), code["loads_in_flight"])
    path = write(program, "merged.cu", MERGED.encode())
    changed = program.json("sass", path, "--kernel", "rows")["changed"]
    joined = [line for line in changed if line["line"] == 6][0]
    check({"space": "shared", "store": False, "bytes": 4, "instructions": 4} in joined["ptx"], joined)
    check({"space": "shared", "store": False, "bytes": 16, "instructions": 1} in joined["machine"], joined)
    text = program.run("sass", path, "--kernel", "rows").stdout
    check("the machine 1 global stores of 4 bytes" in text or "1 shared loads of 16 bytes" in text, text)
    check("waited for at" in text and "BAR" in text, text)
    program.fails("sass", 0, "--gpu", "GTX 280", says="7.5", code=1)
    program.fails("sass", 0, "--kernel", "rows", says="belongs to a .cu file", code=2)
    program.fails("sass", path, "--block", "32x1", says="belong to a version", code=2)


def the_total_is_the_sum_of_its_stages(program):
    """Medians of many samples: their sum is the total's up to their spreads, which are wide on a busy machine."""
    times = program.json("run", 8, "--image", write(program, "a.pgm", pixels.pgm(64, 48)), "--device", "cpu", "--repeat", 60)["times_ms"]
    stages = sum(times[key]["median"] for key in STAGES)
    spreads = sum(times[key]["spread"] for key in (*STAGES, "total"))
    check(abs(times["total"]["median"] - stages) < 0.3 * stages + spreads, times)


def run_shows_what_is_asked(program):
    width, height = 41, 30
    colours = [[((x * 7 + y * 13) % 256, (x * y) % 256, 255 - (x * 5 + y) % 256) for x in range(width)] for y in range(height)]
    image = write(program, "a.ppm", b"P6\n%d %d\n255\n" % (width, height) + bytes(value for row in colours for p in row for value in p))
    defined = {name: view((width, height, colours)) for name, view in pixels.VIEWS.items()}
    defined["original"] = (width, height, colours)
    for device in ("cpu", "auto"):
        for name, options in {"gray": ["--show", "gray"], "blur": ["--show", "blur"], "edge": ["--show", "edge"],
                              "sharp": ["--show", "edge", "--no-blur"], "original": ["--show", "original"]}.items():
            out = path(program, name + ".png")
            program.run("run", 0, "--image", image, "--device", device, "--repeat", 1, "--output", out, *options)
            wrong = pixels.first_difference(defined[name], pixels.read_png(out))
            check(not wrong, f"{name} on {device}: {wrong}")
    result = program.json("run", 0, "--image", image, "--device", "cpu", "--repeat", 1, "--show", "edge", "--no-blur")
    check(result["times_ms"]["blur"] is None and result["blur_first"] is False, result)


def every_version_runs(program):
    image = write(program, "odd.pgm", pixels.pgm(33, 17))
    for version in range(len(program.json("versions"))):
        result = program.json("run", version, "--image", image, "--device", "cpu", "--repeat", 1)
        check(result["version"] == version, result)


def occupancy_json_has_its_keys(program):
    result = program.json("occupancy", 0, "--gpu", "Quadro K2100M")
    check(result["compute_capability"] == "3.0" and result["gpu"] == "Quadro K2100M", result)
    check(result["stage"] == "blur" and result["block"] == {"x": 8, "y": 8} and result["threads"] == 64, result)
    check(result["percent"] == 50 and result["active_blocks"] == 16 and result["active_warps"] == 32, result)
    check(result["limiters"]["blocks"] == 16 and result["limited_by"] == ["blocks"], result)
    check(result["registers"] > 0 and result["shared_bytes"] == 0, result)
    result = program.json("occupancy", 5, "--gpu", "H200", "--stage", "edge", "--block-edge", "32x32")
    check(result["stage"] == "edge" and result["threads"] == 1024, result)
    check(program.json("occupancy", 5)["shared_bytes"] == 640, "V5's tile is 10 x 64 bytes")


def knobs_reach_the_kernel(program):
    bound = program.json("occupancy", 4, "--gpu", "H200")["registers"]
    free = program.json("occupancy", 4, "--gpu", "H200", "--knob", "MIN_BLOCKS=0")["registers"]
    check(bound < free, f"launch bounds: {bound} registers, without: {free}")
    program.fails("run", 0, "--knob", "MIN_BLOCKS=8", says="no knob", code=2)
    program.fails("run", 4, "--knob", "MIN_BLOCKS=99", says="0 to 32", code=2)
    program.fails("run", 4, "--knob", "MIN_BLOCKS", says="is not a knob", code=2)


def broken_recordings_say_where(program):
    shipped = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "assets", "recordings", "h100.jsonl")
    with open(shipped, "rb") as file:
        data = file.read()
    out = path(program, "replay.png")
    image = write(program, "small.pgm", pixels.pgm(64, 48))

    def replayed(content):
        return ["picture", "5", "--replay", write(program, "broken.jsonl", content), "--image", image, "--size", "640x480", "--output", out]
    for content, says in ((b"", "there is no record"), (b"no records\n", "there is no record"), (b'{"warpscope_records": 2}\n', "schema 2"),
                          (data.replace(b'"warpscope_records":1', b'"warpscope_records":7'), "schema 7")):
        program.fails(*replayed(content), says=says, code=1)
    # A file that was cut in a line, and one whose first versions nobody knows: the rest is shown.
    for content in (data[:len(data) * 2 // 3], data.replace(b'"v":0', b'"v":999', 20)):
        if os.path.exists(out):
            os.remove(out)
        program.run(*replayed(content))
        check(os.path.getsize(out) > 5000, "the picture is there")


def lists(program):
    versions = program.json("versions")
    check([row["version"] for row in versions] == list(range(len(versions))) and len(versions) > 12, versions)
    check(versions[6]["kernels"]["blur"] == "blur_g4", versions)
    check("V11" in program.run("versions").stdout, "versions")
    text = program.run("versions").stdout
    for row in versions:
        for stage, kernel in row["kernels"].items():
            block = row["blocks"][stage]
            check(f"{stage} {kernel} {block['x']} x {block['y']}" in text, f"V{row['version']}'s {stage} kernel")
    check(versions[16]["kernels"]["fused"] == "fused_f5", versions[16])
    devices = program.json("devices")
    check(devices["cpu"]["kind"] == "cpu", devices)
    check(devices["simt"]["kind"] == "simt" and devices["simt"]["facts"] and "H200" in devices["simt"]["gpus"], devices)
    check("simt: simulated RTX 3060" in program.run("devices").stdout, "devices")
    check(devices["cuda"] or devices["cuda_missing"], devices)
    for number, gpu in enumerate(devices["cuda"]):
        check(gpu["number"] == number and gpu["uuid"].startswith("GPU-") and gpu["pci_address"], gpu)
        check(f"cuda:{number}: {gpu['name']}" in program.run("devices").stdout, gpu)
    check(len({gpu["uuid"] for gpu in devices["cuda"]}) == len(devices["cuda"]), "GPUs of one name are told apart")
    program.fails("run", 5, "--device", "cuda:x", says="is not a device", code=2)
    program.fails("run", 5, "--device", "cuda:all", says="cuda:all is for many pictures", code=2)
    program.fails("lab", "streams", "--device", "cuda:all", says="cuda:all is for many pictures", code=2)
    if devices["cuda"]:
        program.fails("run", 5, "--device", "cuda:64", says="there is no cuda:64", code=2)
        program.fails("lab", "streams", "--device", "cuda:64", says="there is no cuda:64", code=2)
    else:
        program.fails("run", 5, "--device", "cuda:1", says="the cuda device is not available", code=1)
        program.fails("lab", "streams", "--device", "cuda:1", says="the cuda device is not available", code=1)
    check(devices["simt"]["rates"] == "taken from the H200" and "taken from the H200" in program.run("devices").stdout, "where rates come from")


def kernels_are_written_and_used(program):
    folder = path(program, "kernels")
    program.run("kernels", folder)
    names = sorted(os.listdir(folder))
    labs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gpu", "labs")
    sources = [name for _, _, files in os.walk(labs) for name in files if name.endswith((".cu", ".cuh"))]
    check(len(names) > 20 and names == sorted(sources), names)
    with open(os.path.join(folder, "blur_g1.cu"), "a", encoding="utf-8") as file:
        file.write("// mine\n")
    check("kept your changed blur_g1.cu" in program.run("kernels", folder).stdout, "a changed file is kept")
    program.run("occupancy", 0, "--kernels", folder)
    with open(os.path.join(folder, "blur_g1.cu"), "w", encoding="utf-8") as file:
        file.write("int x = ;\n")
    program.fails("occupancy", 0, "--kernels", folder, says="blur_g1.cu(1): error", code=1)
    program.run("kernels", folder, "--overwrite")
    program.run("occupancy", 0, "--kernels", folder)
    program.fails("occupancy", 0, "--kernels", path(program, "nowhere"), says="no folder of kernels", code=1)


def many_pictures(program):
    folder = path(program, "many")
    os.makedirs(folder)
    for name, width, height in (("a.pgm", 40, 30), ("b.pgm", 33, 17), ("c.pgm", 1, 1), ("a.ppm", 20, 20)):
        content = pixels.pgm(width, height) if name.endswith("pgm") else b"P6\n20 20\n255\n" + bytes(range(240)) * 5
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    with open(os.path.join(folder, "broken.jpg"), "w", encoding="utf-8") as file:
        file.write("no picture")
    for device in ("cpu", "auto"):
        out = path(program, "out_" + device)
        done = program.run("run", 16, "--device", device, "--image", folder, "--output", out, "--json", expect=1)
        result = json.loads(done.stdout)
        check(result["done"] == 4 and len(result["skipped"]) == 1 and "broken.jpg" in result["skipped"][0], result)
        check("1 of 5 pictures were skipped" in done.stderr, done.stderr)
        check(result["megapixels"] == (40 * 30 + 33 * 17 + 1 + 20 * 20) / 1e6, result)
        seconds = result["seconds"]
        parts = seconds["reading"] + seconds["device"] + seconds["writing"]
        check(0 < parts <= result["workers"] * seconds["wall"], result)
        check(abs(result["pictures_per_second"] * seconds["wall"] - result["done"]) < 1e-6, result)
        # Two files named a keep their endings apart.
        check(sorted(os.listdir(out)) == ["a.pgm.png", "a.ppm.png", "b.png", "c.png"], os.listdir(out))
    for name in ("a.pgm.png", "a.ppm.png", "b.png", "c.png"):
        with open(os.path.join(path(program, "out_cpu"), name), "rb") as one, \
                open(os.path.join(path(program, "out_auto"), name), "rb") as other:
            check(one.read() == other.read(), name)
    single = path(program, "single.png")
    program.run("run", 0, "--device", "cpu", "--repeat", 1, "--image", os.path.join(folder, "b.pgm"), "--output", single)
    with open(single, "rb") as one, open(os.path.join(path(program, "out_cpu"), "b.png"), "rb") as other:
        check(one.read() == other.read(), "a picture alone and among others")
    program.run("run", 8, "--device", "cpu", "--image", os.path.join(folder, "b.pgm*"), "--output", path(program, "bytes"),
                "--format", "pgm", "--workers", 3)
    with open(os.path.join(path(program, "bytes"), "b.pgm"), "rb") as file:
        check(file.read().startswith(b"P5\n33 17\n255\n"), "PGM")
    program.fails("run", 8, "--image", folder, says="add --output FOLDER", code=2)
    program.fails("run", 8, "--image", os.path.join(folder, "*.gif"), "--output", path(program, "x"), says="no file matches", code=1)
    program.fails("run", 8, "--image", os.path.join(folder, "b.*"), "--output", folder, "--format", "pgm",
                  says="overwrite its source", code=1)


def wrong_options(program):
    program.fails("run", 99, says="from 0 to ", code=2)
    program.fails("run", 16, "--block", "8x8", says="choose from 32 x 1 to 8", code=2)
    program.fails("occupancy", 0, "--stage", "fused", says="it has gray, blur, edge", code=2)
    program.fails("simt", 16, "--gpu", "GTX 280", says="compute capability 8.0 or more", code=1)
    program.fails("run", -1, says="", code=2)
    program.fails("run", "x", says="--help", code=2)
    program.fails("run", says="VERSION is required", code=2)
    program.fails("run", 0, "--block", "0x4", says="1024 threads at most", code=2)
    program.fails("run", 0, "--block", "64x32", says="1024 threads at most", code=2)
    program.fails("run", 0, "--block-gray", "abc", says="32x8", code=2)
    program.fails("run", 0, "--show", "sepia", says="original, gray, blur, edge", code=2)
    program.fails("run", 0, "--device", "tpu", says="auto, cuda, simt, cpu", code=2)
    program.fails("run", 0, "--gpu", "RTX 9999", says="RTX 4090", code=2)
    program.fails("run", 0, "--repeat", 0, says="range", code=2)
    program.fails("run", 0, "--sideways", says="--help", code=2)
    program.fails("occupancy", 0, "--stage", "sobel", says="gray, blur, edge", code=2)
    program.fails("picture", says="--output", code=2)
    program.fails("picture", "--output", "x.png", "--size", "10x10", says="1600x1000", code=2)
    for warp in ("1", "1,2,3,4", "-1,2,3", "1,,3", "a,b,c", "1,2,"):
        program.fails("picture", "--output", "x.png", f"--warp={warp}", says="40,217,3", code=2)
    program.fails("run", 0, "--show", "original", says="no run", code=2)


def bad_pictures(program):
    run = ["run", 0, "--device", "cpu", "--image"]
    program.fails(*run, path(program, "missing.png"), says="cannot read", code=1)
    program.fails(*run, program.folder, says="folder", code=2)
    program.fails(*run, write(program, "empty.png", b""), says="empty", code=1)
    program.fails(*run, write(program, "text.png", b"hello " * 100), says="no picture", code=1)
    program.fails(*run, write(program, "cut.pgm", pixels.pgm(200, 200)[:20000]), says="truncated", code=1)
    program.fails(*run, write(program, "lie.ppm", b"P6 64 64 255\nxx"), says="truncated", code=1)
    program.fails(*run, write(program, "photo.jpg", b"\0\0\0\x18ftypheic" + bytes(100)), says="HEIC", code=1)
    program.fails(*run, "/dev/zero", says="device", code=1)
    program.fails(*run, write(program, "giant.pgm", b"P5\n40000 40000\n255\n" + b"x" * 500), says="too large", code=1)


def experiments_run_as_labs(program):
    check("transfers" in program.run("lab").stdout, "it is listed")
    # The title stands in a column of its own beside the longest name.
    rows = [line for line in program.run("lab").stdout.splitlines() if line and not line.startswith(" ")]
    column = {len(line) - len(line.split(" ", 1)[1].lstrip()) for line in rows}
    check(len(column) == 1, f"one column: {rows}")
    listed = [lab for lab in program.json("lab") if lab["id"] == "transfers"]
    check([control["name"] for control in listed[0]["controls"]] == ["direction", "size", "samples", "check"], listed)
    model = ["--device", "simt", "--gpu", "H200"]
    text = program.run("lab", "transfers", *model).stdout
    for words in ("GB/s to the GPU (estimated)", "PCIe 5.0 x16", "write-combined", "lecture"):
        check(words in text, f"'{words}' in {text}")
    table = path(program, "transfers.csv")
    result = program.json("lab", "transfers", *model, "--size", "1M", "--sweep", "size", "--set", "direction=up", "--csv", table)
    check(result["kind"] == "estimated" and result["axis"] == "size" and result["complete"] and not result["wrong"], result)
    check(result["controls"] == {"direction": "up", "size": 1 << 20, "samples": 9, "check": True}, result["controls"])
    check(len(result["plots"]) == 1 and len(result["tables"][0]["rows"]) == 5, result)
    pinned = [series for series in result["plots"][0]["series"] if series["name"] == "pinned"][0]
    check([point["x"] for point in pinned["points"]] == [1024 << i for i in range(21)], pinned)
    limit = [series for series in result["plots"][0]["series"] if series["limit"]][0]
    check(limit["kind"] == "calculated" and max(point["y"] for point in pinned["points"]) < limit["points"][0]["y"], limit)
    with open(table, encoding="utf-8") as file:
        lines = file.read().splitlines()
    check(lines[0] == "lab,gpu,plot,series,x,x_unit,y,y_unit,spread,kind" and len(lines) > 90, lines[:3])
    check(all(len(line.split(",")) == 10 for line in lines if '"' not in line), "ten columns")
    both = program.json("lab", "transfers", *model, "--set", "direction=both")
    check(both["timelines"][0]["lanes"][0] == "pageable, to the GPU" and len(both["timelines"][0]["bars"]) == 16, both)
    streams = program.json("lab", "streams", *model, "--set", "streams=2", "--set", "pieces=4", "--sweep", "pieces")
    check([timeline["title"] for timeline in streams["timelines"]] == ["serial", "2-way", "depth-first", "breadth-first"], streams)
    depth = streams["timelines"][2]
    check(depth["parts"] == ["copy in", "kernel", "copy out"] and len(depth["bars"]) == 12, depth)
    check({bar["part"] for bar in depth["bars"]} == {0, 1, 2} and depth["lanes"] == ["stream 1", "stream 2"], depth)
    check([limit["name"] for limit in depth["limits"]] == ["Amdahl", "slowest engine"], depth)
    text = program.run("lab", "streams", *model).stdout
    for words in ("times as fast as serial (estimated)", "> copy in   # kernel   < copy out", "limit: Amdahl, ", "16 kernels (lecture"):
        check(words in text, f"'{words}' in {text}")
    several = program.json("lab", "several-gpus", *model, "--set", "gpus=4", "--sweep", "gpus")
    check(several["kind"] == "estimated" and several["timelines"][1]["lanes"] == ["GPU 1", "GPU 2", "GPU 3", "GPU 4"], several)
    check([len(series["points"]) for series in several["plots"][0]["series"]] == [4, 4, 4, 4, 2], several["plots"])
    pairs = program.json("lab", "transfers", *model, "--set", "direction=peer")["tables"][1]
    check(len(pairs["rows"]) == 4 and pairs["columns"][1]["title"] == "to GPU 1", pairs)
    roof = program.json("lab", "roofline", *model, "--set", "lab=latency", "--set", "version=8")
    chosen = [series for series in roof["plots"][0]["series"] if series["name"] == "latency V8"]
    check([point["name"] for point in chosen[0]["points"]] == ["V8"] and roof["kind"] == "estimated", roof)
    check([table["title"] for table in roof["tables"]] == ["effective FLOPS", "without FLOP"], roof["tables"])
    check([row[0] for row in roof["tables"][1]["rows"]] == ["V1", "V2", "V3", "V4", "V5"], roof["tables"][1])
    law = program.json("lab", "littles-law", *model, "--set", "what=wide", "--set", "ilp=2")
    chosen = [series for series in law["plots"][0]["series"] if series["name"] == "V5, ILP 2"]
    check(len(chosen[0]["points"]) == 1 and chosen[0]["points"][0]["x"] == 4 * 2 * 512, chosen)
    check([series["name"] for series in law["plots"][0]["series"] if series["limit"]][1] == "theoretical bandwidth", law["plots"])
    program.fails("lab", "roofline", "--set", "lab=none", says="all, filters", code=2)
    program.fails("lab", "transfers", "--set", "direction=sideways", says="all, up, down, both, peer", code=2)
    program.fails("lab", "transfers", "--set", "speed=1", says="direction, size, samples, check", code=2)
    program.fails("lab", "transfers", "--set", "speed", says="NAME=VALUE", code=2)
    program.fails("lab", "transfers", "--size", "2G", says="1 KiB to 1 GiB", code=2)
    program.fails("lab", "transfers", "--sweep", "direction", says="choose one of size", code=2)
    program.fails("lab", "transfers", 3, says="is an experiment", code=2)
    program.fails("lab", "transfers", "--csv", "x.csv", says="--sweep", code=2)
    program.fails("lab", "transfers", "--device", "cpu", says="cuda or simt", code=2)
    program.fails("lab", "transfers", "--device", "cuda", "--gpu", "H200", says="leave it out", code=2)
    program.fails("lab", "filters", "--set", "size=1", says="belongs to an experiment", code=2)
    program.fails("run", 0, "--lab", "transfers", says="warpscope lab transfers", code=2)


def rates_are_calibrated(program):
    program.fails("calibrate", "--device", "simt", says="only a real GPU", code=2)
    program.fails("calibrate", "--samples", 2, says="3 to 1000", code=2)
    data = {"XDG_DATA_HOME": path(program, "data")}
    folder = path(program, "data/warpscope/calibrations")
    if program.json("devices")["cuda"]:
        made = path(program, "calibration.json")
        rates = json.loads(program.run("calibrate", "--samples", 5, "--output", made, "--json").stdout)["rates"]
        check(rates["l1_latency"]["value"] < rates["l2_latency"]["value"] < rates["memory_latency"]["value"], rates)
        with open(made, encoding="utf-8") as file:
            check(json.load(file)["rates"] == rates, "what is printed is what is written")
        program.fails("calibrate", "--device", "cuda:64", says="there is no cuda:64", code=2)
    else:
        program.fails("calibrate", says="there is no GPU to calibrate", code=1, environment=data)
        program.fails("calibrate", says=folder, code=1, environment=data)
    # A file from a machine that has the GPU goes before the program's own; a broken one is named and left out.
    shipped = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "assets", "calibrations", "h200.json")
    with open(shipped, encoding="utf-8") as file:
        own = json.load(file)
    own.update(gpu="NVIDIA GeForce RTX 3060", capability="8.6", date="2026-01-02")
    os.makedirs(folder)
    write(program, os.path.join(folder, "own.json"), json.dumps(own).encode())
    write(program, os.path.join(folder, "broken.json"), b"{")
    done = program.run("devices", environment=data)
    check("calibrated here, 2026-01-02" in done.stdout, done.stdout)
    check(done.stderr.startswith("warpscope: note: a calibration is left out, ") and "broken.json: it is no JSON" in done.stderr, done.stderr)


def missing_libraries_are_reported(program):
    without = {"WARPSCOPE_NVRTC": "/nowhere/libnvrtc.so"}
    text = program.run("--version", environment=without).stdout
    check("NVRTC is missing" in text and "install" in text, text)
    program.run("run", 0, "--device", "cpu", "--repeat", 1, "--image", write(program, "a.pgm", pixels.pgm(20, 20)), environment=without)
    program.fails("occupancy", 0, says="NVRTC is missing", code=1, environment=without)
    program.fails("run", 0, "--device", "cuda", says="not available", code=1, environment=without)


TESTS = [help_names_everything, version_tells_of_cuda_and_gl, run_prints_the_four_times,
         built_in_pictures_are_known_by_name, run_json_has_its_keys,
         machine_code_by_line, the_total_is_the_sum_of_its_stages, run_shows_what_is_asked, every_version_runs, occupancy_json_has_its_keys, knobs_reach_the_kernel, broken_recordings_say_where, lists,
         kernels_are_written_and_used, many_pictures, experiments_run_as_labs, rates_are_calibrated, wrong_options, bad_pictures, missing_libraries_are_reported]

if __name__ == "__main__":
    sys.exit(main(TESTS))
