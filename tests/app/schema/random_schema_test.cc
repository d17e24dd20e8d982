// Random message types: libprotobuf's dynamic messages and the engine agree on columns, errors and encoded messages.
#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "log_silencer.h"
#include "oracle.h"
#include "random_message.h"
#include "rewrite.h"
#include "structtensor/app/schema/schema.h"
#include "structtensor/core/decode/decoder.h"

namespace structtensor::testing {
namespace {

namespace pb = google::protobuf;
using Field = pb::FieldDescriptorProto;

// A file with some messages that hold each other, with fields of all kinds and with numbers of all lengths.
class RandomFile {
 public:
  explicit RandomFile(uint64_t seed, bool with_maps = true)
      : random_(seed), proto3_(Chance(random_, 0.5)), with_maps_(Chance(random_, 0.4) && with_maps) {}

  pb::FileDescriptorProto Make() {
    file_.set_name("random.proto");
    file_.set_package("random");
    file_.set_syntax(proto3_ ? "proto3" : "proto2");
    auto* const enumeration = file_.add_enum_type();
    enumeration->set_name("Enum");
    for (const int number : {0, 1, 2, 5, -1}) {
      auto* const value = enumeration->add_value();
      value->set_name("V" + std::to_string(number + 1));
      value->set_number(number);
    }
    messages_ = 1 + Pick(random_, 5);
    for (size_t i = 0; i < messages_; ++i) AddMessage(i);
    return std::move(file_);
  }

 private:
  void AddMessage(size_t index) {
    pb::DescriptorProto* const message = file_.add_message_type();
    message->set_name("M" + std::to_string(index));
    // Sometimes more singular fields than a presence word has bits.
    const size_t fields = Chance(random_, 0.2) ? 60 + Pick(random_, 60) : Pick(random_, 14);
    if (Chance(random_, 0.4)) message->add_oneof_decl()->set_name("choice");
    int number = 0;
    for (size_t i = 0; i < fields; ++i) {
      number += Chance(random_, 0.8) ? 1 : static_cast<int>(1 + Pick(random_, Chance(random_, 0.2) ? 3'000'000 : 300));
      if (number >= 19000 && number <= 19999) number = 20000;  // reserved by protobuf
      AddField(message, "f" + std::to_string(i), number);
    }
    // A oneof needs a member.
    if (message->oneof_decl_size() > 0 && std::none_of(message->field().begin(), message->field().end(),
                                                       [](const Field& field) { return field.has_oneof_index(); })) {
      message->clear_oneof_decl();
    }
  }

  void AddField(pb::DescriptorProto* message, const std::string& name, int number) {
    if (with_maps_ && Chance(random_, 0.15)) return AddMap(message, name, number);
    Field* const field = message->add_field();
    field->set_name(name);
    field->set_number(number);
    field->set_label(Chance(random_, 0.35) ? Field::LABEL_REPEATED : Field::LABEL_OPTIONAL);
    SetType(field, false);
    const bool repeated = field->label() == Field::LABEL_REPEATED;
    if (field->type() == Field::TYPE_GROUP) {
      // A group is a message type that is declared where its field is.
      pb::DescriptorProto* const group = message->add_nested_type();
      group->set_name("G" + name);
      Field* const member = group->add_field();
      member->set_name("member");
      member->set_number(1 + static_cast<int>(Pick(random_, 40)));
      member->set_label(Field::LABEL_OPTIONAL);
      member->set_type(Field::TYPE_SINT32);
      field->set_type_name(".random." + message->name() + "." + group->name());
    } else if (!repeated && message->oneof_decl_size() > 0 && MayContinueOneof(*message)) {
      field->set_oneof_index(0);
    }
    const bool may_be_packed = field->type() != Field::TYPE_STRING && field->type() != Field::TYPE_BYTES &&
                               field->type() != Field::TYPE_MESSAGE && field->type() != Field::TYPE_GROUP;
    if (repeated && may_be_packed && Chance(random_, 0.5)) field->mutable_options()->set_packed(Chance(random_, 0.5));
  }

  // The members of a oneof are declared one after the other.
  bool MayContinueOneof(const pb::DescriptorProto& message) {
    const int before = message.field_size() - 2;
    if (before >= 0 && message.field(before).has_oneof_index()) return Chance(random_, 0.7);
    const bool begun =
        std::any_of(message.field().begin(), message.field().end(), [](const Field& each) { return each.has_oneof_index(); });
    return !begun && Chance(random_, 0.4);
  }

