// The functions that setters of generated row builders call. They map the types of fields to what
// core/generated_api/batch_builder.h stores.
#ifndef STRUCTTENSOR_CORE_GENERATED_API_ROW_BUILDERS_H_
#define STRUCTTENSOR_CORE_GENERATED_API_ROW_BUILDERS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "structtensor/core/generated_api/batch_builder.h"

#pragma GCC visibility push(default)

namespace structtensor::generated_api_internal {

// How a value of type T is stored: a number, bool, an enum class, std::string_view, or a time (time.h).
template <typename T>
struct RowInput {
  static void Set(const MessageBuilder& row, uint32_t field, T value) {
    if constexpr (std::is_enum_v<T>) {
      RowWriter::Set(row, field, static_cast<int32_t>(value));
    } else {
      RowWriter::Set(row, field, value);
    }
  }
  static void Add(const MessageBuilder& row, uint32_t field, T value) {
    if constexpr (std::is_enum_v<T>) {
      const auto number = static_cast<int32_t>(value);
      RowWriter::Add(row, field, std::span<const int32_t>(&number, 1));
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      RowWriter::Add(row, field, value);
    } else {
      RowWriter::Add(row, field, std::span<const T>(&value, 1));
    }
  }
};

template <typename T>
void SetField(const MessageBuilder& row, uint32_t field, T value) {
  RowInput<T>::Set(row, field, value);
}
template <typename T>
void AddElement(const MessageBuilder& row, uint32_t field, T value) {
  RowInput<T>::Add(row, field, value);
}

// Adds an entry to a map. Its message has the key as field 0 and the value as field 1.
template <typename Key, typename Value>
void AddEntry(const MessageBuilder& row, uint32_t field, Key key, Value value) {
  const MessageBuilder entry = RowWriter::AddMessage(row, field);
  RowInput<Key>::Set(entry, 0, key);
  RowInput<Value>::Set(entry, 1, value);
}
// Adds an entry whose value is a message, and returns the value.
template <typename Key>
MessageBuilder AddEntry(const MessageBuilder& row, uint32_t field, Key key) {
  const MessageBuilder entry = RowWriter::AddMessage(row, field);
  RowInput<Key>::Set(entry, 0, key);
  return RowWriter::Mutable(entry, 1);
}

}  // namespace structtensor::generated_api_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_GENERATED_API_ROW_BUILDERS_H_
