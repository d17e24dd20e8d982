// Reads the features of a serialized tf.Example or tf.SequenceExample, and finds those that the caller wants.
#ifndef STRUCTTENSOR_IO_TF_EXAMPLE_INTERNAL_FEATURE_READER_H_
#define STRUCTTENSOR_IO_TF_EXAMPLE_INTERNAL_FEATURE_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "structtensor/io/tf_example/internal/feature_stream.h"

namespace structtensor::tf_example_internal {

// The numbers of the wanted keys.
class FeatureKeys {
 public:
  static constexpr int kNotWanted = -1;

  // Key i has number i. The keys differ.
  explicit FeatureKeys(const std::vector<std::string>& keys);

  // `position`: how many entries came before in the message. Most messages have the same keys in the same order. So a key is
  // first compared with the key at this position in the last message, and only looked up if they differ.
  int Find(std::string_view key, size_t position) {
    if (position < guesses_.size() && guesses_[position].key == key) [[likely]]
      return guesses_[position].number;
    return LookUp(key, position);
  }

 private:
  struct Guess {
    std::string key;
    int number;
  };

  int LookUp(std::string_view key, size_t position);

  absl::flat_hash_map<std::string, int> numbers_;
  std::vector<Guess> guesses_;
};

// All bytes of a message.
FeatureStream StreamOf(std::string_view message);

// The end of the memory of the message.
const uint8_t* EndOf(std::string_view message);
// Where `part`, a part of the message, begins in it; 0 for a part without memory.
int64_t OffsetIn(std::string_view message, std::string_view part);

// Returns InvalidArgument: the message is not of that type from the position of `stream` on.
absl::Status DamagedMessage(int64_t row, std::string_view message, const FeatureStream& stream, const char* type);

// Reads an entry of the map of features: two fields, each a key or a value, in any order. Both may be keys, or both values.
inline bool ReadEntry(FeatureStream& stream, std::string_view* key, std::string_view* value) {
  for (int i = 0; i < 2; ++i) {
    const uint32_t tag = stream.ReadTag();
    if (tag != LengthTag(1) && tag != LengthTag(2)) return false;
    if (!stream.ReadBytes(tag == LengthTag(1) ? key : value)) return false;
  }
  return stream.AtEnd();
}
// Reads an entry of a tf.SequenceExample: a key, then a value.
inline bool ReadStrictEntry(FeatureStream& stream, std::string_view* key, std::string_view* value) {
  return stream.ExpectTag(LengthTag(1)) && stream.ReadBytes(key) && stream.ExpectTag(LengthTag(2)) && stream.ReadBytes(value) &&
         stream.AtEnd();
}

// Calls on_entry(key, value) for each entry of the map at the position of `stream`. False if damaged, at the new position.
template <auto read_entry, typename OnEntry>
bool ReadMap(FeatureStream& stream, OnEntry& on_entry) {
  uint32_t size_bytes;
  if (!stream.ReadVarint32(&size_bytes)) return false;
  const uint8_t* const outer = stream.PushLimit(size_bytes);
  while (!stream.AtEnd()) {
    uint32_t entry_bytes;
    if (!stream.ExpectTag(LengthTag(1)) || !stream.ReadVarint32(&entry_bytes)) return false;
    const uint8_t* const map = stream.PushLimit(entry_bytes);
    std::string_view key, value;
    if (!read_entry(stream, &key, &value)) return false;
    stream.PopLimit(map);
    on_entry(key, value);
  }
  stream.PopLimit(outer);
  return true;
}

// Calls on_feature(key, Feature) for each feature of the tf.Example, in their order. False if damaged, at the position of
// `stream`.
template <typename OnFeature>
bool ReadExample(FeatureStream& stream, OnFeature& on_feature) {
  while (!stream.AtEnd()) {
    if (stream.ExpectTag(LengthTag(1)) ? !ReadMap<ReadEntry>(stream, on_feature) : !stream.SkipField()) return false;
  }
  return true;
}

// Calls on_context(key, Feature) and on_list(key, FeatureList) for a tf.SequenceExample. False as ReadExample.
template <typename OnContext, typename OnList>
bool ReadSequenceExample(FeatureStream& stream, OnContext& on_context, OnList& on_list) {
  while (!stream.AtEnd()) {
    const bool ok = stream.ExpectTag(LengthTag(1))   ? ReadMap<ReadStrictEntry>(stream, on_context)
                    : stream.ExpectTag(LengthTag(2)) ? ReadMap<ReadStrictEntry>(stream, on_list)
                                                     : stream.SkipField();
    if (!ok) return false;
  }
  return true;
}

}  // namespace structtensor::tf_example_internal

#endif  // STRUCTTENSOR_IO_TF_EXAMPLE_INTERNAL_FEATURE_READER_H_
