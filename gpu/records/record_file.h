#pragma once
// A file of records that grows: each is written before the next one is made, so that a program that is killed
// loses none.

#include <filesystem>
#include <string>
#include <vector>

#include "gpu/records/record_lines.h"

namespace ws {

// Larger files are refused.
inline constexpr std::size_t kMostRecordBytes = std::size_t(64) << 20;

// Throws Error if the file cannot be read or holds records of another schema; other bad lines are part of
// what is returned.
[[nodiscard]] RecordLines read_record_file(const std::filesystem::path& path);

// One program at a time appends to a file. Not to be moved: it holds the file's lock.
class RecordFile {
  public:
    // Opens or makes it. What an earlier program left unfinished at its end is ended with a line feed, so
    // that it is one bad line and nothing more. Throws Error: it cannot be written, another program has it,
    // it is of another schema.
    explicit RecordFile(const std::filesystem::path& path);
    ~RecordFile();
    RecordFile(const RecordFile&) = delete;
    RecordFile& operator=(const RecordFile&) = delete;

    // What it held when it was opened.
    [[nodiscard]] const RecordLines& earlier() const { return earlier_; }
    // Throws Error (the disk is full): what was there stays.
    void append(const Record& record);

  private:
    std::filesystem::path path_;
    int file_ = -1;
    RecordLines earlier_;
    RecordWriter writer_;
};

}  // namespace ws
