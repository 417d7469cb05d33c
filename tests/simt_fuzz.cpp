// Fuzzes the simulated GPU: mutated PTX is parsed, decoded and run in a small launch. Nothing may crash, hang
// or reach beyond its memory, and every refusal names an instruction or a line.
//   simt_fuzz [--seconds N] [--seed S] [--from I] [--only I] [--text FILE]
// The same seed makes the same texts; a fault prints the number of its text, which --only runs again; --text
// also writes that text to a file.

#include <fmt/format.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <random>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

#include "gpu/analysis/profiles.h"
#include "gpu/simt/gpu.h"
#include "simt_fuzz_seeds.h"

namespace ws::testing {
namespace {

constexpr int kSecondsOfOne = 30;  // of processor time; a text that needs more hangs

volatile std::uint64_t g_current = 0;
std::uint64_t g_seed = 1;

void say_current(const char* what) {
    char text[160];
    const int size =
        std::snprintf(text, sizeof text, "simt_fuzz: %s at text %llu of seed %llu\n", what,
                      static_cast<unsigned long long>(g_current), static_cast<unsigned long long>(g_seed));
    if (size > 0 && write(STDERR_FILENO, text, std::size_t(size)) < 0) _exit(3);
}
void on_signal(int number) {
    say_current(number == SIGPROF ? "a hang" : "a crash");
    _exit(2);
}

void watch() {
    signal(SIGPROF, on_signal);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_set_death_callback([] { say_current("a fault"); });
#else
    for (const int number : {SIGSEGV, SIGFPE, SIGABRT, SIGBUS, SIGILL}) signal(number, on_signal);
#endif
}
void wind_up() {
    const itimerval timer{{0, 0}, {kSecondsOfOne, 0}};
    setitimer(ITIMER_PROF, &timer, nullptr);
}

// ---- mutations

// Text `number` of the seeds; the first `short_ones` are mutated more often, as they have most instructions.
class Mutation {
  public:
    Mutation(const std::vector<FuzzSeed>& seeds, std::size_t short_ones, std::uint64_t number)
        : seeds_(seeds), random_(number) {
        const FuzzSeed& seed = seeds[below(below(2) == 0 ? short_ones : seeds.size())];
        text_ = seed.ptx;
        kernel_ = seed.kernel;
        while (!text_.empty() && text_.back() == '\0') text_.pop_back();
        const std::size_t steps = 1 + below(below(4) == 0 ? 12 : 3);
        for (std::size_t i = 0; i < steps && !text_.empty(); ++i) step();
    }
    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] const std::string& kernel() const { return kernel_; }
    std::uint64_t below(std::uint64_t end) { return end == 0 ? 0 : random_() % end; }

  private:
    struct Piece {
        std::size_t at = 0, size = 0;
    };
    static bool in_word(char c) { return std::isalnum(std::uint8_t(c)) || std::strchr("._$%:", c); }

    // A word of the text for which `fits` holds, searched from a random place on.
    template <typename Fits>
    Piece find_word(const std::string& text, const Fits& fits) {
        const std::size_t begin = below(text.size());
        for (std::size_t tries = 0, at = begin; tries < 400 && at < text.size(); ++tries) {
            while (at < text.size() && !in_word(text[at])) ++at;
            std::size_t end = at;
            while (end < text.size() && in_word(text[end])) ++end;
            if (end > at && fits(std::string_view(text).substr(at, end - at))) return {at, end - at};
            at = end;
        }
        return {};
    }
    Piece any_word(const std::string& text) {
        return find_word(text, [](std::string_view) { return true; });
    }
    Piece opcode(const std::string& text) {
        return find_word(text, [](std::string_view word) {
            return std::islower(std::uint8_t(word[0])) && word.find('.') != std::string_view::npos;
        });
    }
    Piece operand(const std::string& text) {
        return find_word(text, [](std::string_view word) { return word[0] == '%'; });
    }
    Piece number(const std::string& text) {
        return find_word(text,
                         [](std::string_view word) { return std::isdigit(std::uint8_t(word[0])) != 0; });
    }
    Piece line(const std::string& text) {
        const std::size_t begin = text.rfind('\n', below(text.size()));
        const std::size_t at = begin == std::string::npos ? 0 : begin + 1;
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
        return {at, end + 1 - at};
    }
    static std::string_view of(const std::string& text, Piece piece) {
        return std::string_view(text).substr(piece.at, piece.size);
    }
    void replace(Piece piece, const std::string& by) {
        if (piece.size > 0) text_.replace(piece.at, piece.size, by);
    }
    const std::string& another() { return below(3) == 0 ? seeds_[below(seeds_.size())].ptx : text_; }

    void step() {
        switch (below(12)) {
            case 0:
                return bytes();
            case 1:
                return lines();
            case 2:
            case 3:
                return numbers();
            case 4:
            case 5:
                return operands();
            case 6:
            case 7:
            case 8:
                return suffixes();
            case 9:
                return words();
            case 10:
                return opcodes();
            default:
                if (below(6) == 0) text_.resize(below(text_.size()));
                return marks();
        }
    }

