#include "structtensor/tensor/json_scalar.h"

#include <cmath>

namespace structtensor {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";
constexpr std::string_view kReplacementCharacter = "\xef\xbf\xbd";  // U+FFFD
constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr int64_t kSecondsPerDay = 86'400;

// How many bytes the well-formed UTF-8 sequence at the start of `text` has, which starts with a byte of 0x80 or more; 0 if it
// is not well-formed. The table is that of the Unicode standard, chapter 3, "Well-Formed UTF-8 Byte Sequences".
size_t Utf8SequenceSizeBytes(std::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<uint8_t>(text[i]); };
  const auto continues = [&](size_t i) { return i < text.size() && (byte(i) & 0xc0) == 0x80; };
  const uint8_t first = byte(0);
  if (first >= 0xc2 && first <= 0xdf) return continues(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    if (!continues(1) || !continues(2)) return 0;
    if (first == 0xe0 && byte(1) < 0xa0) return 0;  // shorter forms exist
    if (first == 0xed && byte(1) > 0x9f) return 0;  // surrogates
    return 3;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (first == 0xf0 && byte(1) < 0x90) return 0;
    if (first == 0xf4 && byte(1) > 0x8f) return 0;  // above U+10FFFF
    return 4;
  }
  return 0;
}

void AppendControlCharacter(uint8_t c, std::string& out) {
  switch (c) {
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    default:
      out += "\\u00";
      out += kHexDigits[c >> 4];
      out += kHexDigits[c & 15];
  }
}

// Runs of bytes that need nothing are appended at once.
template <bool kEscapeQuotes>
void AppendEscaped(std::string_view text, std::string& out) {
  size_t run_begin = 0;
  size_t i = 0;
  const auto flush = [&](size_t next) {
    out.append(text, run_begin, i - run_begin);
    run_begin = i = next;
  };
  while (i < text.size()) {
    const uint8_t c = static_cast<uint8_t>(text[i]);
    if (c < 0x20 || c == 0x7f) {
      flush(i + 1);
      AppendControlCharacter(c, out);
    } else if (kEscapeQuotes && (c == '"' || c == '\\')) {
      flush(i + 1);
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < 0x80) {
      ++i;
    } else if (const size_t size_bytes = Utf8SequenceSizeBytes(text.substr(i)); size_bytes > 0) {
      i += size_bytes;
    } else {
      flush(i + 1);
      out += kReplacementCharacter;
    }
  }
  flush(i);
}

template <typename Float>
void AppendFloat(Float value, std::string& out) {
  if (std::isnan(value)) {
    out += "\"NaN\"";
  } else if (std::isinf(value)) {
    out += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  } else {
    char text[32];
    out.append(text, std::to_chars(text, text + sizeof(text), value).ptr);
  }
}

void AppendPadded(int64_t value, int digits, std::string& out) {
  char text[20];
  char* const end = std::to_chars(text, text + sizeof(text), value).ptr;
  for (auto missing = digits - (end - text); missing > 0; --missing) out += '0';
  out.append(text, end);
}

// ".25" of 250'000'000; nothing of 0.
void AppendFraction(int64_t nanoseconds, std::string& out) {
  if (nanoseconds == 0) return;
  out += '.';
  AppendPadded(nanoseconds, 9, out);
  while (out.back() == '0') out.pop_back();
}

struct Date {
  int64_t year;
  int64_t month;
  int64_t day;
};

// The date in the proleptic Gregorian calendar, `days` after 1970-01-01. Years are counted from March, so that the leap day is
// the last one of its year; 400 years have 146,097 days.
Date DateFromDays(int64_t days) {
  days += 719'468;  // from 0000-03-01
  const int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const int64_t day_of_era = days - era * 146'097;
  const int64_t year_of_era = (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  // Months from March on have 31 30 31 30 31 days, twice and a bit: 153 days every five.
  const int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  return {.year = year_of_era + era * 400 + (month <= 2 ? 1 : 0),
          .month = month,
          .day = day_of_year - (153 * month_from_march + 2) / 5 + 1};
}

}  // namespace

void AppendJsonString(std::string_view text, std::string& out) {
  out += '"';
  AppendEscaped<true>(text, out);
  out += '"';
}

void AppendPrintable(std::string_view text, std::string& out) { AppendEscaped<false>(text, out); }

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

void AppendJsonTimestamp(int64_t nanoseconds, std::string& out) {
  // Division rounds towards zero; the fraction must not be negative.
  int64_t seconds = nanoseconds / kNanosecondsPerSecond;
  int64_t fraction = nanoseconds % kNanosecondsPerSecond;
  if (fraction < 0) {
    --seconds;
    fraction += kNanosecondsPerSecond;
  }
  int64_t days = seconds / kSecondsPerDay;
  int64_t second_of_day = seconds % kSecondsPerDay;
  if (second_of_day < 0) {
    --days;
    second_of_day += kSecondsPerDay;
  }
  const Date date = DateFromDays(days);
  out += '"';
  AppendPadded(date.year, 4, out);
  out += '-';
  AppendPadded(date.month, 2, out);
  out += '-';
  AppendPadded(date.day, 2, out);
  out += 'T';
  AppendPadded(second_of_day / 3600, 2, out);
  out += ':';
  AppendPadded(second_of_day / 60 % 60, 2, out);
  out += ':';
  AppendPadded(second_of_day % 60, 2, out);
  AppendFraction(fraction, out);
  out += "Z\"";
}

void AppendJsonDuration(int64_t nanoseconds, std::string& out) {
  const int64_t seconds = nanoseconds / kNanosecondsPerSecond;
  const int64_t fraction = nanoseconds % kNanosecondsPerSecond;
  out += '"';
  if (nanoseconds < 0) out += '-';
  AppendJsonNumber(seconds < 0 ? -seconds : seconds, out);
  AppendFraction(fraction < 0 ? -fraction : fraction, out);
  out += "s\"";
}

}  // namespace structtensor
