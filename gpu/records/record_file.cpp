#include "gpu/records/record_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace ws {
namespace {

void refuse_other_schema(const RecordLines& lines, const std::filesystem::path& path) {
    for (const BadLine& bad : lines.bad) {
        if (bad.why.find("schema") != std::string::npos)
            throw Error("cannot use the records", fmt::format("{}, line {}", path.string(), bad.line),
                        bad.why);
    }
}

[[noreturn]] void cannot(const char* what, const std::filesystem::path& path) {
    throw Error(fmt::format("cannot {} the records", what), path.string(), std::strerror(errno));
}

}  // namespace

RecordLines read_record_file(const std::filesystem::path& path) {
    RecordLines lines = read_records(read_file(path, kMostRecordBytes));
    refuse_other_schema(lines, path);
    return lines;
}

RecordFile::RecordFile(const std::filesystem::path& path) : path_(path) {
    if (path.has_parent_path()) {
        std::error_code ignored;
        std::filesystem::create_directories(path.parent_path(), ignored);
    }
    file_ = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file_ < 0) cannot("open", path);
    try {
        if (flock(file_, LOCK_EX | LOCK_NB) != 0)
            throw Error("the records are being written by another program", path.string(),
                        "wait for it, or name another file");
        const std::string text = read_file(path, kMostRecordBytes);
        earlier_ = read_records(text);
        refuse_other_schema(earlier_, path);
        if (!text.empty() && text.back() != '\n' && write(file_, "\n", 1) != 1) cannot("write", path);
    } catch (...) {
        close(file_);
        throw;
    }
}

RecordFile::~RecordFile() {
    close(file_);
}

void RecordFile::append(const Record& record) {
    const std::string lines = writer_.lines_of(record);
    const off_t end = lseek(file_, 0, SEEK_END);
    // O_APPEND: in one piece or, where the disk is full, in part; then what was there before is made good.
    if (write(file_, lines.data(), lines.size()) != ssize_t(lines.size())) {
        const int why = errno;
        (void)!ftruncate(file_, end);
        writer_ = {};
        errno = why;
        cannot("write", path_);
    }
}

}  // namespace ws
