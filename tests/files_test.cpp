// Files: written as a whole or not at all, never through what somebody else prepared.

#include "gpu/core/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "gpu/core/error.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
  protected:
    Files() : folder_(fs::temp_directory_path() / ("warpscope_files_" + std::to_string(::getpid()))) {
        fs::create_directories(folder_);
    }
    ~Files() override { fs::remove_all(folder_); }
    [[nodiscard]] std::ptrdiff_t entries() const {
        return std::distance(fs::directory_iterator(folder_), {});
    }
    std::string message_of(const fs::path& path, const std::string& bytes) {
        try {
            write_file(path, bytes);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }
    fs::path folder_;
};

// No file of this process can grow beyond the limit: what a full disk does, for any user.
class FileSizeLimit {
  public:
    explicit FileSizeLimit(rlim_t bytes) {
        signal_ = std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, signal_);
    }

  private:
    rlimit before_{};
    void (*signal_)(int) = nullptr;
};

// An environment variable for the time of a test.
class Variable {
  public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        value ? ::setenv(name, value, 1) : ::unsetenv(name);
    }
    ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

  private:
    const char* name_;
    std::optional<std::string> before_;
};

TEST_F(Files, WriteMakesTheFolderAndReplaces) {
    const fs::path path = folder_ / "a" / "b.txt";
    write_file(path, "one");
    write_file(path, "two");
    EXPECT_EQ(read_file(path), "two");
    EXPECT_EQ(std::distance(fs::directory_iterator(path.parent_path()), {}), 1)
        << "a temporary file was left";
    const std::string long_name(255, 'n');
    write_file(folder_ / long_name, "as long as a name may be");
    EXPECT_EQ(read_file(folder_ / long_name), "as long as a name may be");
}

TEST_F(Files, AFailedWriteKeepsWhatWasThereAndLeavesNothing) {
    const fs::path path = folder_ / "kept.txt";
    write_file(path, "kept");
    {
        const FileSizeLimit full(1000);
        const std::string message = message_of(path, std::string(1 << 20, 'x'));
        EXPECT_NE(message.find("File too large"), std::string::npos) << message;
    }
    EXPECT_EQ(read_file(path), "kept");
    EXPECT_EQ(entries(), 1);
    EXPECT_THROW(write_file(path / "below.txt", "x"), Error) << "a file is no folder";
    fs::create_directory(folder_ / "folder");
    EXPECT_NE(message_of(folder_ / "folder", "x").find("folder"), std::string::npos);
    EXPECT_EQ(entries(), 2);
}

TEST_F(Files, WhatOthersPreparedIsNotWrittenThrough) {
    const fs::path theirs = folder_ / "theirs.txt";
    write_file(theirs, "theirs");
    // The target itself, and the name that a temporary file once had.
    fs::create_symlink(theirs, folder_ / "a.txt");
    fs::create_symlink(theirs, folder_ / "a.txt.new");
    write_file(folder_ / "a.txt", "mine");
    EXPECT_EQ(read_file(theirs), "theirs");
    EXPECT_EQ(read_file(folder_ / "a.txt"), "mine");
    EXPECT_FALSE(fs::is_symlink(folder_ / "a.txt"));
}

TEST_F(Files, DevicesAreWrittenToAndStay) {
    if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    write_file("/dev/null", "gone");
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    fs::create_symlink("/dev/full", folder_ / "full.txt");
    for (const fs::path& path : {fs::path("/dev/full"), folder_ / "full.txt"}) {
        const std::string message = message_of(path, std::string(1 << 20, 'x'));
        EXPECT_NE(message.find("No space left"), std::string::npos) << message;
    }
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

mode_t mode_of(const fs::path& path) {
    struct stat found {};
    EXPECT_EQ(::lstat(path.c_str(), &found), 0);
    return found.st_mode & 0777;
}

TEST_F(Files, PermissionsAreThoseOfANewFileOrOfTheOldOne) {
    const mode_t mask = ::umask(0027);
    write_file(folder_ / "new.txt", "x");
    EXPECT_EQ(mode_of(folder_ / "new.txt"), 0640u);
    ::chmod((folder_ / "new.txt").c_str(), 0604);
    write_file(folder_ / "new.txt", "y");
    EXPECT_EQ(mode_of(folder_ / "new.txt"), 0604u);
    ::umask(mask);
}

TEST_F(Files, ReadIsBounded) {
    const fs::path path = folder_ / "long.txt";
    write_file(path, std::string(5000, 'x'));
    EXPECT_THROW((void)read_file(path, 1000), Error);
    EXPECT_THROW((void)read_file(folder_ / "missing"), Error);
    EXPECT_THROW((void)read_file(folder_), Error);
    EXPECT_THROW((void)read_file("/dev/zero"), Error) << "it has no end";
}

TEST_F(Files, WithoutAHomeNothingIsKept) {
    const Variable home("HOME", nullptr);
    const Variable config("XDG_CONFIG_HOME", nullptr);
    const Variable cache("XDG_CACHE_HOME", "relative/folder");
    EXPECT_TRUE(config_folder().empty()) << config_folder();
    EXPECT_TRUE(cache_folder().empty()) << cache_folder();
    EXPECT_FALSE(make_private_folder(cache_folder()));
}

TEST_F(Files, APrivateFolderIsOnesOwn) {
    const fs::path folder = folder_ / "a" / "private";
    EXPECT_TRUE(make_private_folder(folder));
    EXPECT_EQ(mode_of(folder), 0700u);
    ::chmod(folder.c_str(), 0755);
    EXPECT_TRUE(make_private_folder(folder));
    EXPECT_EQ(mode_of(folder), 0700u) << "others lose the right to read it";
    ::chmod(folder.c_str(), 0777);
    EXPECT_FALSE(make_private_folder(folder)) << "others may have written into it";
    ::chmod(folder.c_str(), 0700);
    fs::create_symlink(folder, folder_ / "link");
    EXPECT_FALSE(make_private_folder(folder_ / "link"));
    write_file(folder_ / "file", "x");
    EXPECT_FALSE(make_private_folder(folder_ / "file"));
    if (::geteuid() != 0) return;
    constexpr uid_t kSomebody = 12345;
    ASSERT_EQ(::chown(folder.c_str(), kSomebody, gid_t(-1)), 0);
    EXPECT_FALSE(make_private_folder(folder)) << "another user's";
}

TEST_F(Files, APrivateFileIsOnesOwn) {
    const fs::path path = folder_ / "mine";
    write_file(path, "mine");
    ::chmod(path.c_str(), 0644);
    EXPECT_EQ(read_private_file(path, 100), "mine");
    EXPECT_THROW((void)read_private_file(path, 3), Error);
    fs::create_symlink(path, folder_ / "link");
    EXPECT_THROW((void)read_private_file(folder_ / "link", 100), Error);
    EXPECT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
    EXPECT_THROW((void)read_private_file(folder_ / "pipe", 100), Error) << "and without waiting for it";
    ::chmod(path.c_str(), 0666);
    EXPECT_THROW((void)read_private_file(path, 100), Error);
    ::chmod(path.c_str(), 0600);
    if (::geteuid() != 0) return;
    constexpr uid_t kSomebody = 12345;
    ASSERT_EQ(::chown(path.c_str(), kSomebody, gid_t(-1)), 0);
    EXPECT_THROW((void)read_private_file(path, 100), Error) << "another user's";
}

}  // namespace
}  // namespace ws
