"""What the scripts that test the program share: running it, and plain assertions that say what went wrong."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time


class Failure(Exception):
    pass


def check(condition, message):
    if not condition:
        raise Failure(message)


def path(program, name):
    """In the program's folder."""
    return os.path.join(program.folder, name)


def write(program, name, data):
    with open(path(program, name), "wb") as file:
        file.write(data)
    return path(program, name)


class Program:
    """The program with a folder of its own for settings, and one for caches unless the environment names it: what one script compiles, the others find then."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.folder = tempfile.mkdtemp(prefix="warpscope_test_")
        self.environment = dict(os.environ, XDG_CONFIG_HOME=self.folder + "/config",
                                XDG_CACHE_HOME=os.environ.get("XDG_CACHE_HOME", self.folder + "/cache"), HOME=self.folder, LC_ALL="C.UTF-8")
        # OpenGL libraries leak, and are unloaded before their leaks could be told from ours: tests of the parts look.
        self.environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *arguments, expect=0, environment=None, **options):
        merged = dict(self.environment, **(environment or {}))
        done = subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True, timeout=300, env=merged,
                              cwd=self.folder, **options)
        check(done.returncode == expect,
              f"warpscope {' '.join(map(str, arguments))}: exit code {done.returncode} instead of {expect}\n{done.stdout}{done.stderr}")
        return done

    def json(self, *arguments):
        return json.loads(self.run(*arguments, "--json").stdout)

    def fails(self, *arguments, says, code, environment=None):
        """The program must end with `code` and one line of error that contains `says`."""
        done = self.run(*arguments, expect=code, environment=environment)
        lines = done.stderr.strip().splitlines()
        check(bool(lines) and lines[0].startswith("warpscope: error: "), f"no error line for {arguments}: {done.stderr}")
        check(says in done.stderr, f"{arguments}: '{says}' is missing in: {done.stderr}")


def run_tests(tests, program):
    """Calls each test; prints a line for each, with its time, and returns the exit code."""
    failed = 0
    for test in tests:
        start = time.monotonic()
        try:
            test(program)
            print(f"ok      {test.__name__} ({time.monotonic() - start:.1f} s)", flush=True)
        except Exception as error:  # every failed test is reported, and the others continue
            failed += 1
            print(f"FAILED  {test.__name__}: {error}", flush=True)
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed else 0


def main(tests):
    program = Program(sys.argv[1])
    try:
        return run_tests(tests, program)
    finally:
        program.close()
