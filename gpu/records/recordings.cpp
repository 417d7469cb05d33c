#include "gpu/records/recordings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace ws {
namespace {

bool before(const Record& a, const Record& b) {
    if (a.key.lab != b.key.lab) return a.key.lab < b.key.lab;
    return a.key.version < b.key.version;
}
bool same_work(const Record& a, const Record& b) {
    return a.place.gpu == b.place.gpu && a.key == b.key;
}

}  // namespace

void Recordings::add(std::vector<Record> records) {
    std::erase_if(records, [](const Record& record) {
        return record.place.kind != Kind::measured || record.wrong || !record.refused.empty() ||
               record.total_ms.median <= 0;
    });
    records_.insert(records_.end(), std::make_move_iterator(records.begin()),
                    std::make_move_iterator(records.end()));
    std::stable_sort(records_.begin(), records_.end(), before);
    // The first of the same work takes the time of the last, and stays where it is.
    std::vector<Record> kept;
    kept.reserve(records_.size());
    std::size_t group = 0;  // where those of the same version begin
    for (Record& record : records_) {
        if (group < kept.size() && before(kept[group], record)) group = kept.size();
        const auto known = std::find_if(kept.begin() + std::ptrdiff_t(group), kept.end(),
                                        [&](const Record& other) { return same_work(other, record); });
        if (known != kept.end())
            *known = std::move(record);
        else
            kept.push_back(std::move(record));
    }
    records_ = std::move(kept);
}

const Record* Recordings::find(std::string_view gpu, const RecordKey& key) const {
    Record wanted;
    wanted.key.lab = key.lab;
    wanted.key.version = key.version;
    const auto range = std::equal_range(records_.begin(), records_.end(), wanted, before);
    const auto found = std::find_if(range.first, range.second, [&](const Record& record) {
        return record.place.gpu == gpu && record.key == key;
    });
    return found == range.second ? nullptr : &*found;
}

std::vector<const Record*> Recordings::of(std::string_view gpu, std::string_view lab, int version) const {
    std::vector<const Record*> list;
    for (const Record& record : records_) {
        if (record.key.lab == lab && record.key.version == version && record.place.gpu == gpu)
            list.push_back(&record);
    }
    return list;
}

std::vector<std::string> Recordings::gpus() const {
    std::vector<std::string> names;
    for (const Record& record : records_) {
        if (std::find(names.begin(), names.end(), record.place.gpu) == names.end())
            names.push_back(record.place.gpu);
    }
    return names;
}

std::vector<std::string> refuse_other_kernels(
    std::vector<Record>& records, const std::function<std::uint64_t(const std::string& kernel)>& text_of) {
    struct Refused {
        std::uint64_t recorded = 0, here = 0;
        int count = 0;
    };
    std::map<std::string, Refused> refused;
    std::map<std::string, std::uint64_t> here;
    std::erase_if(records, [&](const Record& record) {
        for (const RecordedKernel& kernel : record.key.kernels) {
            const auto [known, is_new] = here.try_emplace(kernel.name, 0);
            if (is_new) known->second = text_of(kernel.name);
            if (known->second == kernel.text) continue;
            Refused& one = refused[kernel.name];
            one = {kernel.text, known->second, one.count + 1};
            return true;
        }
        return false;
    });
    std::vector<std::string> sentences;
    sentences.reserve(refused.size());
    for (const auto& [name, one] : refused)
        sentences.push_back(
            one.here == 0
                ? fmt::format("{} records are of {}.cu, which is not here", one.count, name)
                : fmt::format("{} records are of another {}.cu: its text was {:016x}, here it is {:016x}",
                              one.count, name, one.recorded, one.here));
    return sentences;
}

}  // namespace ws
