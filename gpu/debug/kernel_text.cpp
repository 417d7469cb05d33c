#include "gpu/debug/kernel_text.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <regex>
#include <sstream>

#include "gpu/compile/source_text.h"
#include "gpu/debug/evaluate.h"

namespace ws::debug {
namespace {

constexpr int kMostNested = 16;  // constants of constants

std::vector<std::string> split_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        lines.push_back(line);
    }
    return lines;
}

std::string file_name(const std::string& path) {
    return std::filesystem::path(path).filename().string();
}

// Constants of the source are all that names may stand for.
class OnlyConstants : public Surroundings {
  public:
    explicit OnlyConstants(std::function<std::optional<std::int64_t>(std::string_view)> find)
        : find_(std::move(find)) {}
    std::optional<Value> named(std::string_view name) const override {
        const std::optional<std::int64_t> value = find_(name);
        if (!value) return std::nullopt;
        return Value{TypeTable::kLong, std::uint64_t(*value), {}, 0, 0};
    }
    std::span<const std::byte> memory(std::uint64_t, std::uint64_t) const override { return {}; }

  private:
    std::function<std::optional<std::int64_t>(std::string_view)> find_;
};

// What a declaration says of a variable: "float" and "32", "33" of "__shared__ float tile[32][33];".
struct SharedDeclaration {
    std::string type;
    std::vector<std::string> counts;
};

std::optional<SharedDeclaration> shared_declaration(const std::string& code, std::string_view name) {
    static const std::regex kDeclaration(
        R"(__shared__\s+((?:__align__\s*\([^)]*\)\s*|alignas\s*\([^)]*\)\s*|[A-Za-z_][\w:]*\s+)*)([^;{}]*);)");
    static const std::regex kDeclarator(R"(\s*([A-Za-z_]\w*)\s*((?:\[[^\]]*\]\s*)*)(?:=[^,]*)?)");
    static const std::regex kNoType(
        R"(__align__\s*\([^)]*\)|alignas\s*\([^)]*\)|\bvolatile\b|\bconst\b|\bstatic\b|\bextern\b)");
    for (std::sregex_iterator at(code.begin(), code.end(), kDeclaration), end; at != end; ++at) {
        const std::string type = std::regex_replace((*at)[1].str(), kNoType, " ");
        const std::string declarators = (*at)[2];
        for (std::sregex_iterator one(declarators.begin(), declarators.end(), kDeclarator); one != end;
             ++one) {
            if ((*one)[1].str() != name) continue;
            SharedDeclaration made{type, {}};
            const std::string counts = (*one)[2];
            for (std::size_t open = counts.find('['); open != std::string::npos;
                 open = counts.find('[', open + 1))
                made.counts.push_back(counts.substr(open + 1, counts.find(']', open) - open - 1));
            return made;
        }
    }
    return std::nullopt;
}

}  // namespace

std::string plain_symbol(const std::string& symbol) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
    if (status != 0 || !text) return symbol;
    const std::string whole = text.get();
    const std::size_t colon = whole.rfind("::");
    return colon == std::string::npos ? whole : whole.substr(colon + 2);
}

KernelText::KernelText(KernelSources sources, const simt::Program& program)
    : program_(program),
      knobs_(std::move(sources.knobs)),
      ptx_(read_ptx_text(sources.ptx)),
      info_(read_debug_info(ptx_)) {
    for (SourceFile& file : sources.files)
        files_.push_back({file_name(file.name), split_lines(file.text), code_of(file.text)});
    std::map<int, int> known;  // of the PTX's numbers
    for (const auto& [number, path] : ptx_.files) {
        const std::string name = file_name(path);
        for (std::size_t i = 0; i < files_.size(); ++i) {
            if (files_[i].name == name) known[number] = int(i);
        }
    }
    source_.reserve(program.code.size());
    for (const std::int32_t line : program.ptx_lines) {
        const SourceLine place =
            std::size_t(line) < ptx_.source.size() ? ptx_.source[std::size_t(line)] : SourceLine{};
        const auto file = known.find(place.file);
        source_.push_back(file != known.end() ? SourceLine{file->second, place.line} : SourceLine{});
    }
}

int KernelText::ptx_line_of(int instruction) const {
    return program_.ptx_lines[std::size_t(instruction)];
}

