"""warpscope simt as its users meet it: versions, kernels of their own, planted faults, bad input."""

import json
import os
import pty
import resource
import select
import shutil
import signal
import struct
import subprocess
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
    narrow = program.json("simt", 0, "--image", "test", "--blocks", "sample", "--gpu", "RTX 3060")
    wide = program.json("simt", 0, "--image", "test", "--blocks", "sample", "--gpu", "RTX 3060", "--block", "32x2")
    check(narrow["kernel"] == "blur_g1" and narrow["block"] == [8, 8, 1] and wide["block"] == [32, 2, 1], narrow["block"])
    narrow_rows, wide_rows = (run["global"]["load"]["transactions_per_request"] for run in (narrow, wide))
    check(narrow_rows > 4 and wide_rows < 2, f"sectors per request {narrow_rows} and {wide_rows}")
    for key in ("gpu", "grid", "instructions", "warp_execution_efficiency", "global", "shared", "local", "constant", "branches",
                "checks", "lines", "estimate"):
        check(key in narrow, f"{key} is missing")
    for key in ("requests", "transactions", "transactions_per_request", "bytes_requested", "bytes_moved", "efficiency"):
        check(key in narrow["global"]["load"] and key in narrow["global"]["store"], f"global {key} is missing")
    atomics = program.json("simt", 8, "--lab", "reduction", "--size", "40x40")  # to what a step before has cleared
    check(atomics["kernel"] == "reduction_h1" and not atomics["checks"], atomics["checks"])
    shared = program.json("simt", 5, "--image", "test", "--blocks", "sample")["shared"]
    for key in ("requests", "wavefronts", "conflict_degree_max"):
        check(shared["load"][key] > 0 and shared["store"][key] > 0, f"shared {key}: {shared}")
    check(shared["efficiency"] > 0 and narrow["estimate"]["diagnosis"].endswith("bound"), shared)
    mad = program.json("simt", 10, "--image", "test", "--blocks", "sample")
    check(mad["arithmetic_intensity"] > 0 and mad["bytes_per_instruction"] > 0, mad["float_operations"])
    check(sum(line["instructions"] for line in narrow["lines"]) > 0, "lines count nothing")
    small = picture(program)
    exact = program.json("simt", 7, "--stage", "edge", "--image", small, "--block", "16x16")
    check(exact["kernel"] == "edge_s1" and exact["blocks_simulated"] == exact["blocks_total"] and exact["checks"] == [], exact["kernel"])
    text = program.run("simt", 5, "--image", small).stdout
    check("sectors" in text and "transactions" not in text and "estimated time" in text and "checks: nothing found" in text, text)
    text = program.run("simt", 5, "--image", small, "--gpu", "GTX 280").stdout
    check("transactions" in text and "sector efficiency" not in text, "a GPU before 3.0 has no sectors: " + text)


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


