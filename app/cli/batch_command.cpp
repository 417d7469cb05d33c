#include "app/cli/batch_command.h"
#include "app/state/work_edit.h"

#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "app/cli/commands.h"
#include "app/cli/json_report.h"
#include "gpu/core/background.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/engine/batch.h"
#include "gpu/engine/engine.h"
#include "gpu/engine/run_to_end.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWildcards = "*?[";

// The pattern with the folders that are there by that very name taken literally: "photos [2020]/*.jpg".
std::string pattern_of(const std::string& image) {
    std::error_code status;
    std::string literal = image;
    while (!literal.empty() && !fs::exists(literal, status)) {
        const std::size_t slash = literal.find_last_of('/', literal.size() - 2);
        literal.erase(literal.size() < 2 || slash == std::string::npos ? 0 : slash + 1);
    }
    std::string pattern;
    for (const char character : literal) {
        if (character == '\\' || kWildcards.find(character) != std::string_view::npos) pattern += '\\';
        pattern += character;
    }
    pattern += image.substr(literal.size());
    return fs::is_directory(image, status) ? pattern + "/*" : pattern;
}

// The files of the folder, or those that the pattern matches, in order.
std::vector<fs::path> files_of(const std::string& image) {
    glob_t found{};
    std::vector<fs::path> files;
    std::error_code status;
    if (glob(pattern_of(image).c_str(), 0, nullptr, &found) == 0) {
        for (std::size_t i = 0; i < found.gl_pathc; ++i) {
            if (fs::is_regular_file(found.gl_pathv[i], status)) files.emplace_back(found.gl_pathv[i]);
        }
    }
    globfree(&found);
    if (files.empty())
        throw Error("no file matches", image, "put the pattern in quotes, e.g. --image 'photos/*.jpg'");
    return files;
}

// No result may take the place of a picture that is read, or of another result.
void refuse_collisions(const std::vector<BatchItem>& items) {
    std::map<std::pair<dev_t, ino_t>, fs::path> sources;
    struct stat found {};
    for (const BatchItem& item : items) {
        if (::stat(item.from.c_str(), &found) == 0) sources[{found.st_dev, found.st_ino}] = item.from;
    }
    std::map<fs::path, fs::path> results;
    for (const BatchItem& item : items) {
        if (::stat(item.to.c_str(), &found) == 0 && sources.count({found.st_dev, found.st_ino}) > 0)
            throw Error("the result would overwrite its source", item.to.string(),
                        "choose another folder for --output");
        const auto [other, added] = results.emplace(item.to, item.from);
        if (!added)
            throw Error(fmt::format("{} and {} would have the same result", other->second.string(),
                                    item.from.string()),
                        item.to.string(), "run them one after the other, into two folders");
    }
}

// Names of the results: the picture's own, with its old ending kept where two would be alike.
std::vector<BatchItem> items_of(const std::vector<fs::path>& files, const fs::path& folder,
                                const std::string& ending) {
    std::multiset<std::string> stems;
    for (const fs::path& file : files) stems.insert(file.stem().string());
    std::vector<BatchItem> items;
    for (const fs::path& file : files) {
        const bool alone = stems.count(file.stem().string()) == 1;
        items.push_back({file, folder / ((alone ? file.stem() : file.filename()).string() + ending)});
    }
    refuse_collisions(items);
    return items;
}

// Before hours of work, not after.
void make_writable_folder(const fs::path& folder) {
    std::error_code status;
    fs::create_directories(folder, status);
    if (!fs::is_directory(folder, status))
        throw Error("--output is not a folder", folder.string(), "name a folder for the results");
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
        throw Error("cannot write into the folder", folder.string(), "choose a folder that you may write to");
}

void show_progress(const BatchResult& so_far, std::size_t all, const std::string& problem) {
    const bool terminal = isatty(STDERR_FILENO) != 0;
    const std::size_t seen = std::size_t(so_far.done) + so_far.problems.size();
    if (!problem.empty()) fmt::print(stderr, "{}skipped: {}\n", terminal ? "\r\033[K" : "", problem);
    if (terminal)
        fmt::print(stderr, "\r{} of {} pictures{}", seen, all, seen == all ? "\n" : "");
    else if (seen % 50 == 0 || seen == all)
        fmt::print(stderr, "{} of {} pictures\n", seen, all);
    std::fflush(stderr);
}

