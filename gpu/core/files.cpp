#include "gpu/core/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <random>
#include <system_error>
#include <utility>

#include "gpu/core/error.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

fs::path from_environment(const char* variable) {
    const char* value = std::getenv(variable);
    return value && *value ? fs::path(value) : fs::path();
}

// A relative path would be another folder for each current one.
fs::path absolute_from_environment(const char* variable) {
    fs::path path = from_environment(variable);
    return path.is_absolute() ? path : fs::path();
}

fs::path home() {
    return absolute_from_environment("HOME");
}

fs::path own_folder(const char* variable, const char* below_home) {
    fs::path base = absolute_from_environment(variable);
    if (base.empty() && !home().empty()) base = home() / below_home;
    return base.empty() ? base : base / "warpscope";
}

// The line XDG_PICTURES_DIR="$HOME/Pictures" of the desktop's own table of folders.
fs::path xdg_pictures() {
    fs::path table = absolute_from_environment("XDG_CONFIG_HOME");
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

class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor() { (void)close_now(); }
    [[nodiscard]] int get() const { return number_; }
    [[nodiscard]] bool valid() const { return number_ >= 0; }
    // Some file systems report only here that the disk is full.
    [[nodiscard]] bool close_now() {
        const int number = std::exchange(number_, -1);
        return number < 0 || ::close(number) == 0;
    }

  private:
    int number_;
};

bool write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(file, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

// Pipes and devices have nothing to sync.
bool synced(int file) {
    return ::fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP;
}

[[noreturn]] void refuse_write(const fs::path& path, const std::string& why) {
    throw Error("cannot write the file (" + why + ")", path.string(),
                "make room or choose a folder that you may write to");
}

// A file in the folder that was not there before, whatever others put there meanwhile.
std::pair<fs::path, Descriptor> new_file(const fs::path& folder, const fs::path& target) {
    constexpr int kTries = 100;
    constexpr mode_t kMode = 0666;  // less the umask
    std::random_device random;
    for (int i = 0; i < kTries; ++i) {
        fs::path path = folder / (".warpscope-" + std::to_string(random()) + ".new");
        Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode));
        if (file.valid()) return {std::move(path), std::move(file)};
        if (errno != EEXIST) refuse_write(target, reason());
    }
    refuse_write(target, "no free temporary name");
}

void write_in_place(const fs::path& path, std::string_view bytes) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file.valid() || !write_all(file.get(), bytes) || !file.close_now()) refuse_write(path, reason());
}

// The mode of a regular file that is there.
std::optional<mode_t> mode_of(const fs::path& path) {
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
    return found.st_mode & 0777;
}

}  // namespace

fs::path config_folder() {
    return own_folder("XDG_CONFIG_HOME", ".config");
}

fs::path cache_folder() {
    return own_folder("XDG_CACHE_HOME", ".cache");
}

fs::path data_folder() {
    return own_folder("XDG_DATA_HOME", ".local/share");
}

fs::path pictures_folder() {
    std::error_code ignored;
    fs::path desktop = xdg_pictures();
    if (!desktop.empty() && fs::is_directory(desktop, ignored)) return desktop;
    fs::path usual = home() / "Pictures";
    if (!home().empty() && fs::is_directory(usual, ignored)) return usual;
    return fs::current_path();
}

bool make_private_folder(const fs::path& folder) {
    if (folder.empty()) return false;
    std::error_code status;
    fs::create_directories(folder.parent_path(), status);
    (void)::mkdir(folder.c_str(), 0700);
    const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat found {};
    if (!opened.valid() || ::fstat(opened.get(), &found) != 0 || found.st_uid != ::geteuid()) return false;
    if (found.st_mode & (S_IWGRP | S_IWOTH)) return false;
    return (found.st_mode & 0777) == 0700 || ::fchmod(opened.get(), 0700) == 0;
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

std::string read_private_file(const fs::path& path, std::size_t limit) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file.valid()) throw Error("cannot read the file (" + reason() + ")", path.string());
    struct stat found {};
    if (::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid != ::geteuid() ||
        (found.st_mode & (S_IWGRP | S_IWOTH)))
        throw Error("the file may have been written by another user", path.string(), "delete it");
    if (std::uint64_t(found.st_size) > limit)
        throw Error("the file is larger than " + std::to_string(limit >> 20) + " MiB", path.string());
    std::string bytes(std::size_t(found.st_size), '\0');
    std::size_t filled = 0;
    while (filled < bytes.size()) {
        const ssize_t count = ::read(file.get(), bytes.data() + filled, bytes.size() - filled);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) throw Error("reading failed", path.string());
        filled += static_cast<std::size_t>(count);
    }
    return bytes;
}

void write_file(const fs::path& path, std::string_view bytes) {
    std::error_code status;
    const fs::file_status target = fs::status(path, status);
    if (fs::is_directory(target)) throw Error("is a folder, not a file", path.string(), "name a file");
    if (fs::exists(target) && !fs::is_regular_file(target)) return write_in_place(path, bytes);
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    fs::create_directories(folder, status);
    if (status) {
        throw Error("cannot make the folder (" + status.message() + ")", folder.string(),
                    "choose a folder that you may write to");
    }
    auto [temporary, file] = new_file(folder, path);
    const std::optional<mode_t> mode = mode_of(path);
    errno = 0;
    const bool stored = write_all(file.get(), bytes) && (!mode || ::fchmod(file.get(), *mode) == 0) &&
                        synced(file.get()) && file.close_now() &&
                        ::rename(temporary.c_str(), path.c_str()) == 0;
    if (!stored) {
        const std::string why = reason();
        (void)::unlink(temporary.c_str());
        refuse_write(path, why);
    }
    // The new name is in the folder's own data; where that cannot be stored, the file is there all the same.
    const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (opened.valid()) (void)::fsync(opened.get());
}

}  // namespace ws
