"""compiled_sources.py BUILD_FOLDER SOURCE...: the files by which a build compiles these sources, a line each: the sources
themselves, or files that include several of them. Prints nothing and fails where one is not compiled."""

import json
import os
import re
import sys


def main(build, names):
    sources = {os.path.abspath(name) for name in names}
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = [os.path.join(entry["directory"], entry["file"]) for entry in json.load(file)]
    compiled, missing = [], set(sources)
    for entry in dict.fromkeys(map(os.path.abspath, entries)):
        held = {entry}
        if os.path.basename(entry).startswith("unity_"):
            with open(entry, encoding="utf-8") as together:
                held = {os.path.abspath(path) for path in re.findall(r'#include "([^"]+)"', together.read())}
        if held & sources:
            compiled.append(entry)
            missing -= held
    for name in sorted(missing):
        print(f"{name} is not compiled", file=sys.stderr)
    if missing:
        return 1
    print("\n".join(compiled))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], sys.argv[2:]))
