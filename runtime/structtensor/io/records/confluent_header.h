// The header that Confluent's serializers put before each message.
#ifndef STRUCTTENSOR_IO_RECORDS_CONFLUENT_HEADER_H_
#define STRUCTTENSOR_IO_RECORDS_CONFLUENT_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace structtensor {

struct ConfluentHeader {
  uint32_t schema_id = 0;
  // Which message type of the schema's file the message has: [1] is the second type of the file, [1, 0] the first type that is
  // declared inside it. Never empty: the header of the first type stores no index.
  std::vector<int32_t> message_indexes = {};
  size_t size_bytes = 0;
};

// Reads the header at the beginning of `record`: a byte 0, a schema id of four bytes, and the message indexes, which are a
// count and that many numbers, all as zigzag varints. Reuses the memory of `header`. Returns "", or what is wrong with the
// header; `header` is unspecified then.
// Source: docs.confluent.io, Schema Registry, wire format.
std::string ReadConfluentHeader(std::string_view record, ConfluentHeader* header);

// "[1, 0]".
std::string MessageIndexesText(std::span<const int32_t> indexes);

}  // namespace structtensor

#endif  // STRUCTTENSOR_IO_RECORDS_CONFLUENT_HEADER_H_
