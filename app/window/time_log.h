#pragma once
// What the window measures on this machine's GPU, kept as records for the next start (docs/records.md).

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gpu/core/snapshot.h"
#include "gpu/records/record_file.h"
#include "gpu/records/recordings.h"

namespace ws {

class Engine;

class TimeLog {
  public:
    // Appends to this file; an empty path keeps nothing.
    explicit TimeLog(std::filesystem::path path) : path_(std::move(path)) {}

    // What a person is to be told: a time that is refused, or that nothing can be kept.
    struct News {
        std::string text;
        bool error = false;
    };
    // After a frame: appends what the engine has measured of the work that runs, once a run of the program
    // for each work, when its samples are there and its result is checked.
    [[nodiscard]] std::optional<News> update(const Engine& engine);

  private:
    [[nodiscard]] bool wants(const Engine& engine) const;
    [[nodiscard]] std::optional<News> append(const Record& record);

    std::filesystem::path path_;
    std::unique_ptr<RecordFile> file_;  // once there is something to append
    std::uint64_t seen_ = 0;            // the plan that was looked at last
    std::vector<RecordKey> kept_;
    std::vector<RecordKey> refused_;
};

// The times of earlier starts in these files, to be shown until they are measured anew: each that exists and
// can be read; what cannot is named in `notes`. Records of other kernels stay, and fit nothing.
[[nodiscard]] Recordings kept_times(const std::vector<std::filesystem::path>& files,
                                    std::vector<std::string>& notes);

}  // namespace ws