    void bytes() {
        const std::size_t at = below(text_.size());
        switch (below(4)) {
            case 0:
                text_[at] = char(below(256));
                break;
            case 1:
                text_.erase(at, 1 + below(8));
                break;
            case 2:
                text_.insert(at, 1, char(below(256)));
                break;
            default:
                text_[at] = char(text_[at] ^ (1 << below(8)));
        }
    }
    void lines() {
        const Piece one = line(text_);
        const std::string& from = another();
        const std::string other(of(from, line(from)));
        if (below(3) == 0)
            text_.erase(one.at, one.size);
        else if (below(2) == 0)
            text_.insert(one.at, other);
        else
            replace(one, other);
    }
    void numbers() {
        static const char* const kExtremes[] = {"0",
                                                "1",
                                                "2",
                                                "3",
                                                "4",
                                                "5",
                                                "7",
                                                "8",
                                                "15",
                                                "16",
                                                "17",
                                                "31",
                                                "32",
                                                "33",
                                                "63",
                                                "64",
                                                "65",
                                                "127",
                                                "128",
                                                "255",
                                                "256",
                                                "65535",
                                                "65536",
                                                "131073",
                                                "2147483647",
                                                "2147483648",
                                                "4294967295",
                                                "4294967296",
                                                "1099511627776",
                                                "9223372036854775807",
                                                "9223372036854775808",
                                                "18446744073709551615",
                                                "99999999999999999999",
                                                "-1",
                                                "-4",
                                                "-2147483648",
                                                "-9223372036854775808",
                                                "0x",
                                                "08",
                                                "0b2",
                                                "0f7FC00000",
                                                "0fFF800000",
                                                "0d7FF8000000000000",
                                                "1.5",
                                                "1e999",
                                                "0x7fffffffffffffff"};
        const Piece one = number(text_);
        if (one.size > 0) replace(one, kExtremes[below(std::size(kExtremes))]);
    }
    void operands() {
        const std::string& from = another();
        const std::string other(of(from, below(4) == 0 ? any_word(from) : operand(from)));
        const Piece one = below(6) == 0 ? any_word(text_) : operand(text_);
        if (!other.empty()) replace(one, other);
    }
    void suffixes() {
        static const char* const kSuffixes[] = {
            ".ftz",   ".sat",      ".rn",          ".rz",       ".rni",
            ".rzi",   ".NaN",      ".abs",         ".xorsign",  ".relu",
            ".lo",    ".hi",       ".wide",        ".cc",       ".u8",
            ".s8",    ".u16",      ".s16",         ".b16",      ".f16",
            ".u32",   ".s32",      ".b32",         ".f32",      ".u64",
            ".s64",   ".b64",      ".f64",         ".pred",     ".v2",
            ".v4",    ".v8",       ".global",      ".shared",   ".local",
            ".const", ".param",    ".sync",        ".and",      ".or",
            ".xor",   ".add",      ".min",         ".cas",      ".approx",
            ".full",  ".volatile", ".ca",          ".cg",       ".nc",
            ".uni",   ".to",       ".shared::cta", ".L2::128B", ".L2::cache_hint",
            ".x2",    ".",         "..",           ".eq",       ".ltu",
            ".hs",    ".f16x2",    ".b128"};
        const Piece one = opcode(text_);
        if (one.size == 0) return;
        std::string made(of(text_, one));
        const std::size_t at = made.find('.', below(made.size()));
        const char* suffix = kSuffixes[below(std::size(kSuffixes))];
        if (at == std::string::npos)
            made += suffix;
        else if (below(4) == 0)
            made.insert(at, suffix);
        else
            made.replace(at, std::min(made.find('.', at + 1), made.size()) - at, below(4) == 0 ? "" : suffix);
        replace(one, made);
    }
    void words() {
        const std::string& from = another();
        const std::string other(of(from, any_word(from)));
        const Piece one = any_word(text_);
        if (below(4) == 0)
            replace(one, "");
        else
            replace(one, other);
    }
    void opcodes() {
        const std::string& from = another();
        const std::string other(of(from, opcode(from)));
        if (!other.empty()) replace(opcode(text_), other);
    }
    void marks() {
        static const char kMarks[] = "{}[](),;:@!|+-<>=\"/*\n#";
        std::size_t at = below(text_.size());
        for (std::size_t i = 0; i < 200 && at < text_.size() && !std::ispunct(std::uint8_t(text_[at])); ++i)
            ++at;
        if (at >= text_.size()) return;
        const char mark = kMarks[below(sizeof kMarks - 1)];
        if (below(2) == 0)
            text_[at] = mark;
        else
            text_.insert(at, 1, mark);
    }

