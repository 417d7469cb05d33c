#include "app/window/time_log.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/texts/texts.h"
#include "gpu/core/error.h"
#include "gpu/engine/engine.h"

namespace ws {
namespace {

constexpr int kFewestSamples = 100;  // a median that does not move any more

bool has(const std::vector<RecordKey>& keys, const RecordKey& key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

}  // namespace

bool TimeLog::wants(const Engine& engine) const {
    const Snapshot& snapshot = engine.snapshot();
    const Abilities& can = snapshot.device.can;
    if (path_.empty() || !can.measures_time || !can.needs_kernels) return false;
    if (snapshot.run.stale || engine.plan().generation == seen_) return false;
    if (snapshot.result.check.state == Check::State::pending) return false;
    return snapshot.times.total_ms.samples >= kFewestSamples || !snapshot.times.refused.empty();
}

std::optional<TimeLog::News> TimeLog::update(const Engine& engine) {
    if (!wants(engine)) return std::nullopt;
    const Record record = engine.record();
    if (!record.refused.empty()) {
        // Said once, and kept as refused; the samples that come may be better.
        if (has(refused_, record.key)) return std::nullopt;
        refused_.push_back(record.key);
        std::optional<News> news = append(record);
        return news ? news : News{std::string(say("times.refused", record.refused)), false};
    }
    seen_ = engine.plan().generation;
    if (has(kept_, record.key)) return std::nullopt;
    kept_.push_back(record.key);
    return append(record);
}

std::optional<TimeLog::News> TimeLog::append(const Record& record) {
    try {
        if (!file_) file_ = std::make_unique<RecordFile>(path_);
        file_->append(record);
        return std::nullopt;
    } catch (const Error& error) {
        path_.clear();  // once is enough
        return News{std::string(say("times.not_kept", error.what())), true};
    }
}

Recordings kept_times(const std::vector<std::filesystem::path>& files, std::vector<std::string>& notes) {
    Recordings all;
    for (const std::filesystem::path& file : files) {
        std::error_code status;
        if (!std::filesystem::exists(file, status)) continue;
        try {
            RecordLines lines = read_record_file(file);
            for (const BadLine& bad : lines.bad)
                notes.push_back(
                    std::string(say("times.bad_line", file.filename().string(), bad.line, bad.why)));
            all.add(std::move(lines.records));
        } catch (const Error& error) {
            notes.push_back(std::string(say("times.not_read", error.what())));
        }
    }
    return all;
}

}  // namespace ws
