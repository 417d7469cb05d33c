// Runs the tests of a program: all of them, or with --source=core_test.cpp those of one of its sources.

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace {

// A filter of the tests whose source it is; empty where there are none.
std::string tests_of(std::string_view source) {
    std::string filter;
    const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
    for (int i = 0; i < all.total_test_suite_count(); ++i) {
        const ::testing::TestSuite& suite = *all.GetTestSuite(i);
        for (int j = 0; j < suite.total_test_count(); ++j) {
            const ::testing::TestInfo& test = *suite.GetTestInfo(j);
            const std::string_view path = test.file();
            if (path.substr(path.find_last_of('/') + 1) != source) continue;
            filter.append(filter.empty() ? "" : ":").append(suite.name()).append(".").append(test.name());
        }
    }
    return filter;
}

}  // namespace

int main(int count, char** arguments) {
    ::testing::InitGoogleTest(&count, arguments);
    constexpr std::string_view kSource = "--source=";
    if (count == 1) return RUN_ALL_TESTS();
    const std::string_view option = arguments[1];
    if (option == "--help") return RUN_ALL_TESTS();  // which only shows it
    if (count > 2 || option.substr(0, kSource.size()) != kSource) {
        std::fprintf(stderr, "%s: not known: %s\n", arguments[0], arguments[count > 2 ? 2 : 1]);
        return 2;
    }
    const std::string filter = tests_of(option.substr(kSource.size()));
    if (filter.empty()) {
        std::fprintf(stderr, "%s: no test of it is in %s\n", arguments[0], arguments[1] + kSource.size());
        return 2;
    }
    ::testing::GTEST_FLAG(filter) = filter;
    return RUN_ALL_TESTS();
}
