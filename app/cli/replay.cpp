#include "app/cli/replay.h"

#include <fmt/format.h>

#include <span>

#include "app/cli/calibrate_command.h"
#include "gpu/core/embedded_file.h"
#include "gpu/core/error.h"
#include "gpu/records/record_file.h"

namespace ws {
namespace embedded_recordings {
std::span<const EmbeddedFile> files();
}
namespace {

std::string_view stem(std::string_view file) {
    return file.substr(0, file.find('.'));
}

RecordLines recording_lines(const std::filesystem::path& name) {
    std::string names;
    for (const EmbeddedFile& file : embedded_recordings::files()) {
        if (stem(file.name) == name.string()) return read_records(file.text);
        names += (names.empty() ? "" : ", ") + std::string(stem(file.name));
    }
    if (!std::filesystem::exists(name))
        throw Error("there is no such recording", name.string(),
                    names.empty() ? "name a file of records" : "name a file of records, or one of " + names);
    return read_record_file(name);
}

}  // namespace

Replay load_replay(const Options& options, const KernelLibrary& library) {
    const GpuTable gpus(own_calibrations());  // as the engine has it: profiles are parts of keys
    Replay all;
    for (const std::filesystem::path& name : options.replay) {
        RecordLines lines = recording_lines(name);
        for (const BadLine& bad : lines.bad)
            all.notes.push_back(fmt::format("{}, line {} is left out: {}", name.string(), bad.line, bad.why));
        Replay one = replay_of(std::move(lines.records), gpus, library, name.string());
        all.recordings.add(one.recordings.all());
        all.notes.insert(all.notes.end(), one.notes.begin(), one.notes.end());
    }
    return all;
}

}  // namespace ws
