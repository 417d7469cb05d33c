"""Who may include whom: boxes_test.py BUILD_FOLDER. The project's headers by asking the compiler with the options of
each box; those of others (OpenGL, ImGui, CUDA may lie where every compiler looks) by reading the sources."""

import json
import os
import re
import shlex
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = sys.argv.pop(1)
OURS = ("gpu/", "render/", "app/")
SOURCES = (".cpp", ".cxx")  # of which the last hold several of the first

if os.name == "nt":
    print("skipped: without symbolic links every box sees all headers")
    sys.exit(77)


def source_files(folder):
    for path, _, names in os.walk(os.path.join(ROOT, folder)):
        for name in sorted(names):
            if name.endswith((".h", ".cpp", ".cu", ".cuh")):
                yield os.path.relpath(os.path.join(path, name), ROOT).replace(os.sep, "/")


def headers():
    return [file for folder in OURS for file in source_files(folder) if file.endswith(".h")]


def includes(folder):
    """Pairs of a file and what it includes, with its brackets."""
    for file in source_files(folder):
        with open(os.path.join(ROOT, file), encoding="utf-8") as source:
            for found in re.finditer(r'^\s*#\s*include\s*([<"][^>"]+[>"])', source.read(), re.MULTILINE):
                yield file, found[1]


def table():
    """Of each target the folders that it may see, as CMake was told; see cmake/boxes.cmake."""
    with open(os.path.join(BUILD, "boxes", "table"), encoding="utf-8") as lines:
        rows = [line.split() for line in lines if line.strip()]
    return {row[0]: row[1:] for row in rows}


def commands():
    """Of each target the command of one source file for each set of options."""
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    found = {}
    for entry in entries:
        words = entry.get("arguments") or shlex.split(entry["command"])
        target = re.search(r"CMakeFiles/([^/]+)\.dir/", words[words.index("-o") + 1])
        if target and entry["file"].endswith(SOURCES):
            roots = tuple(word for word in words if word.startswith("-I"))
            found.setdefault(target[1], {})[roots] = (words, entry["directory"])
    return {target: list(by_roots.values()) for target, by_roots in found.items()}


def compiler_says(words, folder, source):
    """Preprocesses `source` with the options of a command."""
    kept, skip = [], False
    for word in words:
        if skip or word in ("-c", "-MD") or word.endswith(SOURCES):
            skip = False
        elif word in ("-o", "-MT", "-MF"):
            skip = True
        else:
            kept.append(word)
    return subprocess.run([*kept, "-E", "-P", "-x", "c++", "-"], cwd=folder, input=source, text=True, capture_output=True)


def is_below(file, folders):
    return any(file.startswith(folder + "/") for folder in folders)


class Boxes(unittest.TestCase):
    def test_each_sees_what_it_may_and_nothing_else(self):
        compiled = commands()
        for target, folders in table().items():
            self.assertIn(target, compiled)
            for words, at in compiled[target]:
                probe = "".join(f'#if __has_include("{header}")\nseen {header}\n#endif\n' for header in headers())
                answer = compiler_says(words, at, probe)
                self.assertEqual(answer.returncode, 0, answer.stderr)
                seen = re.findall(r"^seen (\S+)", answer.stdout, re.MULTILINE)
                allowed = [header for header in headers() if is_below(header, folders)]
                self.assertEqual(seen, allowed, target)
                self.assertTrue(seen, f"{target} sees nothing: is the path of its headers right?")

    def test_a_forbidden_include_does_not_compile(self):
        words, at = commands()["ws_core"][0]
        self.assertEqual(compiler_says(words, at, '#include "gpu/core/error.h"\n').returncode, 0)
        refused = compiler_says(words, at, '#include "gpu/engine/engine.h"\n')
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("gpu/engine/engine.h", refused.stderr)

    def test_arrows_point_down(self):
        for target, folders in table().items():
            own = folders[0]
            if own == "gpu/core":
                self.assertEqual(folders, ["gpu/core"], target)
            if not own.startswith("app"):
                self.assertFalse([folder for folder in folders if folder.startswith("app")], f"{target} sees the app")
            if own.startswith("gpu"):
                self.assertFalse([folder for folder in folders if not folder.startswith("gpu/")], target)

    def test_every_source_is_in_a_box(self):
        own = [folders[0] for folders in table().values()]
        with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as cache:
            without_window = "WITH_OPENGL:BOOL=OFF" in cache.read()
        for folder in ("gpu/",) if without_window else OURS:
            for file in source_files(folder):
                if file.endswith((".h", ".cpp")):
                    self.assertTrue(is_below(file, own), f"{file} belongs to no target that sees its folder")


class Includes(unittest.TestCase):
    def test_ours_are_named_from_the_root(self):
        # A path beside the file or with ".." would pass by the roots of the boxes.
        for folder in OURS:
            for file, include in includes(folder):
                if file.endswith((".cu", ".cuh")):  # NVRTC finds a kernel's headers beside it and nowhere else
                    name = include[1:-1]
                    beside = os.path.join(ROOT, os.path.dirname(file), name)
                    self.assertTrue(name.endswith(".cuh") and os.path.exists(beside), f"{file} includes {include}")
                elif include[0] == '"':
                    self.assertTrue(include[1:].startswith(OURS) and ".." not in include, f"{file} includes {include}")

    def assert_only_in(self, places, pattern):
        for folder in OURS:
            for file, include in includes(folder):
                if re.match(pattern, include[1:]):
                    self.assertTrue(file.startswith(places), f"{file} includes {include}")

    def test_headers_of_others_stay_in_their_places(self):
        windows = ("app/window/", "app/views/", "app/canvas/")
        self.assert_only_in((*windows, "render/"), r"(glad|GL|GLFW|EGL)/")
        self.assert_only_in(windows, r"(imgui|imstb)")
        self.assert_only_in(("gpu/compile/", "gpu/cuda/", "render/interop_"), r"(cuda|nvrtc|nvml|device_launch|vector_types)")


unittest.main()
