#include "arrow_input.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "structtensor/io/arrow/export.h"
#include "structtensor/io/arrow/import.h"
#include "structtensor/tensor/values/text.h"

namespace structtensor::testing {
namespace {

constexpr int kMaxDepth = 6;
constexpr int kMaxNodes = 40;
// Of one array: what promises more has no buffers.
constexpr int64_t kMaxElements = 4096;

constexpr const char* kOddFormats[] = {"",        "+",        "+w:",          "+w:-1", "+w:99999999999999999999",
                                       "w:",      "w:-3",     "w:1000000000", "d:",    "d:0,0",
                                       "d:5",     "d:9,2,64", "d:99999,1",    "tiM",   "ts",
                                       "tsx:",    "+ud:",     "+us:",         "+ud:",  "+ud:0,0,0,0,",
                                       "+us:300", "+zz",      "tdq",          "vz"};

}  // namespace

ArrowInput::ArrowInput(std::string_view bytes) : rest_(bytes), memory_(new Memory) {
  memory_->releases = &releases_;
  schemas_.emplace_back();
  Make(Below(20), 0, schemas_.front(), root_);
  root_.private_data = memory_;
  root_.release = [](ArrowArray* array) {
    auto* const memory = static_cast<Memory*>(array->private_data);
    ++*memory->releases;
    delete memory;
    array->release = nullptr;
  };
}

uint8_t ArrowInput::Byte() {
  if (rest_.empty()) return 0;
  const auto byte = static_cast<uint8_t>(rest_.front());
  rest_.remove_prefix(1);
  return byte;
}

int64_t ArrowInput::Wild() {
  switch (Below(6)) {
    case 0:
      return -1;
    case 1:
      return std::numeric_limits<int64_t>::max();
    case 2:
      return std::numeric_limits<int64_t>::min();
    case 3:
      return std::numeric_limits<int32_t>::max();
    case 4:
      return int64_t{1} << Below(63);
    default:
      return static_cast<int8_t>(Byte());
  }
}

template <typename T, typename Fill>
const void* ArrowInput::Filled(int64_t count, Fill fill) {
  if (count < 0 || count > 16 * kMaxElements || Rarely()) return nullptr;
  const size_t size_bytes = static_cast<size_t>(count) * sizeof(T);
  char* const memory = memory_->bytes.emplace_back(new char[size_bytes]).get();
  for (int64_t i = 0; i < count; ++i) {
    const T value = static_cast<T>(fill(i));
    std::memcpy(memory + static_cast<size_t>(i) * sizeof(T), &value, sizeof(T));
  }
  return memory;
}

const void* ArrowInput::Bits(int64_t count) {
  if (count < 0 || count > kMaxElements || Byte() % 2 == 0) return nullptr;
  return Filled<uint8_t>((count + 7) / 8, [this](int64_t) { return Byte(); });
}

// Makes `count` offsets. Only the last one, `*end`, shows how much memory the offsets refer to.
template <typename Offset>
const void* ArrowInput::Offsets(int64_t count, int64_t* end) {
  int64_t next = Below(3);
  *end = 0;
  if (count == 0) return nullptr;  // of an array that promises too much
  return Filled<Offset>(count, [&](int64_t i) {
    int64_t offset = next;
    next += Below(4);
    if (Rarely()) offset = Wild();
    if (i == count - 1) *end = offset = std::min(offset, kMaxElements);
    return offset;
  });
}

void ArrowInput::Named(ArrowSchema& schema, std::string format) {
  schema.format = strings_.emplace_back(std::move(format)).c_str();
  schema.name = Rarely() ? nullptr : strings_.emplace_back(1, static_cast<char>('a' + nodes_ % 26)).c_str();
  schema.flags = Byte() % 2 == 0 ? 0 : ARROW_FLAG_NULLABLE;
  schema.release = [](ArrowSchema*) {};
}

void ArrowInput::WithBuffers(ArrowArray& array, std::initializer_list<const void*> buffers) {
  auto& kept = memory_->buffers.emplace_back(buffers);
  if (!kept.empty() && Rarely()) kept.pop_back();
  if (Rarely()) kept.push_back(nullptr);
  kept.shrink_to_fit();
  array.n_buffers = static_cast<int64_t>(kept.size());
  array.buffers = kept.data();
}

void ArrowInput::WithChildren(ArrowSchema& schema, ArrowArray& array, const std::vector<int64_t>& needed, int depth) {
  auto& schemas = schema_children_.emplace_back();
  auto& arrays = memory_->children.emplace_back();
  for (const int64_t elements : needed) {
    schemas.push_back(Rarely() ? nullptr : &schemas_.emplace_back());
    arrays.push_back(Rarely() ? nullptr : &memory_->arrays.emplace_back());
    if (schemas.back() != nullptr && arrays.back() != nullptr) Make(elements, depth + 1, *schemas.back(), *arrays.back());
  }
  schema.n_children = Rarely() ? Wild() : static_cast<int64_t>(needed.size());
  schema.children = schemas.data();
  array.n_children = static_cast<int64_t>(needed.size());
  array.children = arrays.data();
}

void ArrowInput::Make(int64_t needed, int depth, ArrowSchema& schema, ArrowArray& array) {
  ++nodes_;
  array.offset = Rarely() ? Wild() : Below(4);
  array.length = Rarely() ? Wild() : std::max<int64_t>(0, needed) + (Rarely() ? -Below(3) : Below(3));
  max_length_ = std::max(max_length_, array.length);
  array.null_count = static_cast<int8_t>(Byte());
  array.release = [](ArrowArray* released) { released->release = nullptr; };
  const bool there = array.offset >= 0 && array.length >= 0 && array.offset <= kMaxElements && array.length <= kMaxElements;
  const int64_t total = there ? array.offset + array.length : -1;
  const int64_t kind = Below(28);
  if (kind < 14 || depth == kMaxDepth || nodes_ > kMaxNodes) {
    MakeScalar(kind % 14, total, schema, array);
  } else {
    MakeNested(kind, total, depth, schema, array);
  }
}

void ArrowInput::MakeScalar(int64_t kind, int64_t total, ArrowSchema& schema, ArrowArray& array) {
  const auto numbers = [&]<typename T>(std::string format, T) {
    Named(schema, std::move(format));
    const void* const bits = Bits(total);
    WithBuffers(array, {bits, Filled<T>(total, [this](int64_t) { return Byte(); })});
  };
  switch (kind) {
    case 0:
      return numbers("i", int32_t{});
    case 1:
      return numbers("l", int64_t{});
    case 2:
      Named(schema, "b");
      return WithBuffers(array,
                         {Bits(total), Filled<uint8_t>(total < 0 ? -1 : (total + 7) / 8, [this](int64_t) { return Byte(); })});
    case 3:
      return MakeStrings<int32_t>("u", total, schema, array);
    case 4:
      return MakeStrings<int64_t>("Z", total, schema, array);
    case 5:
      return MakeStringViews(total, schema, array);
    case 6: {
      const int64_t width = Below(5);
      Named(schema, absl::StrCat("w:", width));
      return WithBuffers(array, {Bits(total), Filled<char>(total * width, [this](int64_t) { return Byte(); })});
    }
    case 7: {
      const int64_t bits = int64_t{32} << Below(4);
      Named(schema, absl::StrCat("d:", 1 + Below(76), ",", Below(90), ",", bits));
      return WithBuffers(array,
                         {Bits(total), Filled<char>(total < 0 ? -1 : total * bits / 8, [this](int64_t) { return Byte(); })});
    }
    case 8:
      return numbers("c", int8_t{});
    case 9:
      return numbers("tdD", int32_t{});
    case 10:
      return numbers("tsu:", int64_t{});
    case 11:
      return numbers("g", double{});
    case 12:
      Named(schema, "n");
      return WithBuffers(array, {});
    default:
      // The type is no type, or has other buffers, which are not there.
      Named(schema, kOddFormats[Byte() % std::size(kOddFormats)]);
      return WithBuffers(array, {nullptr, nullptr});
  }
}

template <typename Offset>
void ArrowInput::MakeStrings(const char* format, int64_t total, ArrowSchema& schema, ArrowArray& array) {
  Named(schema, format);
  const void* const bits = Bits(total);
  int64_t end = 0;
  const void* const offsets = Offsets<Offset>(total + 1, &end);
  WithBuffers(array, {bits, offsets, Filled<char>(std::max<int64_t>(0, end), [this](int64_t) { return Byte(); })});
}

void ArrowInput::MakeStringViews(int64_t total, ArrowSchema& schema, ArrowArray& array) {
  Named(schema, "vu");
  auto& buffers = memory_->buffers.emplace_back();
  buffers.push_back(Bits(total));
  struct View {
    int32_t length, prefix, buffer, begin;
  };
  buffers.push_back(Filled<View>(total, [this](int64_t) {
    View view = {static_cast<int32_t>(Below(24)), 0, static_cast<int32_t>(Below(3)), static_cast<int32_t>(Below(20))};
    if (Rarely()) (Byte() % 2 == 0 ? view.length : view.begin) = static_cast<int32_t>(Wild());
    if (Rarely()) view.buffer = static_cast<int32_t>(Wild());
    return view;
  }));
  std::vector<int64_t> sizes;
  for (int64_t count = Below(3); count > 0; --count) {
    sizes.push_back(Below(64));
    buffers.push_back(Filled<char>(sizes.back(), [this](int64_t) { return Byte(); }));
  }
  buffers.push_back(
      Filled<int64_t>(static_cast<int64_t>(sizes.size()), [&](int64_t i) { return sizes[static_cast<size_t>(i)]; }));
  buffers.shrink_to_fit();
  array.n_buffers = static_cast<int64_t>(buffers.size());
  array.buffers = buffers.data();
}

void ArrowInput::MakeNested(int64_t kind, int64_t total, int depth, ArrowSchema& schema, ArrowArray& array) {
  int64_t end = 0;
  switch (kind) {
    case 14:
    case 15:
    case 16: {
      Named(schema, "+s");
      WithBuffers(array, {Bits(total)});
      return WithChildren(schema, array, std::vector<int64_t>(static_cast<size_t>(Below(5)), total), depth);
    }
    case 17:
    case 18:
    case 19: {
      Named(schema, kind == 19 ? "+m" : "+l");
      const void* const bits = Bits(total);
      WithBuffers(array, {bits, Offsets<int32_t>(total + 1, &end)});
      return WithChildren(schema, array, {end}, depth);
    }
    case 20: {
      Named(schema, "+L");
      const void* const bits = Bits(total);
      WithBuffers(array, {bits, Offsets<int64_t>(total + 1, &end)});
      return WithChildren(schema, array, {end}, depth);
    }
    case 21:
    case 22: {
      Named(schema, kind == 21 ? "+vl" : "+vL");
      const auto number = [this](int64_t) { return Rarely() ? Wild() : Below(5); };
      const void* const bits = Bits(total);
      if (kind == 21) {
        WithBuffers(array, {bits, Filled<int32_t>(total, number), Filled<int32_t>(total, number)});
      } else {
        WithBuffers(array, {bits, Filled<int64_t>(total, number), Filled<int64_t>(total, number)});
      }
      return WithChildren(schema, array, {8}, depth);
    }
    case 23: {
      const int64_t width = Below(4);
      Named(schema, absl::StrCat("+w:", width));
      WithBuffers(array, {Bits(total)});
      return WithChildren(schema, array, {total * width}, depth);
    }
    case 24:
    case 25:
      return MakeUnion(kind == 24, total, depth, schema, array);
    case 26: {
      Named(schema, "+r");
      WithBuffers(array, {});
      auto& schemas = schema_children_.emplace_back();
      auto& arrays = memory_->children.emplace_back();
      for (int child = 0; child < 2; ++child) {
        schemas.push_back(&schemas_.emplace_back());
        arrays.push_back(&memory_->arrays.emplace_back());
      }
      const int64_t runs = Below(6);
      MakeRunEnds(runs, *schemas[0], *arrays[0]);
      Make(runs, depth + 1, *schemas[1], *arrays[1]);
      schema.n_children = array.n_children = 2;
      schema.children = schemas.data();
      array.children = arrays.data();
      return;
    }
    default: {
      constexpr const char* kIndices[] = {"c", "C", "s", "S", "i", "I", "l", "L"};
      const int64_t type = Below(8);
      Named(schema, kIndices[type]);
      const auto index = [this](int64_t) { return Rarely() ? Wild() : Below(6); };
      const void* const bits = Bits(total);
      const void* const indices = type < 2   ? Filled<int8_t>(total, index)
                                  : type < 4 ? Filled<int16_t>(total, index)
                                  : type < 6 ? Filled<int32_t>(total, index)
                                             : Filled<int64_t>(total, index);
      WithBuffers(array, {bits, indices});
      schema.dictionary = &schemas_.emplace_back();
      if (Rarely()) return;
      array.dictionary = &memory_->arrays.emplace_back();
      return Make(6, depth + 1, *schema.dictionary, *array.dictionary);
    }
  }
}

void ArrowInput::MakeUnion(bool dense, int64_t total, int depth, ArrowSchema& schema, ArrowArray& array) {
  const int64_t members = Below(4);
  std::string format = dense ? "+ud:" : "+us:";
  for (int64_t i = 0; i < members; ++i) absl::StrAppend(&format, i > 0 ? "," : "", Rarely() ? Wild() : i);
  Named(schema, std::move(format));
  const void* const types = Filled<int8_t>(total, [&](int64_t) { return Rarely() || members == 0 ? Wild() : Below(members); });
  if (dense) {
    WithBuffers(array, {types, Filled<int32_t>(total, [this](int64_t) { return Rarely() ? Wild() : Below(6); })});
  } else {
    WithBuffers(array, {types});
  }
  WithChildren(schema, array, std::vector<int64_t>(static_cast<size_t>(members), dense ? 6 : total), depth);
}

void ArrowInput::MakeRunEnds(int64_t needed, ArrowSchema& schema, ArrowArray& array) {
  const int64_t type = Below(3);
  constexpr const char* kTypes[] = {"s", "i", "l"};
  Named(schema, kTypes[type]);
  array.offset = Rarely() ? Below(3) : 0;
  array.length = needed;
  array.release = [](ArrowArray* released) { released->release = nullptr; };
  int64_t end = 0;
  const auto next = [&](int64_t) { return end = Rarely() ? Wild() / 2 : end + Below(9); };
  const int64_t total = array.offset + needed;
  WithBuffers(array, {nullptr, type == 0   ? Filled<int16_t>(total, next)
                               : type == 1 ? Filled<int32_t>(total, next)
                                           : Filled<int64_t>(total, next)});
}

std::string CheckArrow(std::string_view input) {
  ArrowInput made(input);
  {
    const absl::StatusOr<Value> value = ImportValue(made.schema(), made.array());
    if (made.array()->release != nullptr) return "the array was not taken over";
    if (!value.ok()) return made.releases() == 1 ? "" : "what was refused was not released";
    // Structs without fields may be millions, which takes seconds under a sanitizer.
    if (made.max_length() > kMaxElements) return "";
    ArrowSchema schema = {};
    ArrowArray array = {};
    if (!ExportValueSchema(value->spec(), &schema).ok()) return "";  // as of more rows than Arrow has
    const absl::Status exported = ExportValue(*value, &array);
    if (!exported.ok()) {
      schema.release(&schema);
      return "the schema was exported and the value was not: " + exported.ToString();
    }
    const absl::StatusOr<Value> again = ImportValue(schema, &array);
    schema.release(&schema);
    if (!again.ok()) return "what was exported is refused: " + again.status().ToString();
    if (!(*again == *value)) {
      return absl::StrCat("not the same value again: ", DebugString(*value), " of ", value->spec().DebugString(), " and ",
                          DebugString(*again), " of ", again->spec().DebugString());
    }
  }
  return made.releases() == 1 ? "" : "the memory is kept after the value is gone";
}

}  // namespace structtensor::testing
