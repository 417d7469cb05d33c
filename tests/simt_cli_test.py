"""warpscope simt as its users meet it: versions, kernels of their own, planted faults, bad input."""

import json
import os
import struct
import sys
import time

from program import check, main


def picture(program):
    path = os.path.join(program.folder, "small.pgm")
    with open(path, "wb") as file:
        file.write(b"P5\n97 61\n255\n" + bytes((x * 7 + y * 13) % 256 for y in range(61) for x in range(97)))
    return path


SUM = """__global__ void scale(const float* in, float* out, int n, float factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * factor;
}
extern "C" __global__ void beyond(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = in[i];
    sum += in[i + 1];
    out[i] = sum;
}
extern "C" __global__ void endless(volatile int* flag) {
    while (*flag == 0) {
    }
}
"""


def kernel_file(program):
    path = os.path.join(program.folder, "student.cu")
    with open(path, "w", encoding="utf-8") as file:
        file.write(SUM)
    return path


def simt_counts_a_version(program):
    narrow = program.json("simt", 0, "--blocks", "sample", "--gpu", "RTX 3060")
    wide = program.json("simt", 0, "--blocks", "sample", "--gpu", "RTX 3060", "--block", "32x2")
    check(narrow["kernel"] == "blur_g1" and narrow["block"] == [8, 8, 1] and wide["block"] == [32, 2, 1], narrow["block"])
    before, after = (run["global"]["load"]["transactions_per_request"] for run in (narrow, wide))
    check(before > 4 and after < 2, f"transactions per request {before} and {after}")
    for key in ("gpu", "grid", "instructions", "warp_execution_efficiency", "global", "shared", "local", "constant", "branches",
                "checks", "lines", "estimate"):
        check(key in narrow, f"{key} is missing")
    for key in ("requests", "transactions", "transactions_per_request", "bytes_requested", "bytes_moved", "efficiency"):
        check(key in narrow["global"]["load"] and key in narrow["global"]["store"], f"global {key} is missing")
    shared = program.json("simt", 5, "--blocks", "sample")["shared"]
    for key in ("requests", "wavefronts", "conflict_degree_max"):
        check(shared["load"][key] > 0 and shared["store"][key] > 0, f"shared {key}: {shared}")
    check(shared["efficiency"] > 0 and narrow["estimate"]["diagnosis"].endswith("bound"), shared)
    mad = program.json("simt", 10, "--blocks", "sample")
    check(mad["arithmetic_intensity"] > 0 and mad["bytes_per_instruction"] > 0, mad["float_operations"])
    check(sum(line["instructions"] for line in narrow["lines"]) > 0, "lines count nothing")
    small = picture(program)
    exact = program.json("simt", 7, "--stage", "edge", "--image", small, "--block", "16x16")
    check(exact["kernel"] == "edge_s1" and exact["blocks_simulated"] == exact["blocks_total"] and exact["checks"] == [], exact["kernel"])
    text = program.run("simt", 5, "--image", small).stdout
    check("transactions" in text and "estimated time" in text and "checks: nothing found" in text, text)


def simt_runs_any_kernel(program):
    path = kernel_file(program)
    saved = os.path.join(program.folder, "out.raw")
    result = program.json("simt", path, "--kernel", "scale", "--grid", "4", "--block", "64", "--arg", "f32[200]=iota", "--arg",
                          "f32[200]=poison", "--arg", "i32=200", "--arg", "f32=0.5", "--print", 5, "--save", "1=" + saved)
    check(result["buffers"][1]["values"] == [0, 0.5, 1, 1.5, 2], result["buffers"])
    check(result["checks"] == [] and result["warp_execution_efficiency"] < 1, result["checks"])
    with open(saved, "rb") as file:
        check(struct.unpack("<200f", file.read())[199] == 99.5, "the saved buffer")
    again = program.json("simt", path, "--kernel", "scale", "--grid", "4", "--block", "64", "--arg", "f32[200]=" + saved, "--arg",
                         "f32[200]=zero", "--arg", "i32=200", "--arg", "f32=4", "--print", 3)
    check(again["buffers"][1]["values"] == [0, 2, 4], again["buffers"])


