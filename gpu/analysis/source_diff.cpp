#include "gpu/analysis/source_diff.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <unordered_map>

namespace ws {
namespace {

constexpr std::size_t kMostCells = 4'000'000;
constexpr double kAlike = 0.5;  // from here on a line is taken for a new form of another

std::string_view trimmed(std::string_view line) {
    constexpr std::string_view kBlanks = " \t\r";
    const std::size_t first = line.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
}

bool is_code(std::string_view line) {
    const std::string_view code = trimmed(line);
    return !code.empty() && !code.starts_with("//");
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.push_back(line);
        at = end + 1;
    }
    return lines;
}

// The best order-preserving pairs of rows and columns: the largest sum of `score`, pairs of 0 left out. Calls
// pair(row, column) from the last pair to the first.
template <typename Score, typename Pair>
void align(std::size_t rows, std::size_t columns, const Score& score, const Pair& pair) {
    if (rows == 0 || columns == 0 || rows * columns > kMostCells) return;
    const std::size_t wide = columns + 1;
    std::vector<float> best((rows + 1) * wide, 0);
    for (std::size_t r = 1; r <= rows; ++r) {
        for (std::size_t c = 1; c <= columns; ++c) {
            const float points = score(r - 1, c - 1);
            float value = std::max(best[(r - 1) * wide + c], best[r * wide + c - 1]);
            if (points > 0) value = std::max(value, best[(r - 1) * wide + c - 1] + points);
            best[r * wide + c] = value;
        }
    }
    for (std::size_t r = rows, c = columns; r > 0 && c > 0;) {
        if (best[r * wide + c] == best[(r - 1) * wide + c]) {
            --r;
        } else if (best[r * wide + c] == best[r * wide + c - 1]) {
            --c;
        } else {
            pair(--r, --c);
        }
    }
}

// A number for each different text: they are compared many times.
class Numbers {
  public:
    int of(std::string_view text) { return known_.emplace(text, int(known_.size())).first->second; }

  private:
    std::unordered_map<std::string_view, int> known_;
};

// Names and numbers of a line, in one order for all lines.
std::vector<int> words_of(std::string_view line, Numbers& numbers) {
    const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    std::vector<int> words;
    for (std::size_t at = 0; at < line.size();) {
        std::size_t end = at;
        while (end < line.size() && in_word(line[end])) ++end;
        if (end > at) words.push_back(numbers.of(line.substr(at, end - at)));
        at = end + 1;
    }
    std::sort(words.begin(), words.end());
    return words;
}

double likeness(const std::vector<int>& a, const std::vector<int>& b) {
    if (a.empty() || b.empty()) return 0;
    std::size_t common = 0;
    for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
        if (*x == *y) {
            ++common;
            ++x;
            ++y;
        } else {
            ++(*x < *y ? x : y);
        }
    }
    return 2 * double(common) / double(a.size() + b.size());
}

// Whether the line after this one begins within a comment.
bool comment_after(std::string_view line, bool in_comment) {
    for (std::size_t at = 0; at + 1 < line.size(); ++at) {
        const std::string_view two = line.substr(at, 2);
        if (in_comment && two == "*/") {
            in_comment = false;
            ++at;
        } else if (!in_comment && two == "//") {
            return false;
        } else if (!in_comment && two == "/*") {
            in_comment = true;
            ++at;
        } else if (!in_comment && line[at] == '"') {
            for (++at; at < line.size() && line[at] != '"'; ++at) at += line[at] == '\\' ? 1 : 0;
        }
    }
    return in_comment;
}

// Builds the lines of one text and, between them, those that the other one has instead.
class Merge {
  public:
    explicit Merge(SourceLines& made)
        : made_(made), now_(lines_of(made.text)), before_(lines_of(made.before)) {
        const std::vector<std::string_view> counted = lines_of(made.counted);
        counted_.assign(now_.size(), -1);
        if (!counted.empty()) counted_ = same_lines(now_, counted);
        partner_.assign(now_.size(), -1);
        if (!before_.empty()) partner_ = same_lines(now_, before_);
    }

    void run() {
        std::size_t from = 0;  // the first line of the baseline that is not placed yet
        std::size_t now = 0;
        while (now < now_.size()) {
            std::size_t end = now;
            while (end < now_.size() && partner_[end] < 0) ++end;
            const std::size_t to = end < now_.size() ? std::size_t(partner_[end]) : before_.size();
            add_changed(now, end, from, to);
            if (end < now_.size()) add(end, partner_[end] + 1);
            from = end < now_.size() ? to + 1 : to;
            now = end + 1;
        }
        for (; from < before_.size(); ++from) remove(from);
    }

