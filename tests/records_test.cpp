// Records as lines and files, and what is looked up in them.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "gpu/core/error.h"
#include "gpu/core/files.h"
#include "gpu/records/record_file.h"
#include "gpu/records/recordings.h"

namespace ws {
namespace {

Record record_of(int version, Block block, double ms) {
    Record record;
    record.place = {"H200",        {9, 0}, "13.0", "NVRTC 13.0", "a \"picture\".jpg", 0xfedcba9876543210u,
                    Kind::measured};
    record.key = {"filters", version, "edge", {3648, 2736}, {}};
    record.key.kernels.push_back({"gray", "gray_g1", 11, {32, 4}, {}});
    record.key.kernels.push_back({"blur", "blur_g5", 12, block, {{"ROWS", 4}}});
    record.total_ms = {ms, ms * 0.99, ms * 1.01, 20};
    record.step_ms = {ms / 4, 3 * ms / 4};
    record.clock = {1965, 1980};
    record.occupancy = 62.5;
    record.check = "every pixel as defined";
    return record;
}
std::vector<Record> some() {
    std::vector<Record> records{record_of(5, {32, 4}, 0.0344), record_of(5, {1, 1}, 37.5057),
                                record_of(7, {64, 2}, 0.01)};
    records.push_back(record_of(7, {1024, 1}, 0.02));
    records.back().place.gpu = "H100";
    records.back().place.uuid = "GPU-01234567-89ab-cdef-0123-456789abcdef";
    records.push_back(record_of(7, {2, 512}, 0));
    records.back().total_ms = {};
    records.back().refused = "too many registers: 65 x 1024 > 65536";
    records.push_back(record_of(8, {2, 2}, 0.5));
    records.back().wrong = true;
    records.back().check = "3 pixels differ";
    records.push_back(record_of(8, {2, 4}, 0.25));
    records.back().place.kind = Kind::estimated;
    records.back().clock = {};
    records.back().key.size = {640, 480};
    return records;
}
std::string lines_of(const std::vector<Record>& records) {
    RecordWriter writer;
    std::string text;
    for (const Record& record : records) text += writer.lines_of(record);
    return text;
}
void expect_same(const Record& a, const Record& b) {
    EXPECT_EQ(a.place, b.place);
    EXPECT_EQ(a.key, b.key);
    EXPECT_NEAR(a.total_ms.median, b.total_ms.median, 1e-5 * b.total_ms.median);
    EXPECT_NEAR(a.total_ms.high, b.total_ms.high, 1e-5 * b.total_ms.high);
    EXPECT_EQ(a.total_ms.samples, b.total_ms.samples);
    EXPECT_EQ(a.clock, b.clock);
    EXPECT_EQ(a.occupancy, b.occupancy);
    EXPECT_EQ(a.check, b.check);
    EXPECT_EQ(a.wrong, b.wrong);
    EXPECT_EQ(a.refused, b.refused);
    ASSERT_EQ(a.step_ms.size(), b.step_ms.size());
    for (std::size_t i = 0; i < a.step_ms.size(); ++i)
        EXPECT_NEAR(a.step_ms[i], b.step_ms[i], 1e-5 * b.step_ms[i]);
}

class RecordFiles : public ::testing::Test {
  protected:
    RecordFiles() { std::filesystem::create_directories(folder_); }
    ~RecordFiles() override { std::filesystem::remove_all(folder_); }
    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("records_test." + std::to_string(getpid()));
    std::filesystem::path path_ = folder_ / "deeper" / "records.jsonl";
};

TEST(Records, ComeBackAsTheyWere) {
    const std::vector<Record> records = some();
    const RecordLines read = read_records(lines_of(records));
    EXPECT_TRUE(read.bad.empty());
    ASSERT_EQ(read.records.size(), records.size());
    for (std::size_t i = 0; i < records.size(); ++i) expect_same(read.records[i], records[i]);
}

TEST(Records, SayTwiceOnlyWhatChanges) {
    std::vector<Record> records;
    for (int y = 1; y <= 64; ++y) records.push_back(record_of(5, {8, y}, y));
    const std::string text = lines_of(records);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 64 + 2)
        << "the place, the kernels' texts, the records";
    records[40].key.kernels[1].text = 13;
    EXPECT_EQ(read_records(lines_of(records)).records[40].key.kernels[1].text, 13u);
    EXPECT_EQ(read_records(lines_of(records)).records[41].key.kernels[1].text, 12u);
}

// Wherever a file is cut, what stands before is read, and no more than the last line is lost.
TEST(Records, CutAnywhereLoseOneLine) {
    const std::string text = lines_of(some());
    std::size_t before = 0;
    for (std::size_t length = 0; length <= text.size(); ++length) {
        const RecordLines read = read_records(std::string_view(text).substr(0, length));
        EXPECT_LE(read.bad.size(), 1u) << length;
        EXPECT_GE(read.records.size(), before) << length;
        before = read.records.size();
        const auto records = some();
        for (std::size_t i = 0; i < read.records.size(); ++i) EXPECT_EQ(read.records[i].key, records[i].key);
    }
    EXPECT_EQ(before, some().size());
}

TEST(Records, BrokenLinesAreNamedAndLeftOut) {
    const std::vector<Record> records = some();
    const std::string good = lines_of({records[0]});
    const struct {
        const char* line;
        const char* why;
    } kBroken[] = {
        {"{\"v\":1,\"kernels\":[],\"ms\":[-1,0,0,1]}", "-1 is no time"},
        {"{\"v\":1,\"kernels\":[[\"blur\",\"other\",1,1,1]],\"ms\":[1,1,1,1]}",
         "no line before it has the text of other"},
        {"{\"v\":1,\"kernels\":[]}", "neither a time nor a reason"},
        {"{\"v\":\"x\",\"kernels\":[]}", "type must be number"},
        {"[]", "no JSON object"},
        {"nonsense", "parse error"},
        {"{\"texts\":{\"a\":\"12\"}}", "is no content hash"},
    };
    for (const auto& [line, why] : kBroken) {
        const RecordLines read = read_records(good + line + "\n" + good);
        EXPECT_EQ(read.records.size(), 2u) << line;
        ASSERT_EQ(read.bad.size(), 1u) << line;
        EXPECT_EQ(read.bad[0].line, 4) << line;
        EXPECT_NE(read.bad[0].why.find(why), std::string::npos) << read.bad[0].why;
    }
    EXPECT_EQ(read_records("{\"v\":1,\"kernels\":[],\"ms\":[1,1,1,1]}").bad.size(), 1u) << "of nothing";
}

TEST(Records, OfAnotherSchemaAreNotRead) {
    std::string text = lines_of(some());
    text.replace(text.find("records\":1"), 10, "records\":2");
    const RecordLines read = read_records(text);
    EXPECT_TRUE(read.records.empty());
    ASSERT_EQ(read.bad.size(), 1u);
    EXPECT_NE(read.bad[0].why.find("schema 2"), std::string::npos);
}

TEST_F(RecordFiles, GrowAcrossPrograms) {
    const std::vector<Record> records = some();
    for (const Record& record : records) {
        RecordFile file(path_);
        EXPECT_TRUE(file.earlier().bad.empty());
        file.append(record);
        file.append(record);
    }
    const RecordLines read = read_record_file(path_);
    ASSERT_EQ(read.records.size(), 2 * records.size());
    for (std::size_t i = 0; i < records.size(); ++i) expect_same(read.records[2 * i + 1], records[i]);
}

TEST_F(RecordFiles, AnUnfinishedEndCostsOneLine) {
    const std::string text = lines_of(some());
    write_file(path_, text.substr(0, text.size() - 30));
    {
        RecordFile file(path_);
        EXPECT_EQ(file.earlier().records.size(), some().size() - 1);
        ASSERT_EQ(file.earlier().bad.size(), 1u);
        EXPECT_EQ(file.earlier().bad[0].why, "it ends in the middle");
        file.append(some().back());
    }
    const RecordLines read = read_record_file(path_);
    EXPECT_EQ(read.bad.size(), 1u);
    ASSERT_EQ(read.records.size(), some().size());
    expect_same(read.records.back(), some().back());
}

TEST_F(RecordFiles, AreWrittenByOneProgramAtATime) {
    RecordFile file(path_);
    EXPECT_THROW(RecordFile other(path_), Error);
}

TEST_F(RecordFiles, OfAnotherSchemaStayAsTheyAre) {
    write_file(path_, "{\"warpscope_records\":99}\n");
    EXPECT_THROW((void)read_record_file(path_), Error);
    EXPECT_THROW(RecordFile file(path_), Error);
    EXPECT_EQ(read_file(path_), "{\"warpscope_records\":99}\n");
}

TEST_F(RecordFiles, ThatCannotBeHadSayWhy) {
    EXPECT_THROW((void)read_record_file(folder_ / "none"), Error);
    EXPECT_THROW(RecordFile file(folder_), Error);
}

TEST(Recordings, FindTheLatestBelievedTime) {
    Recordings recordings;
    recordings.add(some());
    EXPECT_EQ(recordings.all().size(), 4u) << "what is refused, wrong or estimated is no time of a GPU";
    const Record wanted = record_of(5, {32, 4}, 1);
    ASSERT_NE(recordings.find("H200", wanted.key), nullptr);
    EXPECT_NEAR(recordings.find("H200", wanted.key)->total_ms.median, 0.0344, 1e-9);
    recordings.add({record_of(5, {32, 4}, 0.5)});
    EXPECT_EQ(recordings.find("H200", wanted.key)->total_ms.median, 0.5);
    EXPECT_EQ(recordings.all().size(), 4u);
    EXPECT_EQ(recordings.find("H100", wanted.key), nullptr);
    EXPECT_EQ(recordings.of("H200", "filters", 5).size(), 2u);
    EXPECT_EQ(recordings.gpus(), (std::vector<std::string>{"H200", "H100"}));
    for (const auto& change : std::vector<std::function<void(RecordKey&)>>{
             [](RecordKey& key) { key.version = 6; }, [](RecordKey& key) { key.view = "gray"; },
             [](RecordKey& key) {
                 key.size = {1, 1};
             },
             [](RecordKey& key) { key.lab = "x"; }, [](RecordKey& key) { key.kernels[1].knobs["ROWS"] = 5; },
             [](RecordKey& key) { key.kernels[1].text = 0; },
             [](RecordKey& key) { key.kernels[0].block.x = 16; }}) {
        RecordKey other = wanted.key;
        change(other);
        EXPECT_EQ(recordings.find("H200", other), nullptr);
    }
}

TEST(Recordings, OfAnotherKernelAreRefusedByName) {
    std::vector<Record> records = some();
    const auto sentences = refuse_other_kernels(
        records, [](const std::string& kernel) -> std::uint64_t { return kernel == "gray_g1" ? 11 : 99; });
    EXPECT_TRUE(records.empty());
    ASSERT_EQ(sentences.size(), 1u);
    EXPECT_EQ(
        sentences[0],
        "7 records are of another blur_g5.cu: its text was 000000000000000c, here it is 0000000000000063");
    records = some();
    EXPECT_TRUE(refuse_other_kernels(records, [](const std::string& kernel) -> std::uint64_t {
                    return kernel == "gray_g1" ? 11 : 12;
                }).empty());
    EXPECT_EQ(records.size(), some().size());
}

}  // namespace
}  // namespace ws
