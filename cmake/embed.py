"""Writes a C++ file that holds the bytes of files: embed.py OUTPUT NAMESPACE FILE..."""

import os
import sys


def main() -> None:
    output, namespace, paths = sys.argv[1], sys.argv[2], sys.argv[3:]
    lines = ['#include <array>', '#include "gpu/core/embedded_file.h"', "namespace {"]
    for index, path in enumerate(paths):
        with open(path, "rb") as file:
            data = file.read()
        lines.append(f"const unsigned char kFile{index}[] = {{")
        for start in range(0, len(data), 64):
            lines.append(",".join(map(str, data[start : start + 64])) + ",")
        lines.append("0};")
    entries = ", ".join(
        f'ws::EmbeddedFile{{"{os.path.basename(path)}", '
        f"{{reinterpret_cast<const char*>(kFile{index}), sizeof kFile{index} - 1}}}}"
        for index, path in enumerate(paths)
    )
    lines += [
        f"const std::array<ws::EmbeddedFile, {len(paths)}> kFiles{{{entries}}};",
        "}  // namespace",
        f"std::span<const ws::EmbeddedFile> {namespace}::files() {{ return kFiles; }}",
    ]
    # The namespace must be declared before its function is defined from outside.
    declaration = f"namespace {namespace} {{ std::span<const ws::EmbeddedFile> files(); }}"
    lines.insert(2, declaration)
    temporary = output + ".new"
    with open(temporary, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    os.replace(temporary, output)


main()
