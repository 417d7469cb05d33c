"""The scripts in tools/, in a copy of the repository whose package manager and build are stand-ins that note what they are asked."""

import glob
import json
import os
import re
import shutil
import subprocess
import sys

from program import check, main

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# More than a pipe holds after the line that is looked for: who reads no further ends the writer.
STAND_INS = {
    "apt-cache": 'printf "%s:\\n  Candidate: 1.0\\n" "$2"; for i in $(seq 40000); do echo "  500 http://somewhere/$i" || exit 141; done',
    "apt-get": 'echo "$*" >>"$NOTES"; [ "$1" != indextargets ] || echo "http://mirror.example/debian/ bookworm main"',
    "dpkg-query": '[ "$4" != "$MISSING" ] && echo "install ok installed" || exit 1',
    "cmake": ":",
    "sudo": 'exec "$@"',
}


class Copy:
    """tools/ in a folder of its own, with `program` as what the build has made."""

    def __init__(self, program, name, commands=None):
        self.folder = os.path.join(program.folder, name)
        self.commands = os.path.join(self.folder, "commands")
        self.notes = os.path.join(self.folder, "notes")
        shutil.copytree(os.path.join(ROOT, "tools"), os.path.join(self.folder, "tools"))
        os.makedirs(self.commands)
        os.makedirs(os.path.join(self.folder, "build", "release"))
        for command, text in {**STAND_INS, **(commands or {})}.items():
            self.script(os.path.join(self.commands, command), text)
        self.script(os.path.join(self.folder, "build", "release", "build.ninja"), "")
        os.symlink(program.path, os.path.join(self.folder, "build", "release", "warpscope"))
        self.environment = dict(program.environment, PATH=self.commands + ":" + os.environ["PATH"], NOTES=self.notes, MISSING="",
                                CUDAToolkit_ROOT="/", DISPLAY="", WAYLAND_DISPLAY="")

    @staticmethod
    def script(path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/bash\n" + text + "\n")
        os.chmod(path, 0o755)

    def run(self, *command, **environment):
        return subprocess.run(command, cwd=self.folder, env=dict(self.environment, **environment), capture_output=True, text=True,
                              timeout=300, check=False)

    def noted(self):
        if not os.path.exists(self.notes):
            return ""
        with open(self.notes, encoding="utf-8") as file:
            return file.read()


def no_script_pipes_into_grep_q(_):
    """grep -q ends at a match, the writer before it with SIGPIPE: under pipefail the pipe then fails."""
    scripts = [path for path in glob.glob(ROOT + "/tools/*") + glob.glob(ROOT + "/.ci/*") if os.path.isfile(path)]
    check(len(scripts) > 8, f"the scripts are not found under {ROOT}")
    for path in scripts:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                check(not re.search(r"\|\s*[efz]?grep\s+(-\S+\s+)*(-\w*q|--quiet|--silent)", line), f"{path}:{number}: {line.strip()}")


def a_package_that_apt_has_is_installed(program):
    copy = Copy(program, "missing")
    done = copy.run("tools/run", "versions", MISSING="python3-glad")
    check(done.returncode == 0, done.stderr)
    check("python3-glad" in copy.noted(), f"python3-glad is not installed: {copy.noted()}{done.stdout}{done.stderr}")


def a_package_that_apt_lacks_is_done_without(program):
    copy = Copy(program, "lacking", {"apt-cache": 'printf "%s:\\n  Candidate: (none)\\n" "$2"'})
    done = copy.run("tools/run", "versions", MISSING="python3-glad")
    check(done.returncode == 0 and " install " not in copy.noted(), f"{copy.noted()}{done.stdout}{done.stderr}")


def without_a_network_what_is_nice_to_have_is_left_out(program):
    copy = Copy(program, "offline", {"apt-get": "exit 100"})
    done = copy.run("tools/run", "versions", MISSING="libdeflate-dev")
    check(done.returncode == 0 and "going on without libdeflate-dev" in done.stdout, f"{done.stdout}{done.stderr}")


def contrib_comes_from_where_debian_comes_from(program):
    copy = Copy(program, "mirror")
    done = copy.run("bash", "-euo", "pipefail", "-c", ". tools/setup.sh; debian_mirror bookworm; debian_mirror trixie")
    check(done.stdout.split() == ["http://mirror.example/debian/", "http://deb.debian.org/debian"], done.stdout + done.stderr)


def run_leaves_its_arguments_to_the_program(program):
    copy = Copy(program, "arguments")
    image = os.path.join(copy.folder, "tiny.pgm")
    with open(image, "wb") as file:
        file.write(b"P5\n64 48\n255\n" + bytes(64 * 48))
    picture = os.path.join(copy.folder, "warpscope.png")
    # Sub-commands draw nothing, with or without options before them.
    for arguments in (["versions"], ["simt", "0", "--image", image], ["run", "0", "--image", image, "--repeat", "1"], ["--help"]):
        done = copy.run("tools/run", *arguments)
        plain = program.run(*arguments).stdout
        check(done.returncode == 0 and done.stdout.splitlines()[:1] == plain.splitlines()[:1], f"{arguments}: {done.stdout}{done.stderr}")
        check(not os.path.exists(picture), f"{arguments} drew a picture")
    if "built without a window" in program.run("--version").stdout:
        return
    done = copy.run("tools/run", "3", "--image", image)
    check(done.returncode == 0 and os.path.exists(picture) and os.path.getsize(picture) > 10000, f"no picture: {done.stdout}{done.stderr}")
    check("off screen" in done.stdout, f"it does not say what it does: {done.stdout}")


def lint_fails_where_clang_tidy_cannot_run(program):
    if not shutil.which("git"):
        print("        there is no git here: not tried")
        return
    commands = {"clang-format": ":", "clang-tidy": "echo 'it crashed' >&2; kill -SEGV $$"}
    copy = Copy(program, "lint", commands)
    os.makedirs(os.path.join(copy.folder, "gpu"))
    for file in ("gpu/a.cpp", "build/release/compile_commands.json"):
        with open(os.path.join(copy.folder, file), "w", encoding="utf-8") as out:
            out.write(json.dumps([{"directory": copy.folder, "file": "gpu/a.cpp"}]) if file.endswith("json") else "int a;\n")
    for command in (["init", "-q"], ["add", "gpu"]):
        subprocess.run(["git", *command], cwd=copy.folder, check=True)
    done = copy.run("tools/lint")
    check(done.returncode != 0 and "clang-tidy failed" in done.stderr and "it crashed" in done.stderr, f"{done.stdout}{done.stderr}")
    copy.script(os.path.join(copy.commands, "clang-tidy"), "echo '/gpu/a.cpp:1:1: error: bad'; exit 1")
    done = copy.run("tools/lint")
    check(done.returncode != 0 and "a.cpp:1:1: error: bad" in done.stderr, f"{done.stdout}{done.stderr}")
    copy.script(os.path.join(copy.commands, "clang-tidy"), "exit 0")
    check(copy.run("tools/lint").returncode == 0, "lint fails where nothing is wrong")
    # A PATH without clang-tidy: what lint needs, linked.
    os.remove(os.path.join(copy.commands, "clang-tidy"))
    for tool in ("bash", "git", "grep", "dirname", "basename", "mkdir", "sort", "tail", "xargs", "nproc", "sed"):
        os.symlink(shutil.which(tool), os.path.join(copy.commands, tool))
    done = copy.run("tools/lint", PATH=copy.commands)
    check(done.returncode != 0 and "clang-tidy is missing" in done.stderr, f"{done.stdout}{done.stderr}")


def tools_name_no_file_that_others_can_foresee(_):
    """A fixed name in a shared folder may be another user's program."""
    for path in glob.glob(ROOT + "/tools/**", recursive=True):
        if os.path.isdir(path):
            continue
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                check(not re.search(r"""(^|[\s"'=])/(var/)?tmp/""", line), f"{path}:{number}: {line.strip()}")


if __name__ == "__main__":
    sys.exit(main([no_script_pipes_into_grep_q, a_package_that_apt_has_is_installed,
                   a_package_that_apt_lacks_is_done_without,
                   without_a_network_what_is_nice_to_have_is_left_out, contrib_comes_from_where_debian_comes_from,
                   run_leaves_its_arguments_to_the_program, lint_fails_where_clang_tidy_cannot_run,
                   tools_name_no_file_that_others_can_foresee]))