def children_seconds():
    """Processor time of what has run and ended: other tests run beside."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def simt_finds_a_planted_fault(program):
    path = kernel_file(program)
    done = program.run("simt", path, "--kernel", "beyond", "--grid", "2", "--block", "32", "--arg", "f32[64]=random:3", "--arg",
                       "f32[64]=poison", expect=1)
    check("out of bounds" in done.stdout and "line 8, block (1, 0, 0), thread (31, 0, 0)" in done.stdout, done.stdout)
    before = children_seconds()
    done = program.run("simt", path, "--kernel", "endless", "--arg", "i32[1]=zero", "--json", expect=1)
    took = children_seconds() - before
    # A build with sanitizers is several times slower.
    check(took < (10 if "/asan/" not in program.path else 100), f"stopped after {took:.1f} s of processor time")
    found = json.loads(done.stdout)["checks"]
    check(found[0]["kind"] == "stopped" and found[0]["line"] in (12, 13), found)


# Seven of eight warps wait at the barrier for the first; and a chain of loads.
WAITS = """extern "C" __global__ void lopsided(float* out, int rounds) {
    __shared__ float part[256];
    float sum = threadIdx.x;
    if (threadIdx.x < 32)
        for (int i = 0; i < rounds; ++i) sum = sum * 0.5f + 1.0f;
    part[threadIdx.x] = sum;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = part[(threadIdx.x + 32) % 256];
}
extern "C" __global__ void chain(const int* next, int* out, int rounds) {
    int at = threadIdx.x;
    for (int i = 0; i < rounds; ++i)
        at = next[at];
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
"""


def planted_waits_stand_at_their_line(program):
    path = os.path.join(program.folder, "waits.cu")
    with open(path, "w", encoding="utf-8") as file:
        file.write(WAITS)
    runs = {"lopsided": ("--arg", "f32[1024]=poison"), "chain": ("--arg", "i32[256]=iota", "--arg", "i32[1024]=poison")}
    for kernel, wait, line in (("lopsided", "barrier", 7), ("chain", "memory", 13)):
        run = (path, "--kernel", kernel, "--grid", "4", "--block", "256", *runs[kernel], "--arg", "i32=500")
        result = program.json("simt", *run, "--gpu", "RTX 3060")
        lines = result["lines"]
        shares = {one["line"]: one["time_percent"] for one in lines}
        whole = sum(shares.values()) + result["estimate"]["no_line_percent"]
        check(abs(whole - 100) < 1e-6 and min(shares.values()) >= 0, f"{kernel}: shares of {whole} %")
        check(max(shares, key=shares.get) == line and shares[line] > 60, f"{kernel}: {shares}")
        waits = next(one["waits"] for one in lines if one["line"] == line)
        check(list(waits) == ["memory", "barrier", "dependency", "pipe", "fetch", "drain"] and sum(waits.values()) <= 100 + 1e-6, waits)
        check(max(waits, key=waits.get) == wait and waits[wait] > 50, f"{kernel}: {waits}")
        text = program.run("simt", *run, "--gpu", "RTX 3060").stdout
        check("time %" in text and f"{wait} {waits[wait]:.0f} %" in text, text)
        # A GPU whose machine code nobody reads has none.
        old = program.json("simt", *run, "--gpu", "Tesla K40m")
        check(all("time_percent" not in one and "waits" not in one for one in old["lines"]), old["lines"])
        check("no_line_percent" not in old["estimate"], old["estimate"])
        check("most executed lines" in program.run("simt", *run, "--gpu", "Tesla K40m").stdout, "without a clock")


def atomics_that_queue_have_times_by_the_clock_alone(program):
    path = os.path.join(program.folder, "atomics.cu")
    with open(path, "w", encoding="utf-8") as file:
        file.write("""extern "C" __global__ void count(unsigned* bins, const unsigned* values) {
    atomicAdd(bins + values[blockIdx.x * blockDim.x + threadIdx.x] % 16, 1);
}
""")
    run = (path, "--kernel", "count", "--grid", "256", "--block", "256", "--arg", "u32[16]=zero", "--arg", "u32[65536]=iota")
    result = program.json("simt", *run, "--gpu", "H200")
    check(result["estimate"] and result["estimate"]["by"] == "clock" and result["estimate"]["ms"] > 0, result)
    old = program.json("simt", *run, "--gpu", "Tesla K40m")
    check(old["estimate"] is None and "queues of atomics" in old["no_estimate"], old)


def simt_refuses_what_it_cannot_do(program):
    path = kernel_file(program)
    program.fails("simt", path, says="--kernel is missing", code=2)
    program.fails("simt", path, "--kernel", "nothing", says="nothing", code=1)
    program.fails("simt", path, "--kernel", "beyond", "--arg", "f32[64]=zero", says="2 parameters, but 1 arguments", code=2)
    program.fails("simt", path, "--kernel", "beyond", "--arg", "f32[64]=zero", "--arg", "i32=4", says="parameter 1", code=1)
    program.fails("simt", path, "--kernel", "beyond", "--block", "2000", "--arg", "f32[64]=zero", "--arg", "f32[64]=zero",
                  says="2000 along x, 1024 at most", code=1)
    for argument, says in (("f32", "'=' is missing"), ("q8=1", "the type must be"), ("i32=x", "not a whole number"),
                           ("u8=300", "does not fit"), ("f32[0]=zero", "not a number of elements"), ("f32[4]=nothing.raw", "nothing.raw"),
                           ("f32[4]=random:x", "not a seed"), ("f32[9999999999999]=zero", "larger than")):
        program.fails("simt", path, "--kernel", "beyond", "--arg", argument, "--arg", "f32[4]=zero", says=says,
                      code=1 if argument.endswith(".raw") else 2)
    program.fails("simt", 0, "--kernel", "blur", says="belong to a .cu file", code=2)
    program.fails("simt", path, "--kernel", "beyond", "--stage", "blur", says="belong to a version", code=2)
    program.fails("simt", 0, "--gpu", "Voodoo 2", says="Voodoo 2", code=2)
    program.fails("simt", "nowhere.cu", "--kernel", "k", says="nowhere.cu", code=1)
    program.fails("simt", 99, says="99", code=2)
    program.fails("simt", path, "--kernel", "beyond", "--grid", "0x4", says="is not a shape", code=2)


def the_simulated_gpu_is_the_device_without_a_gpu(program):
    if program.json("devices")["cuda"]:
        return
    result = program.json("run", 5, "--image", picture(program), "--gpu", "GTX 280")
    check(result["device"] == {"kind": "simt", "name": "simulated GTX 280"}, result["device"])
    check(result["check"] == "every pixel as defined" and result["times_ms"]["blur"] is None, result)
    check(result["estimated_ms"]["blur"] > 0, result)
    # A block that no GPU of that kind takes is refused with the reason.
    program.fails("run", 5, "--image", picture(program), "--device", "simt", "--gpu", "GTX 280", "--block", "32x32", says="512", code=1)


LAUNCHES = """extern "C" __global__ void light(const float* a, float* o) { o[threadIdx.x] = a[threadIdx.x] + 1; }
extern "C" __global__ void heavy(const float* a, float* o) {
    __shared__ float s[4096];
    float v[64];
    for (int i = 0; i < 64; i++) v[i] = a[i * 32 + threadIdx.x];
    s[threadIdx.x] = v[3];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 64; k++) v[k] = v[k] * v[(k + 7) % 64] + s[(threadIdx.x + k) & 31];
    float t = 0;
    for (int i = 0; i < 64; i++) t += v[i];
    o[threadIdx.x] = t;
}
extern "C" __global__ void wide(const float* a, float* o) {
    float v[120];
    for (int i = 0; i < 120; i++) v[i] = a[i * 64 + threadIdx.x % 64];
    for (int k = 0; k < 3; k++)
#pragma unroll
        for (int i = 0; i < 120; i++) v[i] = v[i] * v[(i + 7) % 120] + v[(i + 31) % 120];
    float s = 0;
    for (int i = 0; i < 120; i++) s += v[i];
    o[threadIdx.x] = s;
}
extern "C" __global__ void __launch_bounds__(128) bounded(float* o) { o[threadIdx.x] = 1; }
extern "C" __global__ void odd(float* o) { o[0] = 0.0f / (o[0] - o[0]); o[1] = 1 / o[3]; o[2] = -1 / o[3]; o[3] = 0.1f; }
extern "C" __global__ void odd_double(double* o) { o[0] = 0 / (o[0] - o[0]); o[1] = 1 / o[1]; o[2] = 2.5; }
extern "C" __global__ void doubled(int* o) { o[threadIdx.x] = o[threadIdx.x ^ 1] * 2; }
extern "C" __global__ void spin(unsigned* o) { for (;;) atomicAdd(o, 1u); }
extern "C" __global__ void quick(int* o) { if (o[0] == 77) o[0] = 1; }
extern "C" __global__ void dynamic(float* o) { extern __shared__ float s[]; s[threadIdx.x] = 1; o[threadIdx.x] = s[threadIdx.x]; }
"""
BIG = """extern "C" __global__ void big(int* o) { __shared__ int s[13000]; s[threadIdx.x] = o[0]; __syncthreads(); o[1] = s[o[2]]; }
extern "C" __global__ void neighbour(int* o) { o[threadIdx.x] = 1; }
"""
NAMES = """namespace deep { __global__ void lone(int* o) { o[0] = 3; } }
__global__ void over(int* o) { o[0] = 1; }
__global__ void over(float* o) { o[0] = 1; }
// __global__ void commented(int* o) {}
template <class T, int N> __global__ void __launch_bounds__(64) scale(T* o) { o[0] = N; }
"""


def a_file_runs_on_the_gpu_once_nothing_is_found(program):
    path = kernel_file(program)
    scale = ("simt", path, "--kernel", "scale", "--grid", "4", "--block", "32", "--arg", "f32[128]=iota", "--arg", "f32[128]=poison",
             "--arg", "i32=128", "--arg", "f32=2")
    check("measured" not in program.json(*scale), "times of no GPU")
    check(program.json(*scale, "--device", "simt")["checks"] == [], "--device simt is the default")
    program.fails(*scale, "--device", "cpu", says="'cpu' runs no .cu file", code=2)
    program.fails("simt", 8, "--device", "cuda", says="warpscope run 8 --device cuda", code=2)
    if not program.json("devices")["cuda"]:
        program.fails(*scale, "--device", "cuda", says="there is no GPU to run the kernel on", code=1)
        return
    result = program.json(*scale, "--device", "cuda", "--print", "3")
    check(0 < result["measured"]["median"] < 10 and result["measured"]["samples"] == 20 and result["measured"]["differing"] == []
          and not result["measured"]["restored"], result["measured"])
    check(result["gpu"] in result["measured"]["device"] or result["measured"]["device"] in result["gpu"], "another GPU is simulated")
    check(result["buffers"][1]["values"] == [0, 2, 4], result["buffers"])
    check("its buffers hold what was simulated" in program.run(*scale, "--device", "cuda").stdout, "the comparison is missing")
    beyond = ("simt", path, "--kernel", "beyond", "--block", "32", "--arg", "f32[32]=iota", "--arg", "f32[32]=poison", "--device", "cuda")
    found = json.loads(program.run(*beyond, "--json", expect=1).stdout)
    check(found["checks"] and found["measured"] is None and "checks" in found["not_measured"], "a kernel with a fault was launched")
    check("not launched on the GPU" in program.run(*beyond, expect=1).stdout, "nothing says that it was not launched")


def write(program, name, text, encoding="utf-8"):
    path = os.path.join(program.folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding=encoding) as file:
        file.write(text)
    return path


def kernels_of_a_file_do_not_count_for_each_other(program):
    path = write(program, "several.cu", LAUNCHES)
    alone = write(program, "alone.cu", LAUNCHES[:LAUNCHES.index('extern "C" __global__ void heavy')])
    arguments = ("--kernel", "light", "--block", "32", "--arg", "f32[4096]=iota", "--arg", "f32[32]=poison")
    together, lonely = (program.json("simt", file, *arguments)["estimate"] for file in (path, alone))
    check(together and together == lonely, f"{together} beside others, {lonely} alone")
    heavy = program.json("simt", path, "--kernel", "heavy", "--block", "32", "--arg", "f32[4096]=iota", "--arg", "f32[32]=poison")
    check(heavy["estimate"]["ms"] > 0 and heavy["checks"] == [], heavy["checks"])


def simt_refuses_what_the_gpu_refuses(program):
    path = write(program, "several.cu", LAUNCHES)
    out = ("--arg", "f32[1024]=poison")
    two = ("--arg", "f32[8192]=iota", *out)
    program.fails("simt", path, "--kernel", "quick", "--grid", "1x65536", "--arg", "i32[1]=zero", code=1,
                  says="cudaErrorInvalidConfiguration (invalid configuration argument), a grid of 1 x 65536 x 1 blocks has 65536 along y")
    program.fails("simt", path, "--kernel", "quick", "--grid", "65536", "--gpu", "GTX 560 Ti", "--arg", "i32[1]=zero", code=1,
                  says="65536 along x, 65535 at most")
    program.fails("simt", path, "--kernel", "bounded", "--block", "256", *out, code=1, says="cudaErrorLaunchOutOfResources")
    program.run("simt", path, "--kernel", "bounded", "--block", "128", *out)
    program.fails("simt", path, "--kernel", "wide", "--block", "1024", *two, code=1, says="registers x 1024 threads take")
    program.run("simt", path, "--kernel", "wide", "--block", "256", *two)
    # A GPU of 63 registers a thread gets code for so many, not a refusal, and an estimate.
    check(program.json("simt", path, "--kernel", "wide", "--block", "256", "--gpu", "Quadro K2100M", *two)["estimate"]["ms"] > 0,
          "no estimate with 63 registers")
    big = write(program, "big.cu", BIG)
    program.fails("simt", big, "--kernel", "big", "--arg", "i32[64]=zero", code=1, says="uses too much shared data: 0xcb20 bytes, 0xc000 max")
    check(program.json("simt", big, "--kernel", "neighbour", "--arg", "i32[64]=zero")["estimate"]["ms"] > 0, "the neighbour of a kernel "
          "that does not assemble")
    program.fails("simt", path, "--kernel", "dynamic", "--shared", "101377", *out, code=1, says="cudaErrorInvalidValue")
    asked = program.json("simt", path, "--kernel", "dynamic", "--shared", "101376", *out)
    check("cudaFuncAttributeMaxDynamicSharedMemorySize, 101376" in asked["notes"][0] and asked["estimate"]["ms"] > 0, asked["notes"])
    check(program.json("simt", path, "--kernel", "dynamic", "--shared", "4096", *out)["notes"] == [], "a note without need")
    # Versions say from which GPU on they run.
    for version, needs in ((14, "3.0"), (15, "6.1"), (16, "8.0")):
        program.fails("simt", version, "--gpu", "GTX 280", says=f"compute capability {needs} or more", code=1)
    small = picture(program)
    for version in range(14):
        stage = "fused" if version >= 12 else "blur"
        result = program.json("simt", version, "--gpu", "FX 5600", "--stage", stage, "--image", small)
        check(result["checks"] == [] and result["estimate"]["ms"] > 0, f"V{version} on the oldest GPU: {result['checks']}")


def notes_end_with_0_and_errors_with_1(program):
    path = write(program, "several.cu", LAUNCHES)
    larger = ("simt", path, "--kernel", "bounded", "--block", "32", "--arg", "f32[64]=poison")
    done = program.run(*larger, expect=0)
    check("note: unwritten output" in done.stdout, done.stdout)
    found = program.json(*larger)["checks"]
    check([finding["severity"] for finding in found] == ["note"], found)
    program.run(*larger, "--strict", expect=1)
    race = ("simt", path, "--kernel", "doubled", "--block", "64", "--arg", "i32[64]=iota")
    found = json.loads(program.run(*race, "--json", expect=1).stdout)["checks"]
    check([finding["severity"] for finding in found] == ["error"], found)
    clean = ("simt", path, "--kernel", "bounded", "--block", "64", "--arg", "f32[64]=poison", "--strict")
    check("checks: nothing found" in program.run(*clean).stdout, "a clean run with --strict")


def endless_blocks_end_and_large_grids_go_on(program):
    path = write(program, "several.cu", LAUNCHES)
    before = children_seconds()
    done = program.run("simt", path, "--kernel", "spin", "--block", "256", "--arg", "u32[1]=zero", "--json", expect=1)
    took = children_seconds() - before
    check(took < (12 if "/asan/" not in program.path else 100), f"ended after {took:.1f} s of processor time")
    result = json.loads(done.stdout)
    check(not result["complete"] and result["blocks_simulated"] == 0 and result["atomics"] > 0, result["complete"])
    check(result["checks"][0]["kind"] == "stopped" and result["estimate"] is None and "whole run" in result["no_estimate"], result["checks"])
    quick = program.run("simt", path, "--kernel", "spin", "--seconds", "0.3", "--arg", "u32[1]=zero", expect=1).stdout
    check("INCOMPLETE: stopped after 0 of 1 blocks" in quick and "stopped after 0.3 s and" in quick, quick)
    # Blocks that end are no endless loop, however many they are.
    many = program.json("simt", path, "--kernel", "quick", "--grid", "100000", "--seconds", "0.01", "--arg", "i32[1]=zero")
    check(many["complete"] and many["blocks_simulated"] == 100000, many["blocks_simulated"])


def interrupted(program, *arguments):
    """Runs with a terminal at standard error and presses Ctrl-C once progress is shown: the exit code, the two outputs."""
    master, terminal = pty.openpty()
    try:
        done = subprocess.Popen([program.path, *map(str, arguments)], stdout=subprocess.PIPE, stderr=terminal, text=True,
                                env=program.environment, cwd=program.folder)
        shown = ""
        end = time.time() + 60
        while " left" not in shown and time.time() < end and done.poll() is None:
            if select.select([master], [], [], 0.2)[0]:
                shown += os.read(master, 4096).decode()
        done.send_signal(signal.SIGINT)
        out = done.communicate(timeout=60)[0]
        return done.returncode, out, shown
    finally:
        os.close(master)
        os.close(terminal)


def ctrl_c_keeps_what_is_counted(program):
    path = write(program, "several.cu", LAUNCHES)
    launch = ("simt", path, "--kernel", "quick", "--grid", "2147483647", "--arg", "i32[1]=zero")
    code, out, shown = interrupted(program, *launch)
    check(code == 130, f"exit code {code}")
    check("of 2147483647 blocks, 0.0" in shown and " left" in shown, shown)
    check("INCOMPLETE: interrupted after" in out and "checks: nothing found" not in out, out)
    code, out, _ = interrupted(program, *launch, "--json")
    result = json.loads(out)
    check(code == 130 and result["complete"] is False and 0 < result["blocks_simulated"] < 2147483647, code)
    check(result["instructions"] >= 4 * result["blocks_simulated"], "the counts are of the blocks that ran")
    # No terminal, no progress.
    check(program.run("simt", path, "--kernel", "spin", "--seconds", "2", "--arg", "u32[1]=zero", expect=1).stderr == "", "progress in a pipe")


def json_has_words_for_what_is_no_number(program):
    path = write(program, "several.cu", LAUNCHES)
    odd = program.json("simt", path, "--kernel", "odd", "--block", "1", "--arg", "f32[4]=zero", "--print", 4)
    check(odd["buffers"][0]["values"] == ["nan", "inf", "-inf", 0.1], odd["buffers"])
    odd = program.json("simt", path, "--kernel", "odd_double", "--block", "1", "--arg", "f64[3]=zero", "--print", 3)
    check(odd["buffers"][0]["values"] == ["nan", "inf", 2.5], odd["buffers"])
    text = program.run("simt", path, "--kernel", "odd", "--block", "1", "--arg", "f32[4]=zero", "--print", 4).stdout
    check("argument 0: nan inf -inf 0.1" in text, text)
    # A file's name may be no UTF-8.
    strange = os.path.join(program.folder.encode(), b"caf\xe9.cu")
    shutil.copy(path, strange)
    done = subprocess.run([program.path, "simt", strange, "--kernel", "odd", "--block", "1", "--arg", "f32[4]=zero", "--json"],
                          capture_output=True, check=False, env=program.environment, timeout=100)
    check(done.returncode == 0 and json.loads(done.stdout)["complete"], done.stderr)
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([program.path, "simt", path, "--kernel", "odd", "--block", "1", "--arg", "f32[4]=zero", "--json"], stdout=full,
                              stderr=subprocess.PIPE, text=True, check=False, env=program.environment, timeout=100)
    check(done.returncode == 1 and "warpscope: error" in done.stderr, f"{done.returncode}: {done.stderr}")


def kernels_are_found_by_name(program):
    path = write(program, "names.cu", NAMES)
    launch = ("--block", "1", "--arg", "i32[1]=zero", "--print", 1)
    for name, value in (("deep::lone", 3), ("lone", 3), ("scale<int, 5>", 5)):
        result = program.json("simt", path, "--kernel", name, *launch)
        check(result["buffers"][0]["values"] == [value] and result["kernel"] == name, f"{name}: {result['buffers']}")
    program.fails("simt", path, "--kernel", "nothing", *launch, code=1, says="there is no kernel 'nothing', names.cu: its kernels are ")
    for says in ("deep::lone(int*)", "over(float*)", "template scale", "--kernel 'scale<float>'"):
        program.fails("simt", path, "--kernel", "nothing", *launch, code=1, says=says)
    program.fails("simt", path, "--kernel", "over", *launch, code=1, says="several kernels are named 'over'")
    program.fails("simt", path, "--kernel", "scale", *launch, code=1, says="write an instance of the template scale")
    program.fails("simt", path, says="--kernel is missing: its kernels are", code=2)
    check("commented" not in program.run("simt", path, "--kernel", "nothing", *launch, expect=1).stderr, "a kernel in a comment")
    program.fails("simt", write(program, "none.cu", "__device__ int x;\n"), "--kernel", "k", says="it has no __global__ function", code=1)
    program.fails("simt", write(program, "broken.cu", "__global__ void k(int* o) { o[0] = ; }\n"), "--kernel", "k", says="broken.cu(1): error",
                  code=1)


def files_of_every_kind(program):
    marked = write(program, "marked.cu", 'extern "C" __global__ void k(int* o) { o[0] = 4; }\n', "utf-8-sig")
    run = ("--kernel", "k", "--block", "1", "--arg", "i32[1]=poison", "--print", 1)
    check(program.json("simt", marked, *run)["buffers"][0]["values"] == [4], "a byte order mark")
    write(program, "far away/value.h", "#define VALUE 7\n")
    far = write(program, "far away/far.cu", '#include "value.h"\nextern "C" __global__ void k(int* o) { o[0] = VALUE; }\n')
    check(program.json("simt", far, *run)["buffers"][0]["values"] == [7], "an include beside the file")
    check(program.json("simt", os.path.relpath(far, program.folder), *run)["buffers"][0]["values"] == [7], "a relative path")
    os.makedirs(os.path.join(program.folder, "headers"), exist_ok=True)
    write(program, "headers/deep_value.h", "#pragma once\n#include <vector>\ninline int host() { return 1; }\nconstexpr int kDeep = 9;\n")
    whole = write(program, "whole.cu", '#include <iostream>\n#include "deep_value.h"\n#include "nobody_has.h"\n'
                  'extern "C" __global__ void k(int* o) { o[0] = kDeep; }\n'
                  'int main() { std::vector<int> v; k<<<1, 1>>>(v.data()); }\n')
    folder = os.path.join(program.folder, "headers")
    report = program.json("simt", whole, *run, "-I", folder)
    check(report["buffers"][0]["values"] == [9], "a header of -I, and host code")
    check(len(report["notes"]) == 1 and "nobody_has.h was not found" in report["notes"][0], "a missing header is noted")
    program.fails("simt", whole, *run, says="deep_value.h", code=1)
    hidden = write(program, "hidden.cu", '#include <stdio.h>\n#include <assert.h>\nnamespace ns { namespace {\n'
                   '__global__ void says(int* o) { printf("thread %d\\n", threadIdx.x); assert(o[0] == 0); } } }\n')
    loud = ("--kernel", "says", "--grid", "1", "--block", "2", "--arg")
    report = program.json("simt", hidden, *loud, "i32[1]=zero")
    check(report["kernel"] == "says" and report["printed"] == "thread 0\nthread 1\n" and not report["printed_cut"],
          "a kernel in a namespace without a name, and what it prints")
    text = program.run("simt", hidden, *loud, "i32[1]=random:1", expect=1).stdout
    check("Assertion `o[0] == 0` failed." in text and "stopped: the assertion 'o[0] == 0' failed" in text, "an assertion that fails")
    program.fails("simt", whole, *run, "-I", os.path.join(program.folder, "nowhere"), says="no such folder", code=1)
    program.fails("simt", "0", "-I", folder, says="-I belongs to", code=2)
    pipe = os.path.join(program.folder, "pipe")
    os.mkfifo(pipe)
    start = time.time()
    for odd in ("/dev/zero", pipe):
        program.fails("simt", odd, "--kernel", "k", says="a device or a pipe", code=1)
        program.fails("simt", marked, "--kernel", "k", "--arg", "i32[4]=" + odd, says="a device or a pipe", code=1)
        program.fails("run", 0, "--image", odd, says="a device or a pipe", code=1)
    program.fails("simt", program.folder, "--kernel", "k", says="is a folder", code=1)
    program.fails("simt", write(program, "zero.cu", "int x;\0"), "--kernel", "k", says="not source text", code=1)
    check(time.time() - start < 60, "odd files are refused at once")
    saved = os.path.join(program.folder, "new", "folders", "out.raw")
    program.run("simt", marked, *run, "--save", "0=" + saved)
    with open(saved, "rb") as file:
        check(file.read() == b"\4\0\0\0", "the saved buffer")


def numbers_that_do_not_fit(program):
    path = write(program, "several.cu", LAUNCHES)
    quick = ("simt", path, "--kernel", "quick", "--arg", "i32[4]=zero")
    for option in ("--grid", "--block"):
        for shape in ("99999999999", "-1", "0", "1x2x3x4", "4x", "4y4", "x"):
            program.fails(*quick, f"{option}={shape}", says="is not a shape", code=2)
    for option, value in (("--shared", "-1"), ("--shared", "99999999999999999999"), ("--print", "-1"), ("--steps", "-5"), ("--seconds", "0"),
                          ("--seconds", "nan")):
        program.fails(*quick, f"{option}={value}", says=option, code=2)
    for save in ("0", "0=", "1=x", "-1=x", "=x", "99999999999999999999=x"):
        program.fails(*quick, f"--save={save}", says="names no buffer", code=2)
    for argument, says in (("f32[99999999999]=zero", "larger than 4 GiB"), ("f32[-1]=zero", "not a number of elements"),
                           ("f32[18446744073709551616]=zero", "not a number of elements"), ("f32=1e39", "does not fit"),
                           ("f64=1e999", "is not a number"), ("i32=2147483648", "does not fit"), ("u32=-1", "does not fit"),
                           ("i64=9223372036854775808", "not a whole number"), ("f33=1", "the type must be"), ("f32[4=zero", "']' is missing"),
                           ("=1", "the type must be"), ("i32=", "the value is missing")):
        program.fails("simt", path, "--kernel", "quick", "--arg", argument, says=says, code=2)
    program.fails("simt", path, "--kernel", "quick", "--arg", "f64[400000000]=zero", "--arg", "f64[400000000]=zero",
                  says="the buffers take 6.0 GiB together", code=2)
    program.fails(*quick[:-1], "f32[300000000]=zero", "--gpu", "GTX 280", says="cudaErrorMemoryAllocation", code=1)


TUNED = """// knob: STEP = 2 in 1..4  elements between neighbours
// knob: TILE = 2 in 0..3  elements of the tile
extern "C" __global__ void stepped(const float* in, float* out) {
    __shared__ float tile[TILE]; static_assert(TILE > 0, "");
    int i = threadIdx.x * STEP;
    tile[threadIdx.x % TILE] = 0;
    out[i] = in[i];
}
extern "C" __global__ void keeps(int* out) {
    volatile int* own = new int[4];
    own[1] = threadIdx.x;
    out[threadIdx.x] = own[1];
    if (threadIdx.x) delete[] own;
}
"""


def a_file_is_a_lab_of_one_version(program):
    path = write(program, "tuned.cu", TUNED)
    run = (path, "--kernel", "stepped", "--arg", "f32[256]=iota", "--arg", "f32[256]=zero")
    plain = program.json("simt", *run)
    same = program.json("lab", *run)
    for made in (plain, same):
        del made["simulation_ms"]
    check(plain == same, "lab FILE.cu is simt FILE.cu")
    check(plain["global"]["load"]["transactions"] == 8, plain["global"])
    set_to = program.json("lab", *run, "--knob", "STEP=4")
    check(set_to["global"]["load"]["transactions"] == 16, set_to["global"])
    program.fails("lab", *run, "--knob", "STEP=5", says="from 1 to 4", code=2)
    program.fails("lab", *run, "--knob", "SIZE=5", says="choose one of STEP, TILE", code=2)
    table = os.path.join(program.folder, "steps.csv")
    swept = program.json("lab", *run, "--sweep", "STEP", "--csv", table)
    check(swept["axis"] == "STEP" and [point["at"] for point in swept["points"]] == [1, 2, 3, 4], swept["axis"])
    sectors = [point["run"]["global"]["load"]["transactions"] for point in swept["points"]]
    check(sectors == [4, 8, 12, 16], sectors)
    with open(table, encoding="utf-8") as file:
        rows = file.read().splitlines()
    check(len(rows) == 5 and rows[0].startswith("STEP,estimated_ms,"), rows)
    # A value that does not compile is a point without figures.
    tiles = program.json("sweep", *run, "--axis", "TILE")["points"]
    check("problem" in tiles[0] and all("run" in point for point in tiles[1:]), tiles[0])
    program.fails("lab", *run, "--sweep", "SIZE", says="choose one of STEP, TILE", code=2)
    program.fails("simt", 0, "--sweep", "STEP", says="belongs to a .cu file", code=2)


def memory_that_is_never_freed_is_a_note(program):
    path = write(program, "keeps.cu", TUNED)
    run = (path, "--kernel", "keeps", "--arg", "i32[32]=zero")
    found = program.json("simt", *run)["checks"]
    check([(one["kind"], one["severity"], one["line"], one["count"]) for one in found] ==
          [("memory that is never freed", "note", 10, 1)], found)
    strict = program.run("simt", *run, "--strict", expect=1).stdout
    check("16 bytes in 1 piece of malloc are never freed, line 10" in strict, strict)


TESTS = [a_file_is_a_lab_of_one_version, memory_that_is_never_freed_is_a_note, simt_counts_a_version, simt_runs_any_kernel, simt_finds_a_planted_fault, planted_waits_stand_at_their_line, atomics_that_queue_have_times_by_the_clock_alone, simt_refuses_what_it_cannot_do,
         a_file_runs_on_the_gpu_once_nothing_is_found, the_simulated_gpu_is_the_device_without_a_gpu, kernels_of_a_file_do_not_count_for_each_other, simt_refuses_what_the_gpu_refuses,
         notes_end_with_0_and_errors_with_1, endless_blocks_end_and_large_grids_go_on, ctrl_c_keeps_what_is_counted,
         json_has_words_for_what_is_no_number, kernels_are_found_by_name, files_of_every_kind, numbers_that_do_not_fit]

if __name__ == "__main__":
    sys.exit(main(TESTS))
