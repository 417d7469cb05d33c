"""On a real GPU: kernels that write nothing, write wrongly, run astray or cannot be launched are reported, and nothing is lost.

Skips by name on a machine without a GPU; WARPSCOPE_REQUIRE_GPU=1 makes that a failure.
"""

import ctypes
import os
import sys

from program import Program, check, run_tests

SIGNATURE = 'extern "C" __global__ void blur(const unsigned char* src, unsigned char* dst, int width, int height) '
# What is wrong with the blur kernel, and what the program must say of it.
KERNELS = {
    "writes nothing": (SIGNATURE + "{}", "write nothing"),
    "writes half": (SIGNATURE + "{ int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y; "
                    "if (x < width / 2 && y < height) dst[y * width + x] = 1; }", "never written"),
    "writes wrongly": (SIGNATURE + "{ int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y; "
                       "if (x < width && y < height) dst[y * width + x] = src[y * width + x]; }", "differ from the definition"),
    "runs astray": (SIGNATURE + "{ *(volatile int*)(unsigned long long)(threadIdx.x * 8ull) = 1; }", "is in no buffer"),
    "wants too much shared memory": ("// knob: BLOCK_X = 8 in 1..1024\n" + SIGNATURE +
                                     "{ __shared__ int a[40000]; a[threadIdx.x] = src[0]; __syncthreads(); dst[0] = a[0]; }",
                                     "bytes of shared memory are too much"),
    "is another kernel": ('extern "C" __global__ void blurr() {}', "no kernel"),
}


def picture(program):
    path = os.path.join(program.folder, "a.pgm")
    with open(path, "wb") as file:
        file.write(b"P5\n97 61\n255\n" + bytes((x * 7 + y * 13) % 256 for y in range(61) for x in range(97)))
    return path


def folder_with(program, text):
    folder = os.path.join(program.folder, "kernels")
    program.run("kernels", folder, "--overwrite")
    with open(os.path.join(folder, "blur_g1.cu"), "w", encoding="utf-8") as file:
        file.write(text + "\n")
    return folder


def bad_kernels_are_reported(program):
    image = picture(program)
    for name, (text, says) in KERNELS.items():
        folder = folder_with(program, text)
        try:
            program.fails("run", 1, "--device", "cuda", "--show", "blur", "--image", image, "--kernels", folder, "--repeat", 2,
                          says=says, code=1)
        except Exception as error:
            raise type(error)(f"{name}: {error}") from error


def the_gpu_works_afterwards(program):
    result = program.json("run", 8, "--device", "cuda", "--image", picture(program), "--repeat", 2)
    check(result["check"] == "every pixel as defined", result)


class FullGpu:
    """While it lives, this process holds all memory of the first GPU but what other contexts have already."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.context = ctypes.c_void_p()
        check(self.cuda.cuInit(0) == 0, "cuInit fails")
        check(self.cuda.cuCtxCreate_v2(ctypes.byref(self.context), 0, 0) == 0, "cuCtxCreate fails")

    def fill(self):
        size = 1 << 37
        while size >= 1 << 16:
            pointer = ctypes.c_uint64()
            if self.cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(size)) != 0:
                size //= 2

    def close(self):
        self.cuda.cuCtxDestroy_v2(self.context)


def a_full_gpu_is_reported(program):
    gpu = FullGpu()
    try:
        gpu.fill()
        program.fails("run", 8, "--device", "cuda", "--image", picture(program), says="memory", code=1)
        result = program.json("run", 8, "--device", "auto", "--image", picture(program), "--repeat", 2)
        # The kernels still run, warp by warp on the CPU.
        check(result["device"]["kind"] == "simt" and result["check"] == "every pixel as defined", result)
    finally:
        gpu.close()


TESTS = [a_full_gpu_is_reported, bad_kernels_are_reported, the_gpu_works_afterwards]


def main():
    program = Program(sys.argv[1])
    try:
        devices = program.json("devices")
        if not devices["cuda"]:
            required = os.environ.get("WARPSCOPE_REQUIRE_GPU") == "1"
            print(("a GPU is required" if required else "skipped: gpu_faults_test needs a CUDA GPU") + ": " + devices["cuda_missing"])
            return 1 if required else 77
        return run_tests(TESTS, program)
    finally:
        program.close()


if __name__ == "__main__":
    sys.exit(main())
