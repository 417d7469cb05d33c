#pragma once
// How things fail: one exception type for what cannot go on, one Result for what is data.

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace ws {

// Reported to a person as one line: "what, where: what to do", without its empty parts.
class Error : public std::runtime_error {
  public:
    explicit Error(const std::string& what, const std::string& where = {}, const std::string& remedy = {})
        : std::runtime_error(join(what, where, remedy)) {}

  private:
    static std::string join(const std::string& what, const std::string& where, const std::string& remedy) {
        std::string line = what;
        if (!where.empty()) line += ", " + where;
        if (!remedy.empty()) line += ": " + remedy;
        return line;
    }
};

// A wrong command line; the program ends with exit code 2 instead of 1.
class UsageError : public Error {
  public:
    using Error::Error;
};

// A launch that a GPU refuses: `code` is the error that CUDA answers with.
class RefusedLaunch : public Error {
  public:
    RefusedLaunch(const std::string& gpu, std::string code, const std::string& reason,
                  const std::string& remedy)
        : Error(gpu + " refuses the launch with " + code, reason, remedy),
          code_(std::move(code)),
          reason_(remedy.empty() ? reason : reason + ": " + remedy) {}
    [[nodiscard]] const std::string& code() const { return code_; }      // "cudaErrorInvalidConfiguration"
    [[nodiscard]] const std::string& reason() const { return reason_; }  // with the arithmetic and the remedy

  private:
    std::string code_;
    std::string reason_;
};

// A value, or the line that says why there is none.
template <typename T>
class [[nodiscard]] Result {
  public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    static Result failure(std::string message) { return Result(Failure{std::move(message)}); }

    [[nodiscard]] bool ok() const { return state_.index() == 0; }
    [[nodiscard]] const T& value() const { return std::get<0>(state_); }
    [[nodiscard]] T& value() { return std::get<0>(state_); }
    [[nodiscard]] const std::string& message() const { return std::get<1>(state_).message; }

  private:
    struct Failure {
        std::string message;
    };
    explicit Result(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}
    std::variant<T, Failure> state_;
};

}  // namespace ws
