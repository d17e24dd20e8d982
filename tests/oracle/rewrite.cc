#include "rewrite.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "wire_text.h"

namespace structtensor::testing {
namespace {

namespace pb = google::protobuf;
using pb::FieldDescriptor;

class Rewriter {
 public:
  Rewriter(Random& random, const RewriteOptions& options, const pb::DescriptorPool& pool)
      : random_(random), options_(options), pool_(pool) {}

  // Every rewriting but those of the encoding itself; then the fields of submessages.
  void RewriteMessage(WireMessage& message, const pb::Descriptor* type, int depth) {
    WireMessage out;
    for (WireField& field : message) {
      if (field.descriptor != nullptr && Does(options_.drop)) continue;
      if (field.is_message && depth > 0) {
        RewriteMessage(field.fields, field.descriptor == nullptr ? nullptr : field.descriptor->message_type(), depth - 1);
      }
      AddRewritten(field, out);
      if (Does(options_.repeat)) AddRewritten(field, out);
      if (type != nullptr && Does(options_.switch_oneof)) SwitchOneof(field, out);
    }
    while (Does(options_.unknown))
      out.insert(out.begin() + static_cast<ptrdiff_t>(Pick(random_, out.size() + 1)), UnknownField(type, 3));
    while (type != nullptr && type->field_count() != 0 && Does(options_.wrong_wire_type)) {
      WireField field = UnknownField(nullptr, 2);
      field.number = static_cast<uint32_t>(
          type->field(static_cast<int>(Pick(random_, static_cast<size_t>(type->field_count()))))->number());
      out.insert(out.begin() + static_cast<ptrdiff_t>(Pick(random_, out.size() + 1)), std::move(field));
    }
    if (Does(options_.shuffle)) std::shuffle(out.begin(), out.end(), random_);
    message = std::move(out);
  }

  void Lengthen(WireMessage& message) {
    for (WireField& field : message) {
      if (Does(options_.long_varints)) field.tag_padding = static_cast<int>(Pick(random_, 5));
      if (Does(options_.long_varints)) field.length_padding = static_cast<int>(Pick(random_, 5));
      if (Does(options_.long_varints)) field.value_padding = static_cast<int>(Pick(random_, 10));
      Lengthen(field.fields);
    }
  }

 private:
  bool Does(double probability) { return probability > 0 && Chance(random_, probability); }

  void AddRewritten(WireField field, WireMessage& out) {
    const FieldDescriptor* descriptor = field.descriptor;
    if (descriptor != nullptr && !field.is_message && field.wire_type != kWireLen) {
      if (Does(options_.zero)) field.scalar = 0;
      if (descriptor->enum_type() != nullptr && Does(options_.unknown_enum)) field.scalar = EnumNumber();
      if (descriptor->is_packable() && Does(options_.pack)) field = Pack(std::vector<WireField>(Pick(random_, 3), field));
      // A run of nothing has lost the number of its field.
      field.number = static_cast<uint32_t>(descriptor->number());
      field.descriptor = descriptor;
      out.push_back(std::move(field));
      return;
    }
    if (descriptor == nullptr || !descriptor->is_packable() || field.wire_type != kWireLen) {
      if (descriptor != nullptr && !field.is_message && Does(options_.zero)) field.bytes.clear();
      out.push_back(std::move(field));
      return;
    }
    RewriteRun(field, out);
  }

  uint64_t EnumNumber() {
    return Chance(random_, 0.5) ? static_cast<uint64_t>(static_cast<int64_t>(Pick(random_, 8)) - 2) : RandomNumber(random_);
  }

  void RewriteRun(const WireField& run, WireMessage& out) {
    std::vector<WireField> elements = Unpack(run);
    for (WireField& element : elements) {
      if (element.descriptor->enum_type() != nullptr && Does(options_.unknown_enum)) element.scalar = EnumNumber();
      if (Does(options_.long_varints)) element.value_padding = static_cast<int>(Pick(random_, 10));
    }
    while (!elements.empty()) {
      const bool apart = Does(options_.pack);
      const size_t count = apart || Does(options_.pack) ? 1 + Pick(random_, elements.size()) : elements.size();
      const auto end = elements.begin() + static_cast<ptrdiff_t>(count);
      if (apart) {
        std::move(elements.begin(), end, std::back_inserter(out));
      } else {
        out.push_back(Pack(std::vector<WireField>(elements.begin(), end)));
      }
      elements.erase(elements.begin(), end);
    }
  }

