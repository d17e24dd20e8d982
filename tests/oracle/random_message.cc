#include "random_message.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace structtensor::testing {
namespace {

namespace pb = google::protobuf;
using pb::FieldDescriptor;

size_t RandomSize(Random& random) {
  // Around the sizes at which copies and length prefixes change their ways.
  static constexpr size_t kSizes[] = {0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 300};
  return Chance(random, 0.6) ? Pick(random, 12) : kSizes[Pick(random, std::size(kSizes))];
}

void SetScalar(Random& random, const FieldDescriptor* field, pb::Message* message) {
  const pb::Reflection& r = *message->GetReflection();
  const uint64_t number = RandomNumber(random);
  const bool add = field->is_repeated();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32: {
      const auto value = static_cast<int32_t>(number);
      return add ? r.AddInt32(message, field, value) : r.SetInt32(message, field, value);
    }
    case FieldDescriptor::CPPTYPE_INT64: {
      const auto value = static_cast<int64_t>(number);
      return add ? r.AddInt64(message, field, value) : r.SetInt64(message, field, value);
    }
    case FieldDescriptor::CPPTYPE_UINT32: {
      const auto value = static_cast<uint32_t>(number);
      return add ? r.AddUInt32(message, field, value) : r.SetUInt32(message, field, value);
    }
    case FieldDescriptor::CPPTYPE_UINT64:
      return add ? r.AddUInt64(message, field, number) : r.SetUInt64(message, field, number);
    case FieldDescriptor::CPPTYPE_DOUBLE: {
      const auto value = std::bit_cast<double>(number);
      return add ? r.AddDouble(message, field, value) : r.SetDouble(message, field, value);
    }
    case FieldDescriptor::CPPTYPE_FLOAT: {
      const auto value = std::bit_cast<float>(static_cast<uint32_t>(number));
      return add ? r.AddFloat(message, field, value) : r.SetFloat(message, field, value);
    }
    case FieldDescriptor::CPPTYPE_BOOL:
      return add ? r.AddBool(message, field, number % 2 == 1) : r.SetBool(message, field, number % 2 == 1);
    case FieldDescriptor::CPPTYPE_ENUM: {
      const pb::EnumDescriptor* type = field->enum_type();
      const int value = type->value(static_cast<int>(Pick(random, static_cast<size_t>(type->value_count()))))->number();
      return add ? r.AddEnumValue(message, field, value) : r.SetEnumValue(message, field, value);
    }
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string value = field->type() == FieldDescriptor::TYPE_STRING ? RandomText(random) : RandomBytes(random);
      return add ? r.AddString(message, field, std::move(value)) : r.SetString(message, field, std::move(value));
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return;
  }
}

void SetField(Random& random, const FillOptions& options, const FieldDescriptor* field, pb::Message* message) {
  if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return SetScalar(random, field, message);
  FillOptions below = options;
  below.depth = options.depth - 1;
  const pb::Reflection& r = *message->GetReflection();
  Fill(random, below, field->is_repeated() ? r.AddMessage(message, field) : r.MutableMessage(message, field));
}

}  // namespace

uint64_t RandomNumber(Random& random) {
  if (Chance(random, 0.1)) return 0;
  const size_t bits = Pick(random, 64) + 1;
  const uint64_t largest = ~uint64_t{0} >> (64 - bits);
  switch (Pick(random, 4)) {
    case 0:
      return largest;
    case 1:
      return largest / 2 + 1;
    case 2:
      return ~(random() & largest);
    default:
      return random() & largest;
  }
}

std::string RandomText(Random& random) {
  static constexpr const char* kCharacters[] = {"a",      "Z",      "\t",     "\x7f",       "\u00e9",
                                                "\u07ff", "\u20ac", "\uffff", "\U0001f600", "\U0010ffff"};
  const size_t target = RandomSize(random);
  const size_t kinds = Chance(random, 0.5) ? 4 : std::size(kCharacters);  // half of them ASCII
  std::string text;
  while (text.size() < target) text += kCharacters[Pick(random, kinds)];
  return text;
}

std::string RandomBytes(Random& random) {
  std::string bytes(RandomSize(random), '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

void Fill(Random& random, const FillOptions& options, pb::Message* message) {
  const pb::Descriptor* type = message->GetDescriptor();
  std::vector<const FieldDescriptor*> fields;
  if (options.extensions != nullptr) options.extensions->FindAllExtensions(type, &fields);
  for (int i = 0; i < type->field_count(); ++i) fields.push_back(type->field(i));
  for (const FieldDescriptor* field : fields) {
    const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (is_message && options.depth <= 0) continue;
    if (!Chance(random, field->is_required() ? 0.995 : options.probability)) continue;
    size_t count = field->is_repeated() ? 1 + Pick(random, options.max_elements) : 1;
    // Long runs now and then, for the kernels that unpack them.
    if (field->is_packable() && field->is_repeated() && Chance(random, 0.05)) count = Pick(random, 200);
    for (size_t i = 0; i < count; ++i) SetField(random, options, field, message);
  }
}

}  // namespace structtensor::testing
