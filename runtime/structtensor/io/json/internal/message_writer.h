// Converts serialized messages to JSON.
#ifndef STRUCTTENSOR_IO_JSON_INTERNAL_MESSAGE_WRITER_H_
#define STRUCTTENSOR_IO_JSON_INTERNAL_MESSAGE_WRITER_H_

#include <cstdint>
#include <string_view>

#include "structtensor/core/wire/shared/field_reader.h"
#include "structtensor/io/json/internal/json_text.h"
#include "structtensor/io/json/internal/json_types.h"
#include "structtensor/io/json/internal/problem.h"
#include "structtensor/io/json/message_json.h"

namespace structtensor::json_internal {

class MessageWriter {
 public:
  // `types` and `options` must outlive the writer.
  MessageWriter(JsonTypes& types, const MessageJsonOptions& options) : types_(types), options_(options) {}

  // Appends the JSON of the message of that type. False after a problem; something may have been appended. Requires: 64 bytes
  // after the message can be read.
  bool Write(std::string_view serialized, const JsonType& type, int depth, JsonText& out, Problem& problem);

 private:
  // Writes members up to the end of `fields`, or up to the end of the group with that number. `group`: 0 for none.
  bool WriteFields(wire_internal::FieldReader& fields, uint32_t group, const JsonType& type, int depth, bool comma,
                   JsonText& out, Problem& problem);
  bool WriteDefault(const JsonField& field, bool* comma, JsonText& out, Problem& problem);
  void WriteName(const JsonField& field, bool* comma, JsonText& out) const;
  bool WriteItem(wire_internal::FieldReader& fields, const JsonType& type, int depth, bool* comma, JsonText& out,
                 Problem& problem);
  bool WriteValues(const JsonField& field, wire_internal::FieldReader& fields, int depth, JsonText& out, Problem& problem);
  bool WriteMapEntries(const JsonField& field, wire_internal::FieldReader& fields, int depth, JsonText& out, Problem& problem);
  void WriteEnum(const JsonField& field, int32_t number, JsonText& out) const;
  bool WriteScalar(const JsonField& field, uint64_t bits, std::string_view bytes, JsonText& out, Problem& problem);
  bool WriteTime(std::string_view serialized, JsonForm form, JsonText& out, Problem& problem);
  bool WriteFieldMask(std::string_view serialized, JsonText& out, Problem& problem);
  bool WriteWrapper(std::string_view serialized, const JsonType& type, int depth, JsonText& out, Problem& problem);
  bool WriteStruct(std::string_view serialized, int depth, JsonText& out, Problem& problem);
  bool WriteValue(std::string_view serialized, int depth, JsonText& out, Problem& problem);
  bool WriteListValue(std::string_view serialized, int depth, JsonText& out, Problem& problem);
  bool WriteAny(std::string_view serialized, int depth, JsonText& out, Problem& problem);

  JsonTypes& types_;
  const MessageJsonOptions& options_;
};

}  // namespace structtensor::json_internal

#endif  // STRUCTTENSOR_IO_JSON_INTERNAL_MESSAGE_WRITER_H_
