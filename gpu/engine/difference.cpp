#include "gpu/engine/difference.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "gpu/engine/wrong_places.h"

namespace ws {
namespace {

double value_at(const Buffer& buffer, const HostBytes& bytes, std::size_t place) {
    return value_of(buffer.element, &bytes[place * std::size_t(bytes_of(buffer.element))]);
}

// How many of `extent` places lie at `place` of a tile's side.
double places(int extent, int side, int place) {
    const int whole = extent / side;
    return whole + (extent % side > place ? 1 : 0);
}

// Counts to shares of the elements that lie there.
void share_by_place(Difference& made, Extent extent) {
    const Extent tile = made.tile;
    for (int i = 0; i < tile.width; ++i)
        made.by_column[std::size_t(i)] /=
            float(std::max(1.0, places(extent.width, tile.width, i) * extent.height));
    for (int i = 0; i < tile.height; ++i)
        made.by_row[std::size_t(i)] /=
            float(std::max(1.0, places(extent.height, tile.height, i) * extent.width));
    auto share = made.by_place.begin();
    for (int y = 0; y < tile.height; ++y) {
        for (int x = 0; x < tile.width; ++x)
            *share++ /= float(
                std::max(1.0, places(extent.width, tile.width, x) * places(extent.height, tile.height, y)));
    }
}

}  // namespace

Difference difference_of(const Buffer& buffer, Extent size, const HostBytes& result,
                         const HostBytes& reference, Extent tile, const PixelBytes* arguments) {
    const Extent extent = extent_of(buffer, size);
    Difference made;
    made.all = extent.pixels();
    made.tile = {std::clamp(tile.width, 1, std::max(1, extent.width)),
                 std::clamp(tile.height, 1, std::max(1, extent.height))};
    made.by_column.assign(std::size_t(made.tile.width), 0);
    made.by_row.assign(std::size_t(made.tile.height), 0);
    made.by_place.assign(made.tile.pixels(), 0);
    WrongPlaceCounter where(extent);
    const auto bytes = std::size_t(bytes_of(buffer.element));
    double sum = 0;
    double squares = 0;
    for (int row = 0; row < extent.height; ++row) {
        for (int column = 0; column < extent.width; ++column) {
            const std::size_t place = std::size_t(row) * std::size_t(extent.width) + std::size_t(column);
            const std::uint8_t* argument = arguments ? arguments->data() + place * bytes : nullptr;
            if (is_as_defined(buffer, &result[place * bytes], &reference[place * bytes], argument)) continue;
            const double is = value_at(buffer, result, place);
            const double should_be = value_at(buffer, reference, place);
            if (made.wrong++ == 0) {
                made.first_column = column;
                made.first_row = row;
                made.first_is = is;
                made.first_should_be = should_be;
            }
            const double apart = std::abs(is - should_be);
            made.largest = std::max(made.largest, apart);
            sum += apart;
            squares += apart * apart;
            const int x = column % made.tile.width;
            const int y = row % made.tile.height;
            ++made.by_column[std::size_t(x)];
            ++made.by_row[std::size_t(y)];
            ++made.by_place[std::size_t(y) * std::size_t(made.tile.width) + std::size_t(x)];
            where.add(column, row);
        }
    }
    if (made.wrong > 0) made.mean = sum / double(made.wrong);
    if (squares > 0 && buffer.element == Element::gray)
        made.psnr_db = 10 * std::log10(255.0 * 255.0 * double(made.all) / squares);
    share_by_place(made, extent);
    made.where = where.take();
    return made;
}

}  // namespace ws
