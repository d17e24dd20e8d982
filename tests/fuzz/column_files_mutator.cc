#include "column_files_mutator.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

namespace structtensor::testing {
namespace {

constexpr std::string_view kParquetMagic = "PAR1";
constexpr size_t kTailBytes = sizeof(uint32_t) + kParquetMagic.size();  // the size of the footer, and the magic bytes

// Where the footer of a Parquet file begins. Nothing if the file does not have one.
std::optional<size_t> FooterBegin(std::string_view file) {
  if (file.size() < kTailBytes || !file.ends_with(kParquetMagic)) return std::nullopt;
  const size_t end = file.size() - kTailBytes;
  uint32_t footer_bytes = 0;
  std::memcpy(&footer_bytes, file.data() + end, sizeof(footer_bytes));
  if (footer_bytes > end) return std::nullopt;
  return end - footer_bytes;
}

void SetFooterSize(std::string& file, size_t begin) {
  const auto footer_bytes = static_cast<uint32_t>(file.size() - kTailBytes - begin);
  std::memcpy(file.data() + file.size() - kTailBytes, &footer_bytes, sizeof(footer_bytes));
}

// A number that is likely to reach a limit, as a little-endian number or a varint of 1 to 10 bytes.
std::string Number(Random& random) {
  constexpr uint64_t kNumbers[] = {
      0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff, uint64_t{1} << 62, ~uint64_t{0}};
  uint64_t number = kNumbers[Pick(random, std::size(kNumbers))] + Pick(random, 3) - 1;
  if (Chance(random, 0.5)) {
    const auto* const bytes = reinterpret_cast<const char*>(&number);
    return std::string(bytes, size_t{1} << Pick(random, 4));
  }
  std::string varint;
  for (; number > 0x7f; number >>= 7) varint.push_back(static_cast<char>(number | 0x80));
  return varint + static_cast<char>(number);
}

// Overwrites bytes in [begin, end).
void Overwrite(Random& random, std::string& file, size_t begin, size_t end, const PlainMutation& plain) {
  if (begin >= end) return;
  const size_t at = begin + Pick(random, end - begin);
  if (Chance(random, 0.4)) {
    const std::string number = Number(random).substr(0, end - at);
    file.replace(at, number.size(), number);
    return;
  }
  const size_t count = std::min(end - at, 1 + Pick(random, 32));
  std::string changed = plain(random, file.substr(at, count), count);
  changed.resize(count, file[at]);
  file.replace(at, count, changed);
}

}  // namespace

std::string MutateColumnFile(Random& random, std::string_view bytes, size_t max_size, const PlainMutation& plain) {
  if (bytes.empty() || Chance(random, 0.05)) return plain(random, std::string(bytes), max_size);
  const char options = Chance(random, 0.1) ? static_cast<char>(random()) : bytes[0];
  std::string file(bytes.substr(1, max_size - 1));
  const std::optional<size_t> footer = FooterBegin(file);
  const size_t body_end = footer.value_or(file.size());
  for (size_t n = 1 + Pick(random, 3); n > 0; --n) {
    if (!footer.has_value() || Chance(random, 0.5)) {
      Overwrite(random, file, 0, body_end, plain);
    } else if (file.size() < body_end + kTailBytes || Chance(random, 0.7)) {
      Overwrite(random, file, body_end, file.size(), plain);
    } else {
      const size_t footer_bytes = file.size() - kTailBytes - body_end;
      const size_t room = max_size - 1 - file.size();
      std::string changed = plain(random, file.substr(body_end, footer_bytes), footer_bytes + room);
      file.replace(body_end, footer_bytes, changed);
      SetFooterSize(file, body_end);
    }
  }
  if (Chance(random, 0.05)) file.resize(Pick(random, file.size() + 1));
  return options + file;
}

}  // namespace structtensor::testing
