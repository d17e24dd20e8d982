// The tests' own consumer of exported structs. It reads them strictly as the Arrow specification says.
#ifndef STRUCTTENSOR_TESTS_IO_ARROW_C_DATA_TESTUTIL_H_
#define STRUCTTENSOR_TESTS_IO_ARROW_C_DATA_TESTUTIL_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/float16.h"
#include "structtensor/io/arrow/c_data.h"

namespace structtensor {

// Released at the end of the scope, unless it was moved away.
template <typename CStruct>
struct Scoped : CStruct {
  Scoped() : CStruct{} {}
  Scoped(const Scoped&) = delete;
  Scoped& operator=(const Scoped&) = delete;
  ~Scoped() { Release(); }
  void Release() {
    if (this->release != nullptr) this->release(this);
  }
};

// "+s{title:u, rating:g?, tags:+L{item:u}}"; a question mark where nullable.
inline std::string SchemaText(const ArrowSchema& schema) {
  std::string text = schema.format;
  if (schema.n_children > 0 || text == "+s") {
    text += "{";
    for (int64_t i = 0; i < schema.n_children; ++i) {
      const ArrowSchema& child = *schema.children[i];
      absl::StrAppend(&text, i > 0 ? ", " : "", child.name, ":", SchemaText(child));
    }
    text += "}";
  }
  if (schema.flags & ARROW_FLAG_NULLABLE) text += "?";
  return text;
}

template <typename T>
T BufferAt(const ArrowArray& array, int buffer, int64_t i) {
  return static_cast<const T*>(array.buffers[buffer])[i];
}

inline bool BitAt(const ArrowArray& array, int buffer, int64_t i) {
  return (BufferAt<uint8_t>(array, buffer, i / 8) >> (i % 8)) & 1;
}

inline std::string ElementText(const ArrowSchema& schema, const ArrowArray& array, int64_t row);

inline std::string ListText(const ArrowSchema& schema, const ArrowArray& array, int64_t begin, int64_t end) {
  std::string text = "[";
  for (int64_t i = begin; i < end; ++i) {
    absl::StrAppend(&text, i > begin ? "," : "", ElementText(*schema.children[0], *array.children[0], i));
  }
  return text + "]";
}

inline std::string ElementText(const ArrowSchema& schema, const ArrowArray& array, int64_t row) {
  const std::string_view format = schema.format;
  const int64_t i = row + array.offset;
  if (array.buffers[0] != nullptr && !BitAt(array, 0, i)) return "null";
  if (format == "b") return absl::StrCat(BitAt(array, 1, i) ? 1 : 0);
  if (format == "i") return absl::StrCat(BufferAt<int32_t>(array, 1, i));
  if (format == "I") return absl::StrCat(BufferAt<uint32_t>(array, 1, i));
  if (format == "l" || format == "tsn:UTC" || format == "tDn") return absl::StrCat(BufferAt<int64_t>(array, 1, i));
  if (format == "L") return absl::StrCat(BufferAt<uint64_t>(array, 1, i));
  if (format == "f") return absl::StrCat(BufferAt<float>(array, 1, i));
  if (format == "g") return absl::StrCat(BufferAt<double>(array, 1, i));
  if (format == "e") return absl::StrCat(static_cast<float>(BufferAt<Float16>(array, 1, i)));
  if (format == "u" || format == "z") {
    const int32_t begin = BufferAt<int32_t>(array, 1, i);
    const int32_t end = BufferAt<int32_t>(array, 1, i + 1);
    return absl::StrCat("\"", std::string(static_cast<const char*>(array.buffers[2]) + begin, static_cast<size_t>(end - begin)),
                        "\"");
  }
  if (format == "+L") return ListText(schema, array, BufferAt<int64_t>(array, 1, i), BufferAt<int64_t>(array, 1, i + 1));
  if (format == "+m") return ListText(schema, array, BufferAt<int32_t>(array, 1, i), BufferAt<int32_t>(array, 1, i + 1));
  if (format.substr(0, 3) == "+w:") {
    const int64_t length = std::stoll(std::string(format.substr(3)));
    return ListText(schema, array, i * length, (i + 1) * length);
  }
  std::string text = "{";
  for (int64_t child = 0; child < schema.n_children; ++child) {
    absl::StrAppend(&text, child > 0 ? "," : "", schema.children[child]->name, ":",
                    ElementText(*schema.children[child], *array.children[child], i));
  }
  return text + "}";
}

inline std::vector<std::string> TextRows(const ArrowSchema& schema, const ArrowArray& array) {
  std::vector<std::string> rows;
  for (int64_t row = 0; row < array.length; ++row) rows.push_back(ElementText(schema, array, row));
  return rows;
}

}  // namespace structtensor

#endif  // STRUCTTENSOR_TESTS_IO_ARROW_C_DATA_TESTUTIL_H_
