#include "gpu/labs/filters/native.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstring>

#include "gpu/labs/filters/rows.h"

namespace ws::filters::native {
namespace {

// The last few rows of something, in buffers with margins. Row -1 and the like are rows too.
template <typename T, int kRows>
class RowRing {
  public:
    explicit RowRing(std::size_t pixels) : pixels_(pixels), stride_(rows::row_bytes(pixels)) {
        elements_ = hwy::AllocateAligned<T>(kRows * stride_);
        std::fill_n(elements_.get(), kRows * stride_, T(0));
    }
    T* row(int y) {
        return elements_.get() + std::size_t((y % kRows + kRows) % kRows) * stride_ + rows::kRowMargin;
    }
    // Whole vectors were written: what lies behind the row's end is outside the picture again.
    void clear_behind(int y) { std::fill_n(row(y) + pixels_, rows::kRowMargin, T(0)); }
    void clear(int y) { std::fill_n(row(y), pixels_ + rows::kRowMargin, T(0)); }

  private:
    std::size_t pixels_;
    std::size_t stride_;
    hwy::AlignedFreeUniquePtr<T[]> elements_;
};

// Computes the rows [first, last) of the result. gray_row(y, out) writes the gray row y into a row buffer.
template <typename GrayRow>
void run_strip(Extent size, Filters filters, const GrayRow& gray_row, int first, int last,
               std::uint8_t* out) {
    const auto width = std::size_t(size.width);
    const int reach_edge = filters.edge ? 1 : 0;
    const int reach_blur = filters.blur ? 3 : 0;
    const auto inside = [&](int y) { return y >= 0 && y < size.height; };

    RowRing<std::uint8_t, 4> grays(width);
    RowRing<std::uint8_t, 4> blurred(width);
    const std::size_t blur_width = filters.blur ? width : 0;
    RowRing<std::uint16_t, 4> sums(blur_width);
    RowRing<std::uint16_t, 4> fours(blur_width);
    RowRing<std::uint16_t, 1> totals(blur_width);
    RowRing<std::uint8_t, 1> result(width);

    const auto finish = [&](const std::uint8_t* row, int y) {
        std::memcpy(out + std::size_t(y) * width, row, width);
    };

    for (int y = first - reach_edge - reach_blur; y < last + reach_edge + reach_blur; ++y) {
        const int gray_at = filters.blur ? 0 : y;  // the blur keeps what it needs of rows before
        // A gray row; outside the picture it is black.
        if (inside(y)) {
            gray_row(y, grays.row(gray_at));
            grays.clear_behind(gray_at);
        } else {
            grays.clear(gray_at);
        }

        // The blurred row that this gray row completes.
        int ready = y;
        if (filters.blur) {
            ready = y - 3;
            const rows::BlurSums sums_here{sums.row(y), fours.row(y - 1), fours.row(y), totals.row(0)};
            rows::blur(grays.row(gray_at), sums_here, blurred.row(ready), width);
            if (ready < first - reach_edge) continue;
            if (inside(ready)) {
                blurred.clear_behind(ready);
            } else {
                blurred.clear(ready);
            }
        }
        RowRing<std::uint8_t, 4>& smooth = filters.blur ? blurred : grays;
        if (!filters.edge) {
            finish(smooth.row(ready), ready);
            continue;
        }

        // The row of edges that it completes.
        const int y_edge = ready - 1;
        if (y_edge < first) continue;
        rows::edge(smooth.row(y_edge - 1), smooth.row(y_edge), smooth.row(y_edge + 1), result.row(0), width);
        finish(result.row(0), y_edge);
    }
}

auto gray_rows_of(Extent size, const std::uint8_t* source) {
    return [size, source](int y, std::uint8_t* row) {
        const auto width = std::size_t(size.width);
        rows::gray(source + 4 * width * std::size_t(y), row, width);
    };
}

auto rows_of(Extent size, const std::uint8_t* source) {
    return [size, source](int y, std::uint8_t* row) {
        std::memcpy(row, source + std::size_t(y) * std::size_t(size.width), std::size_t(size.width));
    };
}

template <typename GrayRow>
void run(ThreadPool& pool, Extent size, Filters filters, const GrayRow& gray_row, std::uint8_t* out) {
    pool.for_slices(size.height,
                    [&](int first, int last) { run_strip(size, filters, gray_row, first, last, out); });
}

}  // namespace

void gray(ThreadPool& pool, Extent size, const std::uint8_t* source, std::uint8_t* out) {
    run(pool, size, {}, gray_rows_of(size, source), out);
}

void blur(ThreadPool& pool, Extent size, const std::uint8_t* source, std::uint8_t* out) {
    run(pool, size, {true, false}, rows_of(size, source), out);
}

void edge(ThreadPool& pool, Extent size, const std::uint8_t* source, std::uint8_t* out) {
    run(pool, size, {false, true}, rows_of(size, source), out);
}

void one_pass(ThreadPool& pool, Extent size, const std::uint8_t* source, Filters filters, std::uint8_t* out) {
    run(pool, size, filters, gray_rows_of(size, source), out);
}

}  // namespace ws::filters::native