  private:
    // Lines that changed: each removed one before the added one that is most like it.
    void add_changed(std::size_t now, std::size_t end, std::size_t from, std::size_t to) {
        Numbers numbers;
        std::vector<std::vector<int>> words;
        for (std::size_t i = now; i < end; ++i) words.push_back(words_of(now_[i], numbers));
        std::vector<std::vector<int>> old_words;
        for (std::size_t i = from; i < to; ++i) old_words.push_back(words_of(before_[i], numbers));
        std::vector<int> replaces(words.size(), -1);
        const std::size_t first = from;
        align(
            words.size(), old_words.size(),
            [&](std::size_t a, std::size_t b) {
                const double value = likeness(words[a], old_words[b]);
                return value < kAlike ? 0.0f : float(value);
            },
            [&](std::size_t a, std::size_t b) { replaces[a] = int(b); });
        for (std::size_t i = now; i < end; ++i) {
            const int old = replaces[i - now];
            for (; old >= 0 && from <= first + std::size_t(old); ++from) remove(from);
            add(i, 0);
        }
        for (; from < to; ++from) remove(from);
    }
    void add(std::size_t i, int before) {
        SourceLine line;
        const bool compared = !before_.empty();
        line.change = compared && before == 0 ? LineChange::added : LineChange::same;
        line.number = int(i) + 1;
        line.before = before;
        line.counted = counted_[i] + 1;
        line.begin = std::size_t(now_[i].data() - made_.text.data());
        line.size = now_[i].size();
        line.in_comment = in_comment_;
        in_comment_ = comment_after(now_[i], in_comment_);
        made_.changed |= line.change == LineChange::added && is_code(now_[i]);
        made_.lines.push_back(line);
    }
    void remove(std::size_t i) {
        SourceLine line;
        line.change = LineChange::removed;
        line.number = line.before = int(i) + 1;
        line.begin = std::size_t(before_[i].data() - made_.before.data());
        line.size = before_[i].size();
        made_.changed |= is_code(before_[i]);
        made_.lines.push_back(line);
    }

    SourceLines& made_;
    std::vector<std::string_view> now_, before_;
    std::vector<int> partner_, counted_;  // of each line now, or -1
    bool in_comment_ = false;
};

}  // namespace

std::vector<int> same_lines(const std::vector<std::string_view>& now,
                            const std::vector<std::string_view>& before) {
    std::vector<int> partner(now.size(), -1);
    Numbers numbers;
    const auto numbered = [&](const std::vector<std::string_view>& lines) {
        std::vector<int> made;
        made.reserve(lines.size());
        for (const std::string_view line : lines) made.push_back(numbers.of(trimmed(line)));
        return made;
    };
    const std::vector<int> now_numbers = numbered(now);
    const std::vector<int> before_numbers = numbered(before);
    const auto same = [&](std::size_t a, std::size_t b) { return now_numbers[a] == before_numbers[b]; };
    const std::size_t shorter = std::min(now.size(), before.size());
    std::size_t head = 0;
    while (head < shorter && same(head, head)) {
        partner[head] = int(head);
        ++head;
    }
    std::size_t tail = 0;
    while (tail < shorter - head && same(now.size() - 1 - tail, before.size() - 1 - tail)) {
        ++tail;
        partner[now.size() - tail] = int(before.size() - tail);
    }
    align(
        now.size() - head - tail, before.size() - head - tail,
        [&](std::size_t a, std::size_t b) {
            constexpr std::size_t kHeaviest = 40;
            if (!same(head + a, head + b)) return 0.0f;
            return 0.1f + float(std::min(trimmed(now[head + a]).size(), kHeaviest));
        },
        [&](std::size_t a, std::size_t b) { partner[head + a] = int(head + b); });
    return partner;
}

double likeness(std::string_view a, std::string_view b) {
    Numbers numbers;
    const std::vector<int> words = words_of(a, numbers);
    return likeness(words, words_of(b, numbers));
}

SourceLines source_lines(std::string text, std::string before, std::string counted) {
    SourceLines made;
    made.text = std::move(text);
    made.before = std::move(before);
    made.counted = std::move(counted);
    Merge(made).run();
    return made;
}

}  // namespace ws
