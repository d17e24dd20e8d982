#include "structtensor/tensor/values/shared/json_scalar.h"

#include <cmath>

#include "structtensor/core/base/shared/time_text.h"

namespace structtensor::values_internal {
namespace {

using base_internal::SecondsAndNanos;
using base_internal::TimeForm;

template <typename Float>
void AppendFloat(Float value, std::string& out) {
  if (std::isnan(value)) {
    out += "\"NaN\"";
  } else if (std::isinf(value)) {
    out += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  } else if (value == 0 && std::signbit(value)) {
    out += "-0.0";  // "-0" is the integer 0 for most readers
  } else {
    char text[32];
    out.append(text, std::to_chars(text, text + sizeof(text), value).ptr);
  }
}

SecondsAndNanos SecondsAndNanosOf(int64_t value, TimeUnit unit) {
  const int64_t units_per_second = UnitsPerSecond(unit);
  return {.seconds = value / units_per_second,
          .nanos = static_cast<int32_t>(value % units_per_second * (1'000'000'000 / units_per_second))};
}

}  // namespace

void AppendJsonBase64(std::string_view bytes, std::string& out) {
  constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  out += '"';
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t present = bytes.size() - i;
    uint32_t group = static_cast<uint32_t>(static_cast<uint8_t>(bytes[i])) << 16;
    if (present > 1) group |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[i + 1])) << 8;
    if (present > 2) group |= static_cast<uint8_t>(bytes[i + 2]);
    out += kAlphabet[group >> 18];
    out += kAlphabet[(group >> 12) & 63];
    out += present > 1 ? kAlphabet[(group >> 6) & 63] : '=';
    out += present > 2 ? kAlphabet[group & 63] : '=';
  }
  out += '"';
}

void AppendJsonNumber(double value, std::string& out) { AppendFloat(value, out); }
void AppendJsonNumber(float value, std::string& out) { AppendFloat(value, out); }

void AppendJsonTimestamp(int64_t value, TimeUnit unit, std::string& out) {
  // Division rounds towards zero, but the fraction of a time must not be negative.
  SecondsAndNanos time = SecondsAndNanosOf(value, unit);
  if (time.nanos < 0) {
    --time.seconds;
    time.nanos += 1'000'000'000;
  }
  out += '"';
  AppendTimestamp(time, TimeForm::kColumn, out);
  out += '"';
}

void AppendJsonDuration(int64_t value, TimeUnit unit, std::string& out) {
  out += '"';
  AppendDuration(SecondsAndNanosOf(value, unit), TimeForm::kColumn, out);
  out += '"';
}

}  // namespace structtensor::values_internal
