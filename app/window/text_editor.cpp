#include "app/window/text_editor.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "gpu/core/error.h"

namespace ws {

std::vector<std::string> editor_command() {
    for (const char* variable : {"VISUAL", "EDITOR"}) {
        const char* value = std::getenv(variable);
        std::istringstream words(value ? value : "");
        std::vector<std::string> command;
        for (std::string word; words >> word;) command.push_back(word);
        if (!command.empty()) return command;
    }
    return {"xdg-open"};
}

void TextEditor::open(const std::filesystem::path& file) {
    std::vector<std::string> command = editor_command();
    command.push_back(file.string());
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    Running started{0, command.front()};
    const int problem =
        posix_spawnp(&started.process, arguments.front(), nullptr, nullptr, arguments.data(), environ);
    if (problem != 0)
        throw Error("the editor cannot be started, " + started.name + " (" + std::strerror(problem) + ")", "",
                    "set VISUAL or EDITOR, or open " + file.string() + " by hand");
    running_.push_back(std::move(started));
}

std::string TextEditor::update() {
    std::string problem;
    std::erase_if(running_, [&](const Running& editor) {
        int status = 0;
        const pid_t ended = waitpid(editor.process, &status, WNOHANG);
        if (ended == 0) return false;
        if (ended == editor.process && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
            problem = editor.name + " could not edit the kernel" +
                      (WIFEXITED(status) ? " (exit code " + std::to_string(WEXITSTATUS(status)) + ")" : "");
        return true;
    });
    return problem;
}

}  // namespace ws
