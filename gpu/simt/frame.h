#pragma once
// Lays out the frame of a function: which register, constant or parameter lies at which offset.

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "gpu/simt/program.h"

namespace ws::simt {

struct DecodeError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Throws DecodeError for a variable that goes beyond `most` bytes, or a sum with it that does.
void check_size(std::uint64_t sum, std::uint64_t most, const PtxVariable& variable);

class FrameLayout {
  public:
    explicit FrameLayout(const PtxFunction& function);

    // Throws DecodeError if the name is no register, or none of that width ('1', '2', '4', '8' or 'p').
    [[nodiscard]] std::int32_t reg(const std::string& name, char width) const;
    [[nodiscard]] bool is_register(const std::string& name) const { return registers_.count(name) > 0; }
    [[nodiscard]] const std::string& type_of(const std::string& name) const { return named(name).type; }
    [[nodiscard]] char width_of(const std::string& name) const { return named(name).width; }

    [[nodiscard]] std::int32_t constant(std::uint64_t bits, bool wide);
    [[nodiscard]] std::int32_t parameter(std::uint32_t at, std::uint8_t bytes, bool is_signed, bool wide);
    [[nodiscard]] std::int32_t scratch(char width);  // a register of our own
    // Room for a .param variable in each lane's bytes. Throws DecodeError if that is too much.
    [[nodiscard]] std::int32_t lane_bytes(const std::string& name, std::uint64_t bytes, std::uint64_t align);

    // Writes what was laid out into the function.
    void finish(Function& function) const;

  private:
    struct Register {
        std::int32_t offset = 0;
        char width = 0;
        std::string type;
    };
    [[nodiscard]] const Register& named(const std::string& name) const;
    std::int32_t take(std::int32_t bytes, std::int32_t align);
    std::unordered_map<std::string, Register> registers_;
    std::map<std::pair<std::uint64_t, bool>, std::int32_t> constants_;
    std::vector<SlotConstant> constant_list_;
    std::vector<SlotParameter> parameters_;
    std::int32_t end_ = 0;
    std::int32_t lane_end_ = 0;
};

}  // namespace ws::simt