std::string KernelText::text_of(SourceLine line) const {
    const std::vector<std::string>& lines = files_[std::size_t(line.file)].lines;
    return line.line >= 1 && std::size_t(line.line) <= lines.size() ? lines[std::size_t(line.line) - 1] : "";
}

std::vector<int> KernelText::starts_of(SourceLine& line) const {
    int nearest = 0;
    for (const SourceLine& one : source_) {
        if (one.file == line.file && one.line >= line.line && (nearest == 0 || one.line < nearest))
            nearest = one.line;
    }
    std::vector<int> made;
    if (nearest == 0) return made;
    line.line = nearest;
    for (std::size_t i = 0; i < source_.size(); ++i) {
        const bool begins = i == 0 || source_[i - 1] != line;
        if (source_[i] == line && begins) made.push_back(int(i));
    }
    return made;
}

std::vector<const Scope*> KernelText::functions_at(int instruction) const {
    std::vector<const Scope*> found = info_.scopes_at(ptx_line_of(instruction));
    std::erase_if(found, [](const Scope* scope) { return scope->function.empty(); });
    return found;
}

std::optional<std::int64_t> KernelText::constant(std::string_view name) const {
    const auto known = constants_.find(name);
    if (known != constants_.end()) return known->second;
    return constants_.emplace(std::string(name), constant(name, 0)).first->second;
}

std::optional<std::int64_t> KernelText::constant(std::string_view name, int depth) const {
    if (const auto knob = knobs_.find(std::string(name)); knob != knobs_.end()) return knob->second;
    if (depth > kMostNested || name.empty()) return std::nullopt;
    for (const char c : name) {
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') return std::nullopt;
    }
    const std::regex defined(fmt::format(R"(#\s*define\s+{}[ \t]+([^\n]+))", name));
    const std::regex declared(
        fmt::format(R"(\b(?:constexpr|const)\s+[\w\s]*\b{}\s*(?:=\s*([^;,]+)|\{{([^}}]+)\}}))", name));
    for (const File& file : files_) {
        std::smatch found;
        if (std::regex_search(file.code, found, defined)) return whole_number(found[1], depth + 1);
        if (std::regex_search(file.code, found, declared))
            return whole_number(found[1].matched ? found[1] : found[2], depth + 1);
    }
    return std::nullopt;
}

std::optional<std::int64_t> KernelText::whole_number(const std::string& text, int depth) const {
    try {
        TypeTable types;
        const OnlyConstants names([&](std::string_view name) { return constant(name, depth); });
        const Value value = evaluate(parse_expression(text, types), types, names);
        if (types[value.type].kind == TypeKind::floating) return std::nullopt;
        return std::int64_t(bits_of(value, types, names));
    } catch (const DebugError&) {
        return std::nullopt;
    }
}

int KernelText::shared_type(std::string_view name, std::uint64_t bytes) {
    if (const auto known = shared_types_.find(name); known != shared_types_.end()) return known->second;
    TypeTable& types = info_.types;
    int made = types.array_of(*types.named("unsigned char"), bytes);
    for (const File& file : files_) {
        const std::optional<SharedDeclaration> declared = shared_declaration(file.code, name);
        const std::optional<int> element = declared ? types.named(declared->type) : std::nullopt;
        if (!element || types[*element].bytes == 0) continue;
        const std::uint64_t all = bytes / types[*element].bytes;
        // As many as there is room for, if one of the counts cannot be read; the bytes decide in any case.
        std::vector<std::uint64_t> counts;
        std::size_t unread = 0;
        std::uint64_t product = 1;
        for (const std::string& text : declared->counts) {
            const std::optional<std::int64_t> count = whole_number(text, 0);
            counts.push_back(count && *count > 0 ? std::uint64_t(*count) : 0);
            unread += counts.back() == 0;
            product *= std::max<std::uint64_t>(1, counts.back());
        }
        if (unread == 1 && all % product == 0) {
            *std::find(counts.begin(), counts.end(), std::uint64_t(0)) = all / product;
            product = all;
            unread = 0;
        }
        made = *element;
        if (unread > 0 || product != all) counts = {all};
        for (auto count = counts.rbegin(); count != counts.rend(); ++count)
            made = types.array_of(made, *count);
        break;
    }
    shared_types_.emplace(std::string(name), made);
    return made;
}

}  // namespace ws::debug