// One for each device that takes part, its kernels ready.
std::vector<std::unique_ptr<Engine>> engines_of(const Options& options, const Work& work) {
    std::vector<Work> works{work};
    if (work.cuda_gpu == kAllGpus) {
        const Result<int> count = cuda_device_count();
        if (!count.ok())
            throw Error("the cuda device is not available", count.message(),
                        "use --device auto or --device cpu");
        works.assign(std::size_t(count.value()), work);
        for (std::size_t i = 0; i < works.size(); ++i) works[i].cuda_gpu = int(i);
    }
    std::vector<std::unique_ptr<Engine>> engines;
    for (const Work& one : works) {
        engines.push_back(std::make_unique<Engine>(engine_options(options)));
        Engine& engine = *engines.back();
        engine.set_picture(std::make_shared<const RgbaImage>(Extent{64, 64}), "none");
        engine.prepare(one);
        engine.wait_for_kernels();
        if (engine.snapshot().device.kind != DeviceKind::cpu) require_kernels(engine.snapshot());
    }
    return engines;
}

nlohmann::ordered_json devices_json(const std::vector<std::unique_ptr<Engine>>& engines,
                                    const BatchResult& result) {
    auto json = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < engines.size(); ++i) {
        json.push_back(running_device_json(engines[i]->snapshot().device));
        json.back()["done"] = result.done_by[i];
    }
    return json;
}

}  // namespace

bool names_many(const std::string& image) {
    if (builtin_picture(image)) return false;
    std::error_code status;
    if (fs::is_directory(image, status)) return true;
    return !fs::exists(image, status) && image.find_first_of(kWildcards) != std::string::npos;
}

int batch_command(const Options& options) {
    if (options.output.empty())
        throw UsageError("many pictures need a folder for the results", "", "add --output FOLDER");
    const Work work = work_of(options);
    if (work.lab->views[std::size_t(work.view)].ways.empty())
        throw UsageError("the original needs no run", "", "choose --show gray, blur or edge");
    const std::vector<fs::path> files = files_of(options.image);
    make_writable_folder(options.output);
    const std::vector<BatchItem> items = items_of(files, options.output, "." + options.format);

    const std::vector<std::unique_ptr<Engine>> engines = engines_of(options, work);
    std::vector<BatchDevice> devices;
    devices.reserve(engines.size());
    for (const std::unique_ptr<Engine>& engine : engines)
        devices.push_back({engine->device(), engine->plan()});
    const int workers = std::min(int(items.size()), options.workers > 0 ? options.workers : processors());
    const BatchResult result = run_batch(devices, items, std::max(1, workers),
                                         [&](const BatchResult& so_far, const std::string& problem) {
                                             show_progress(so_far, items.size(), problem);
                                         });

    const BatchTimes& times = result.times;
    const double per_second = times.wall > 0 ? result.done / times.wall : 0;
    if (options.json) {
        nlohmann::ordered_json json{{"version", work.version},
                                    {"device", running_device_json(engines.front()->snapshot().device)},
                                    {"devices", devices_json(engines, result)},
                                    {"done", result.done},
                                    {"skipped", result.problems},
                                    {"megapixels", double(result.pixels) / 1e6},
                                    {"workers", workers},
                                    {"seconds",
                                     {{"wall", times.wall},
                                      {"reading", times.reading},
                                      {"device", times.device},
                                      {"writing", times.writing}}},
                                    {"pictures_per_second", per_second}};
        print_json(json);
    } else {
        const RunningDevice& first = engines.front()->snapshot().device;
        fmt::print("V{} on {}: {} pictures, {:.1f} Mpixel in {:.2f} s, {:.1f} pictures a second\n",
                   work.version,
                   engines.size() > 1 ? fmt::format("{} GPUs", engines.size()) : shown_name(first),
                   result.done, double(result.pixels) / 1e6, times.wall, per_second);
        for (std::size_t i = 0; engines.size() > 1 && i < engines.size(); ++i)
            fmt::print("    {}: {} pictures\n", shown_name(engines[i]->snapshot().device), result.done_by[i]);
        fmt::print(
            "{} workers, together: reading and decoding {:.2f} s, copies and kernels {:.2f} s, encoding and "
            "writing "
            "{:.2f} s\n",
            workers, times.reading, times.device, times.writing);
        fmt::print("wrote {} files to {}\n", result.done, options.output.string());
    }
    if (result.problems.empty()) return 0;
    fmt::print(stderr, "warpscope: {} of {} pictures were skipped\n", result.problems.size(), items.size());
    return 1;
}

}  // namespace ws