def simt_finds_a_planted_fault(program):
    path = kernel_file(program)
    done = program.run("simt", path, "--kernel", "beyond", "--grid", "2", "--block", "32", "--arg", "f32[64]=random:3", "--arg",
                       "f32[64]=poison", expect=1)
    check("out of bounds" in done.stdout and "line 8, block (1, 0, 0), thread (31, 0, 0)" in done.stdout, done.stdout)
    start = time.time()
    done = program.run("simt", path, "--kernel", "endless", "--arg", "i32[1]=zero", "--json", expect=1)
    # A build with sanitizers is several times slower.
    check(time.time() - start < (10 if "/asan/" not in program.path else 100), f"stopped after {time.time() - start} s")
    found = json.loads(done.stdout)["checks"]
    check(found[0]["kind"] == "stopped" and found[0]["line"] in (12, 13), found)


def simt_refuses_what_it_cannot_do(program):
    path = kernel_file(program)
    program.fails("simt", path, says="--kernel is missing", code=2)
    program.fails("simt", path, "--kernel", "nothing", says="nothing", code=1)
    program.fails("simt", path, "--kernel", "beyond", "--arg", "f32[64]=zero", says="2 parameters, but 1 arguments", code=2)
    program.fails("simt", path, "--kernel", "beyond", "--arg", "f32[64]=zero", "--arg", "i32=4", says="parameter 1", code=1)
    program.fails("simt", path, "--kernel", "beyond", "--block", "2000", "--arg", "f32[64]=zero", "--arg", "f32[64]=zero",
                  says="too large", code=1)
    for argument, says in (("f32", "'=' is missing"), ("q8=1", "the type is none of"), ("i32=x", "no whole number"),
                           ("u8=300", "does not fit"), ("f32[0]=zero", "no number of elements"), ("f32[4]=nothing.raw", "nothing.raw"),
                           ("f32[4]=random:x", "no seed"), ("f32[9999999999999]=zero", "larger than")):
        program.fails("simt", path, "--kernel", "beyond", "--arg", argument, "--arg", "f32[4]=zero", says=says,
                      code=1 if argument.endswith(".raw") else 2)
    program.fails("simt", 0, "--kernel", "blur", says="belong to a .cu file", code=2)
    program.fails("simt", path, "--kernel", "beyond", "--stage", "blur", says="belong to a version", code=2)
    program.fails("simt", 0, "--gpu", "Voodoo 2", says="Voodoo 2", code=2)
    program.fails("simt", "nowhere.cu", "--kernel", "k", says="nowhere.cu", code=1)
    program.fails("simt", 99, says="99", code=2)
    program.fails("simt", path, "--kernel", "beyond", "--grid", "0x4", says="is no shape", code=2)


def the_simulated_gpu_is_the_device_without_a_gpu(program):
    if program.json("devices")["cuda"]:
        return
    result = program.json("run", 5, "--image", picture(program), "--gpu", "GTX 280")
    check(result["device"] == {"kind": "simt", "name": "simulated GTX 280"}, result["device"])
    check(result["check"] == "every pixel as defined" and result["times_ms"]["blur"] is None, result)
    check(result["estimated_ms"]["blur"] > 0, result)
    # A block that no GPU of that kind takes is refused with the reason.
    program.fails("run", 5, "--image", picture(program), "--device", "simt", "--gpu", "GTX 280", "--block", "32x32", says="512", code=1)


TESTS = [simt_counts_a_version, simt_runs_any_kernel, simt_finds_a_planted_fault, simt_refuses_what_it_cannot_do,
         the_simulated_gpu_is_the_device_without_a_gpu]

if __name__ == "__main__":
    sys.exit(main(TESTS))