  void AddMap(pb::DescriptorProto* message, const std::string& name, int number) {
    // As protoc names the entry of a map field: in camel case.
    std::string entry_name = name + "Entry";
    entry_name[0] = 'F';
    pb::DescriptorProto* const entry = message->add_nested_type();
    entry->set_name(entry_name);
    entry->mutable_options()->set_map_entry(true);
    Field* const key = entry->add_field();
    key->set_name("key");
    key->set_number(1);
    key->set_label(Field::LABEL_OPTIONAL);
    constexpr Field::Type kKeys[] = {Field::TYPE_STRING, Field::TYPE_INT32, Field::TYPE_SINT64, Field::TYPE_FIXED32,
                                     Field::TYPE_BOOL};
    key->set_type(kKeys[Pick(random_, std::size(kKeys))]);
    Field* const value = entry->add_field();
    value->set_name("value");
    value->set_number(2);
    value->set_label(Field::LABEL_OPTIONAL);
    SetType(value, true);
    Field* const field = message->add_field();
    field->set_name(name);
    field->set_number(number);
    field->set_label(Field::LABEL_REPEATED);
    field->set_type(Field::TYPE_MESSAGE);
    field->set_type_name(".random." + message->name() + "." + entry->name());
  }

  void SetType(Field* field, bool of_map) {
    while (true) {
      const auto type = static_cast<Field::Type>(1 + Pick(random_, 18));
      if (type == Field::TYPE_GROUP && (proto3_ || of_map)) continue;
      // libprotobuf 3.21's reflection puts unknown numbers of closed enums into maps, which its generated code does not.
      if (type == Field::TYPE_ENUM && of_map && !proto3_) continue;
      field->set_type(type);
      if (type == Field::TYPE_MESSAGE) field->set_type_name(".random.M" + std::to_string(Pick(random_, messages_)));
      if (type == Field::TYPE_ENUM) field->set_type_name(".random.Enum");
      return;
    }
  }

