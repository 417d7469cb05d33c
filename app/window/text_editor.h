#pragma once
// The person's own text editor, as a process of its own.

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ws {

// The program and its arguments: of $VISUAL, else of $EDITOR, apart by blanks; else the desktop's choice.
[[nodiscard]] std::vector<std::string> editor_command();

class TextEditor {
  public:
    // Starts the editor and does not wait for it. No shell sees the path. Throws Error.
    void open(const std::filesystem::path& file);
    // Lets go of editors that have ended; says so where one could not open the file, else it is empty.
    [[nodiscard]] std::string update();

  private:
    struct Running {
        pid_t process = 0;
        std::string name;
    };
    std::vector<Running> running_;  // they outlive the window
};

}  // namespace ws
