"""The kernel compiler where the loader does not know its folder, and where a part of it is missing."""

import glob
import os
import re
import shutil
import subprocess
import sys

from program import check, main

# The loader, told to forget /etc/ld.so.cache and with it every folder that ld.so.conf names.
LOADERS = glob.glob("/lib64/ld-linux-x86-64.so.2") + glob.glob("/lib/ld-linux-aarch64.so.1")


def nvrtc_path(program):
    found = re.search(r"kernel compiler: NVRTC [0-9.]+, sm_\d+ to sm_\d+ \((.*)\)", program.run("--version").stdout)
    check(found is not None, "--version reports no compiler: " + program.run("--version").stdout)
    return found.group(1)


def without_cache(program, *arguments, environment=None):
    return subprocess.run([LOADERS[0], "--inhibit-cache", program.path, *arguments], capture_output=True, text=True, timeout=300,
                          env=dict(program.environment, **(environment or {})), cwd=program.folder, check=False)


def compiles_where_the_loader_does_not_know_the_folder(program):
    kernel = os.path.join(program.folder, "one.cu")
    with open(kernel, "w", encoding="utf-8") as file:
        file.write('extern "C" __global__ void one(int* out) { out[threadIdx.x] = 7; }\n')
    done = without_cache(program, "simt", kernel, "--kernel", "one", "--arg", "i32[32]=zero", "--print", "1")
    check(done.returncode == 0 and "7" in done.stdout, f"no kernel compiles: {done.stdout}{done.stderr}")
    text = without_cache(program, "--version").stdout
    check("kernel compiler: NVRTC " in text and ", sm_" in text, text)


def a_compiler_without_its_builtins_is_reported(program):
    """libnvrtc alone in a folder: it opens, reports its version and compiles nothing."""
    real = os.path.realpath(nvrtc_path(program))
    beside = glob.glob(os.path.join(os.path.dirname(real), "libnvrtc-builtins.so*"))
    check(beside, f"no builtins beside {real}")
    if os.path.dirname(real).startswith(("/usr/lib", "/lib")):
        print("        the loader finds these builtins in its own folder: not tried")
        return
    alone = os.path.join(program.folder, "alone")
    os.mkdir(alone)
    library = os.path.join(alone, os.path.basename(real))
    shutil.copyfile(real, library)
    lonely = {"WARPSCOPE_NVRTC": library}
    text = without_cache(program, "--version", environment=lonely).stdout
    check("cannot compile" in text and "builtins" in text and "install" in text and ", sm_" not in text, text)
    text = without_cache(program, "devices", environment=lonely).stdout
    check("cannot compile" in text and "builtins" in text, text)
    text = without_cache(program, "devices", "--json", environment=lonely).stdout
    check('"compiler_missing"' in text and "cannot compile" in text, text)
    done = without_cache(program, "run", "0", "--image", "test", "--device", "simt", environment=lonely)
    check(done.returncode == 1 and "cannot compile" in done.stderr, f"{done.returncode} {done.stdout}{done.stderr}")
    # Whatever ends their names, they are found beside it.
    for path in beside:
        if not os.path.islink(path):
            shutil.copyfile(path, os.path.join(alone, os.path.basename(path) + ".99"))
    text = without_cache(program, "--version", environment=lonely).stdout
    check(", sm_" in text and alone in text, text)


def dot_products_have_code(program):
    """NVRTC 11.8 declares them alone; the numbers are worked out by hand."""
    kernel = os.path.join(program.folder, "dots.cu")
    with open(kernel, "w", encoding="utf-8") as file:
        file.write("""extern "C" __global__ void dots(int* out, unsigned a, int b) {
    out[0] = int(__dp4a(a, 0x01020304u, 5u));
    out[1] = __dp4a(b, 0x01020304, 5);
    out[2] = __dp2a_lo(b, 0x01020304, 5);
    out[3] = int(__dp2a_hi(a, 0x01020304u, 5u));
    out[4] = __dp4a(make_char4(1, -2, 3, 4), make_char4(5, 6, 7, -8), 100);
}
""")
    done = program.run("simt", kernel, "--kernel", "dots", "--block", "1", "--arg", "i32[5]=zero", "--arg", "i32=257", "--arg", "i32=-1",
                       "--print", "5")
    check("\nargument 0: 12 -5 -2 519 82\n" in done.stdout, done.stdout)


def devices_tells_of_the_compiler(program):
    text = program.run("devices").stdout
    check("kernel compiler: NVRTC " in text, text)
    compiler = program.json("devices")["compiler"]
    check(compiler["name"].startswith("NVRTC ") and compiler["architectures"] and os.path.exists(compiler["path"]), compiler)


if __name__ == "__main__":
    if not LOADERS:
        print("a loader that this test does not know")
        sys.exit(77)
    sys.exit(main([devices_tells_of_the_compiler, dot_products_have_code, compiles_where_the_loader_does_not_know_the_folder,
                   a_compiler_without_its_builtins_is_reported]))