  Random random_;
  const bool proto3_;
  const bool with_maps_;
  size_t messages_ = 0;
  pb::FileDescriptorProto file_;
};

class RandomSchemaTest : public ::testing::TestWithParam<int> {};

TEST_P(RandomSchemaTest, EngineEqualsLibprotobuf) {
  const LogSilencer silencer;
  const char* const more = std::getenv("STRUCTTENSOR_ROUNDS");
  const int seeds = more != nullptr ? std::atoi(more) : 12;
  size_t accepted = 0;
  size_t count = 0;
  for (int i = 0; i < seeds; ++i) {
    const uint64_t seed = static_cast<uint64_t>(GetParam()) * 1'000'003 + static_cast<uint64_t>(i);
    SCOPED_TRACE("seed " + std::to_string(seed));
    pb::FileDescriptorSet set;
    *set.add_file() = RandomFile(seed).Make();
    const std::filesystem::path path =
        std::filesystem::path(::testing::TempDir()) / ("random_schema_" + std::to_string(seed) + ".pb");
    std::ofstream(path, std::ios::binary) << set.SerializeAsString();
    OracleSchema oracle(path.string());
    std::filesystem::remove(path);
    const auto& types = set.file(0).message_type();
    const bool has_maps = std::any_of(types.begin(), types.end(), [](const pb::DescriptorProto& type) {
      return std::any_of(type.nested_type().begin(), type.nested_type().end(),
                         [](const pb::DescriptorProto& nested) { return nested.options().map_entry(); });
    });
    const absl::StatusOr<Schema> schema = Schema::FromDescriptorSet(set.SerializeAsString());
    ASSERT_TRUE(schema.ok()) << schema.status();
    const auto plan = schema->PlanOf("M0");
    ASSERT_TRUE(plan.ok()) << plan.status();
    const pb::Descriptor* const type = oracle.Find("random.M0");

    Random random(seed);
    std::vector<std::string> bytes;
    for (int message = 0; message < 20; ++message) {
      const auto filled = oracle.New(type);
      Fill(random, {.probability = 0.4, .max_elements = 3, .depth = 3, .extensions = &oracle.pool()}, filled.get());
      bytes.push_back(filled->SerializePartialAsString());
      if (message % 2 == 1) {
        bytes.back() = Rewrite(random,
                               {.shuffle = 0.4,
                                .pack = 0.3,
                                .long_varints = 0.1,
                                .unknown = 0.2,
                                .wrong_wire_type = 0.1,
                                .repeat = 0.2,
                                .zero = 0.1,
                                .switch_oneof = 0.3},
                               type, oracle.pool(), bytes.back());
      }
      if (message % 4 == 3) bytes.back() = Corrupt(random, bytes.back());
    }
    const std::vector<std::string_view> messages(bytes.begin(), bytes.end());
    const std::vector<ParsedMessage> parsed = ParseAll(oracle, type, messages);
    accepted += static_cast<size_t>(
        std::count_if(parsed.begin(), parsed.end(), [](const ParsedMessage& each) { return each.accepted; }));
    count += parsed.size();
    BatchDecoder decoder = *BatchDecoder::Create(
        **plan, {.on_error = DecodeOptions::OnError::kSkip, .unknown_fields = DecodeOptions::UnknownFields::kKeep});
    for (int round = 0; round < 2; ++round) {
      DecodedBatch batch((decode_internal::TreeRef()));
      ASSERT_EQ(DecodeAndCompare(oracle, parsed, messages, decoder, &batch), "") << set.DebugString();
      // Dynamic messages of libprotobuf 3.21 keep several entries of one key, which we do not.
      if (has_maps) continue;
      ASSERT_EQ(EncodeAndCompare(oracle, parsed, messages, batch), "") << set.DebugString();
    }
  }
  std::cout << "compared: " << seeds << " schemas, " << count << " messages, " << accepted << " of them accepted" << std::endl;
}

// Adds the unknown fields of the message, and of all messages in it, by message type.
void CountUnknownFields(const pb::Message& message, std::map<std::string, int64_t>& counts) {
  const pb::Reflection& reflection = *message.GetReflection();
  if (const int count = reflection.GetUnknownFields(message).field_count(); count > 0) {
    counts[std::string(message.GetDescriptor()->full_name())] += count;
  }
  std::vector<const pb::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const pb::FieldDescriptor* field : fields) {
    if (field->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) CountUnknownFields(reflection.GetMessage(message, field), counts);
    for (int i = 0; field->is_repeated() && i < reflection.FieldSize(message, field); ++i) {
      CountUnknownFields(reflection.GetRepeatedMessage(message, field, i), counts);
    }
  }
}

// libprotobuf drops what it knows of a map entry, or of the replaced member of a oneof, together with what it does not know. So
// there are no maps and no replaced members here.
TEST_P(RandomSchemaTest, DroppedValuesAreTheUnknownFieldsOfLibprotobuf) {
  const LogSilencer silencer;
  constexpr int kSeeds = 6;
  int64_t total = 0;
  for (int i = 0; i < kSeeds; ++i) {
    const uint64_t seed = static_cast<uint64_t>(GetParam()) * 2'000'003 + static_cast<uint64_t>(i);
    SCOPED_TRACE("seed " + std::to_string(seed));
    pb::FileDescriptorSet set;
    *set.add_file() = RandomFile(seed, /*with_maps=*/false).Make();
    const std::filesystem::path path =
        std::filesystem::path(::testing::TempDir()) / ("dropped_values_" + std::to_string(seed) + ".pb");
    std::ofstream(path, std::ios::binary) << set.SerializeAsString();
    OracleSchema oracle(path.string());
    std::filesystem::remove(path);
    const absl::StatusOr<Schema> schema = Schema::FromDescriptorSet(set.SerializeAsString());
    ASSERT_TRUE(schema.ok()) << schema.status();
    const auto plan = schema->PlanOf("M0");
    ASSERT_TRUE(plan.ok()) << plan.status();
    const pb::Descriptor* const type = oracle.Find("random.M0");

    Random random(seed);
    std::vector<std::string> bytes;
    for (int message = 0; message < 30; ++message) {
      const auto filled = oracle.New(type);
      Fill(random, {.probability = 0.4, .max_elements = 3, .depth = 3, .extensions = &oracle.pool()}, filled.get());
      const RewriteOptions rewrite = {
          .shuffle = 0.3, .pack = 0.3, .long_varints = 0.1, .unknown = 0.1, .repeat = 0.1, .unknown_enum = 0.3};
      bytes.push_back(Rewrite(random, rewrite, type, oracle.pool(), filled->SerializePartialAsString()));
      if (message % 3 == 2) bytes.back() = Corrupt(random, bytes.back());
    }
    // Messages whose bytes are damaged but can be read may have anything, also fields of other wire types. They are left out.
    std::vector<std::string_view> messages;
    std::map<std::string, int64_t> expected, first_message;
    const std::vector<std::string_view> all(bytes.begin(), bytes.end());
    const std::vector<ParsedMessage> parsed = ParseAll(oracle, type, all);
    for (size_t message = 0; message < all.size(); ++message) {
      if (message % 3 == 2 && parsed[message].accepted) continue;
      if (parsed[message].accepted) {
        std::map<std::string, int64_t> counts;
        CountUnknownFields(*parsed[message].message, counts);
        for (const auto& [name, count] : counts) {
          expected[name] += count;
          first_message.emplace(name, static_cast<int64_t>(messages.size()));
          total += count;
        }
      }
      messages.push_back(all[message]);
    }
    BatchDecoder decoder = *BatchDecoder::Create(**plan, {.on_error = DecodeOptions::OnError::kSkip});
    for (int round = 0; round < 2; ++round) {
      ASSERT_TRUE(decoder.Decode(messages).ok());
      std::map<std::string, int64_t> counted, counted_first;
      for (const UnknownValues& values : decoder.unknown_values()) {
        EXPECT_TRUE(counted.emplace(values.message_type, values.fields + values.enum_numbers).second) << values.message_type;
        counted_first.emplace(values.message_type, values.first_message_index);
      }
      EXPECT_EQ(counted, expected) << set.DebugString();
      EXPECT_EQ(counted_first, first_message) << set.DebugString();
    }
  }
  EXPECT_GT(total, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSchemaTest, ::testing::Range(1, 9));

}  // namespace
}  // namespace structtensor::testing