    const std::vector<FuzzSeed>& seeds_;
    std::mt19937_64 random_;
    std::string text_;
    std::string kernel_;
};

// ---- running

struct Tally {
    std::uint64_t refused = 0, launched = 0, not_launched = 0, stopped = 0;
    std::map<std::string, std::uint64_t> wrong;
};

void launch(const std::shared_ptr<const simt::Program>& program, std::uint64_t choice, Tally& tally) {
    static const GpuTable table;
    static const GpuProfile gpus[] = {table.named("RTX 3060"), table.named("GTX 280"), table.named("H200")};
    static const std::vector<float> texels(64, 1.0f);
    std::vector<std::byte> in(8192);
    std::vector<std::byte> out(8192);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::byte(i * 7);
    simt::Gpu gpu(gpus[choice / 11 % 3]);
    const std::uint64_t buffers[] = {
        gpu.map_read_only(std::as_bytes(std::span(in))),
        gpu.map(out, choice / 5 % 2 == 0 ? simt::Content::given : simt::Content::unwritten)};
    simt::KernelLaunch launch;
    launch.program = program;
    launch.grid = {1 + int(choice % 2), 1, 1};
    launch.block = {choice % 3 == 0 ? 32 : choice % 3 == 1 ? 48 : 7, 1 + int(choice / 3 % 2), 1};
    launch.dynamic_shared_bytes = choice / 7 % 2 ? 1024 : 0;
    simt::Texture texture;
    texture.data = reinterpret_cast<const std::byte*>(texels.data());
    texture.width = texture.height = 8;
    (void)gpu.bind(texture);
    simt::LaunchOptions options;
    options.check = choice / 13 % 2;
    options.model_caches = choice / 17 % 4 == 0;
    options.track_touched = choice / 19 % 4 == 0;
    options.step_limit = 4000;
    options.threads = 1;
    std::size_t pointers = 0;
    for (std::size_t i = 0; i < program->parameters.size(); ++i) {
        const std::uint32_t bytes = program->parameters[i].bytes;
        if (bytes > 8) continue;
        const std::uint64_t address = pointers < 2 ? buffers[pointers] : 1;
        simt::set_parameter(launch, i, bytes == 8 ? address : choice / 23 % 40, bytes);
        pointers += bytes == 8;
    }
    const simt::LaunchOutcome outcome = gpu.launch(launch, options);
    ++tally.launched;
    tally.stopped += outcome.stopped;
}

void run(const std::string& text, const std::string& kernel, std::uint64_t choice, Tally& tally) {
    try {
        const auto program = simt::load_program(text, kernel);
        if (program.ok()) {
            launch(program.value(), choice, tally);
            return;
        }
        ++tally.refused;
        const std::string& message = program.message();
        const bool names =
            message.find("line ") != std::string::npos || message.find('\'') != std::string::npos;
        if (!names) ++tally.wrong["a refusal that names nothing: " + message];
    } catch (const Error&) {
        ++tally.not_launched;  // no GPU would take the launch
    } catch (const std::exception& error) {
        say_current(error.what());
        ++tally.wrong[std::string("an exception: ") + error.what()];
    }
}

int main(const std::map<std::string, std::string>& options) {
    const auto option = [&](const std::string& name, std::uint64_t otherwise) {
        const auto found = options.find(name);
        return found == options.end() ? otherwise : std::strtoull(found->second.c_str(), nullptr, 10);
    };
    g_seed = option("--seed", 1);
    std::vector<FuzzSeed> seeds = snippets();
    const std::size_t short_ones = seeds.size();
    if (const auto nvrtc = Nvrtc::open(); nvrtc.ok()) {
        for (FuzzSeed& seed : embedded_kernels(*nvrtc.value())) seeds.push_back(std::move(seed));
    } else {
        fmt::print("without NVRTC: only hand-written texts\n");
    }
    watch();
    Tally tally;
    for (const FuzzSeed& seed : seeds) {
        wind_up();
        const auto program = simt::load_program(seed.ptx, seed.kernel);
        if (!program.ok()) ++tally.wrong["a text is refused that is right: " + program.message()];
        run(seed.ptx, seed.kernel, 0, tally);
    }
    fmt::print("{} texts to begin with\n", seeds.size());
    const bool one = options.count("--only") > 0;
    const std::uint64_t first = option(one ? "--only" : "--from", 0);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(option("--seconds", 5));
    std::uint64_t count = 0;
    for (; one ? count < 1 : std::chrono::steady_clock::now() < end; ++count) {
        g_current = first + count;
        wind_up();
        Mutation mutation(seeds, short_ones, (g_seed << 40) + first + count);
        if (one && options.count("--text")) std::ofstream(options.at("--text")) << mutation.text();
        run(mutation.text(), mutation.kernel(), mutation.below(1u << 30), tally);
    }
    fmt::print("{} texts: {} refused, {} run ({} stopped), {} not launched\n", count, tally.refused,
               tally.launched, tally.stopped, tally.not_launched);
    for (const auto& [what, times] : tally.wrong) fmt::print("{} times {}\n", times, what);
    return tally.wrong.empty() && tally.launched > 0 ? 0 : 1;
}

}  // namespace
}  // namespace ws::testing

int main(int count, char** values) {
    std::map<std::string, std::string> options;
    for (int i = 1; i + 1 < count; i += 2) options[values[i]] = values[i + 1];
    return ws::testing::main(options);
}