  // Appends another member of the oneof of `field`, and at times `field` again.
  void SwitchOneof(const WireField& field, WireMessage& out) {
    if (field.descriptor == nullptr || field.descriptor->real_containing_oneof() == nullptr) return;
    const pb::OneofDescriptor* oneof = field.descriptor->real_containing_oneof();
    const FieldDescriptor* member = oneof->field(static_cast<int>(Pick(random_, static_cast<size_t>(oneof->field_count()))));
    out.push_back(RandomValue(member, 2));
    if (Chance(random_, 0.3)) out.push_back(field);
  }

  WireField RandomValue(const FieldDescriptor* descriptor, int depth) {
    WireField field;
    field.number = static_cast<uint32_t>(descriptor->number());
    field.descriptor = descriptor;
    field.wire_type = WireTypeOfField(descriptor);
    field.is_message = descriptor->message_type() != nullptr;
    if (field.is_message) {
      const pb::Descriptor* type = descriptor->message_type();
      for (int i = 0; i < type->field_count() && depth > 0; ++i) {
        const bool needed = type->field(i)->is_required();
        for (size_t n = needed ? 1 : Chance(random_, 0.3) ? 1 + Pick(random_, 2) : 0; n > 0; --n) {
          field.fields.push_back(RandomValue(type->field(i), depth - 1));
        }
      }
    } else if (field.wire_type == kWireLen) {
      field.bytes = descriptor->type() == FieldDescriptor::TYPE_STRING ? RandomText(random_) : RandomBytes(random_);
    } else {
      field.scalar = descriptor->enum_type() != nullptr ? Pick(random_, 4) : RandomNumber(random_);
    }
    return field;
  }

  // A field whose number `type` does not have.
  WireField UnknownField(const pb::Descriptor* type, int depth) {
    static constexpr uint32_t kWireTypes[] = {kWireVarint, kWire64, kWireLen, kWireGroup, kWire32};
    WireField field;
    do {
      field.number = static_cast<uint32_t>(RandomNumber(random_) % ((1u << 29) - 1) + 1);
    } while (type != nullptr && Known(type, static_cast<int>(field.number)));
    field.wire_type = kWireTypes[Pick(random_, std::size(kWireTypes))];
    field.scalar = RandomNumber(random_);
    if (field.wire_type == kWireLen) field.bytes = RandomBytes(random_);
    if (field.wire_type == kWireGroup) {
      field.is_message = true;
      for (size_t n = depth > 0 ? Pick(random_, 4) : 0; n > 0; --n) field.fields.push_back(UnknownField(nullptr, depth - 1));
    }
    return field;
  }

  bool Known(const pb::Descriptor* type, int number) const {
    return type->FindFieldByNumber(number) != nullptr || pool_.FindExtensionByNumber(type, number) != nullptr;
  }

  Random& random_;
  const RewriteOptions& options_;
  const pb::DescriptorPool& pool_;
};

}  // namespace

std::string Rewrite(Random& random, const RewriteOptions& options, const pb::Descriptor* type, const pb::DescriptorPool& pool,
                    std::string_view bytes) {
  constexpr int kMaxDepth = 20;
  WireMessage message = ReadWire(bytes, type, pool);
  Rewriter rewriter(random, options, pool);
  rewriter.RewriteMessage(message, type, kMaxDepth);
  rewriter.Lengthen(message);
  return WriteWire(message);
}

std::string Corrupt(Random& random, std::string bytes) {
  for (size_t n = 1 + Pick(random, 3); n > 0; --n) {
    const size_t position = Pick(random, bytes.size() + 1);
    const size_t count = std::min(bytes.size() - position, 1 + Pick(random, 6));
    switch (Pick(random, 6)) {
      case 0:
        if (position < bytes.size()) bytes[position] = static_cast<char>(bytes[position] ^ 1 << Pick(random, 8));
        break;
      case 1:
        if (position < bytes.size()) bytes[position] = static_cast<char>(random());
        break;
      case 2:
        bytes.resize(position);
        break;
      case 3:
        bytes.erase(position, count);
        break;
      case 4:
        bytes.insert(position, bytes.substr(position, count));
        break;
      default:
        bytes.insert(position, RandomBytes(random).substr(0, count + 1));
        break;
    }
  }
  return bytes;
}

}  // namespace structtensor::testing
