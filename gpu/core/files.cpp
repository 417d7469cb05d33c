#include "gpu/core/files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>

#include "gpu/core/error.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

fs::path from_environment(const char* variable) {
    const char* value = std::getenv(variable);
    return value && *value ? fs::path(value) : fs::path();
}

fs::path home() {
#ifdef _WIN32
    return from_environment("USERPROFILE");
#else
    return from_environment("HOME");
#endif
}

fs::path platform_folder(const char* variable, const char* below_home) {
    fs::path base = from_environment(variable);
    if (base.empty()) base = home().empty() ? fs::temp_directory_path() : home() / below_home;
    return base / "warpscope";
}

// The line XDG_PICTURES_DIR="$HOME/Pictures" of the desktop's own table of folders.
fs::path xdg_pictures() {
    fs::path table = from_environment("XDG_CONFIG_HOME");
    if (table.empty()) table = home() / ".config";
    std::ifstream lines(table / "user-dirs.dirs");
    const std::string key = "XDG_PICTURES_DIR=\"";
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind(key, 0) != 0 || line.back() != '"') continue;
        std::string value = line.substr(key.size(), line.size() - key.size() - 1);
        if (value.rfind("$HOME", 0) == 0) value = home().string() + value.substr(5);
        return value;
    }
    return {};
}

std::string reason() {
    return std::strerror(errno);
}

}  // namespace

fs::path config_folder() {
#ifdef _WIN32
    return platform_folder("APPDATA", "AppData/Roaming");
#else
    return platform_folder("XDG_CONFIG_HOME", ".config");
#endif
}

fs::path cache_folder() {
#ifdef _WIN32
    return platform_folder("LOCALAPPDATA", "AppData/Local");
#else
    return platform_folder("XDG_CACHE_HOME", ".cache");
#endif
}

fs::path pictures_folder() {
    std::error_code ignored;
    fs::path desktop = xdg_pictures();
    if (!desktop.empty() && fs::is_directory(desktop, ignored)) return desktop;
    fs::path usual = home() / "Pictures";
    if (!home().empty() && fs::is_directory(usual, ignored)) return usual;
    return fs::current_path();
}

std::string read_file(const fs::path& path, std::size_t limit) {
    std::error_code status;
    if (fs::is_directory(path, status)) throw Error("is a folder, not a file", path.string(), "name a file");
    // A device or a pipe may have no end, or keep whoever opens it waiting.
    if (fs::exists(path, status) && !fs::is_regular_file(path, status))
        throw Error("is a device or a pipe, not a file", path.string(), "name a file");
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw Error("cannot read the file (" + reason() + ")", path.string(),
                    "check the path and its rights");
    std::string bytes;
    if (const std::uintmax_t size = fs::file_size(path, status); !status && size <= limit)
        bytes.reserve(std::size_t(size));
    char chunk[1 << 16];
    while (file.read(chunk, sizeof chunk) || file.gcount() > 0) {
        bytes.append(chunk, static_cast<std::size_t>(file.gcount()));
        if (bytes.size() > limit) {
            throw Error("the file is larger than " + std::to_string(limit >> 20) + " MiB", path.string(),
                        "use a smaller one");
        }
    }
    if (file.bad()) throw Error("reading failed (" + reason() + ")", path.string());
    return bytes;
}

void write_file(const fs::path& path, std::string_view bytes) {
    std::error_code status;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    fs::create_directories(folder, status);
    if (status) {
        throw Error("cannot make the folder (" + status.message() + ")", folder.string(),
                    "choose a folder that you may write to");
    }
    fs::path temporary = path;
    temporary += ".new";
    {
        errno = 0;
        std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
        if (!file) {
            throw Error("cannot write the file (" + reason() + ")", path.string(),
                        "choose a folder that you may write to");
        }
        file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        file.close();
        if (!file) {
            const std::string why = errno ? reason() : "write failed";
            fs::remove(temporary, status);
            throw Error("cannot write the file (" + why + ")", path.string(),
                        "make room or choose another folder");
        }
    }
    fs::rename(temporary, path, status);
    if (status) {
        const std::string why = status.message();
        fs::remove(temporary, status);
        throw Error("cannot rename the finished file (" + why + ")", path.string(), "choose another folder");
    }
}

}  // namespace ws
