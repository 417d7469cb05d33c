#pragma once
// The kernel files and the headers that they share: those embedded in the program, replaced by those of a
// folder on disk where there is one.

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/kernel.h"

namespace ws {

class KernelLibrary {
  public:
    // An empty folder means the embedded files alone. Headers are found there, then in `include_folders`,
    // then among the embedded ones. Throws Error if the folder cannot be read.
    explicit KernelLibrary(std::filesystem::path folder = {},
                           std::vector<std::filesystem::path> include_folders = {});

    // Throws Error for a name that the program does not know.
    [[nodiscard]] const KernelSource& find(std::string_view name) const;
    [[nodiscard]] const std::map<std::string, KernelSource, std::less<>>& all() const { return sources_; }
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

    // Reads files and headers that changed on disk since the last call; true if that changes any kernel. A
    // file that cannot be read or parsed keeps its last good text and is named in problem().
    bool refresh();
    [[nodiscard]] const std::string& problem() const { return problem_; }

    // Writes the embedded files into `folder`. A file there that differs is kept unless `overwrite`; its name
    // is returned. Throws Error.
    static std::vector<std::string> write_to(const std::filesystem::path& folder, bool overwrite);

  private:
    struct EmbeddedAlone {};
    explicit KernelLibrary(EmbeddedAlone);
    // Read once: a lecture makes a library for each of its steps.
    [[nodiscard]] static const KernelLibrary& embedded();

    struct Stamp {
        std::filesystem::file_time_type time;
        std::uintmax_t size = 0;
        friend bool operator==(const Stamp&, const Stamp&) = default;
    };
    // The text of a file that changed since it was read last. Throws Error.
    [[nodiscard]] std::optional<std::string> changed_text(const std::filesystem::path& path);
    [[nodiscard]] std::filesystem::path header_path(const std::string& name) const;
    bool refresh_headers();
    bool find_headers();
    void mark_edited();

    std::filesystem::path folder_;
    std::vector<std::filesystem::path> include_folders_;
    std::map<std::string, KernelSource, std::less<>> sources_;
    std::map<std::string, std::string, std::less<>> headers_;  // by name: embedded, or of the folder
    std::set<std::string> included_;                           // names of headers, there or not
    std::map<std::filesystem::path, Stamp> stamps_;
    std::string problem_;
};

}  // namespace ws
