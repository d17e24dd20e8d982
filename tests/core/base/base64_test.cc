#include "structtensor/core/base/shared/base64.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"

namespace structtensor::base_internal {
namespace {

// On the heap, so that the address sanitizer sees what is written beyond.
std::optional<std::string> Decoded(std::string_view text) {
  const size_t size = DecodedBase64Bytes(text);
  const auto bytes = std::make_unique<char[]>(size);
  const char* const end = DecodeBase64(text, bytes.get());
  if (end == nullptr) return std::nullopt;
  EXPECT_EQ(static_cast<size_t>(end - bytes.get()), size) << text;
  return std::string(bytes.get(), size);
}

TEST(Base64Test, WhatAbseilWrites) {
  std::mt19937 random(1);
  for (size_t size = 0; size < 100; ++size) {
    std::string bytes(size, 0);
    for (char& c : bytes) c = static_cast<char>(random());
    const std::string padded = absl::Base64Escape(bytes);
    EXPECT_EQ(Decoded(padded), bytes);
    EXPECT_EQ(Decoded(padded.substr(0, padded.find('='))), bytes);
    EXPECT_EQ(Decoded(absl::WebSafeBase64Escape(bytes)), bytes);
  }
}

TEST(Base64Test, OtherStringsAreRefused) {
  for (const std::string_view text :
       {"A",      "AAAAA",    "AA=",  "=",        "==",   "===",    "====", "A===", "AAA==", "AAAA=",
        "AAAA==", "AAAA====", "AA=A", "AA==AAAA", "AA A", "AAAA\n", " AAA", "AA.=", "AAA.",  "AA\xc3\xa9"}) {
    EXPECT_EQ(Decoded(text), std::nullopt) << text;
  }
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool is_base64 =
        absl::ascii_isalnum(static_cast<unsigned char>(byte)) || c == '+' || c == '/' || c == '-' || c == '_';
    for (size_t at = 0; at < 7; ++at) {
      std::string text = "AAAAAAA";
      text[at] = c;
      EXPECT_EQ(Decoded(text).has_value(), is_base64) << byte << " at " << at;
    }
  }
  EXPECT_EQ(Decoded("-/+_"), Decoded("+/+/"));
  EXPECT_EQ(Decoded("AB=="), std::string(1, '\0'));  // bits that no byte has
}

}  // namespace
}  // namespace structtensor::base_internal
