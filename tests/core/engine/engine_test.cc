// The engine against generated code: equal columns, errors and encodings, over random and damaged messages of all types and
// all cases. The generated code is compared with libprotobuf by the same means elsewhere
// (tests/oracle, tests/cases).
#include "structtensor/core/engine/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "batch_compare.h"
#include "guarded_bytes.h"
#include "log_silencer.h"
#include "message_types.h"
#include "oracle.h"
#include "random_message.h"
#include "rewrite.h"
#include "structtensor/core/generated_api/batch_builder.h"
#include "structtensor/core/wire/abi/varint.h"
#include "structtensor/tensor/messages/tensor_encoder.h"
#include "wide.structtensor.h"
#include "wire_case.h"

namespace structtensor::testing {
namespace {

// Options that change what a decoder does.
std::vector<DecodeOptions> ManyOptions() {
  DecodeOptions keep;
  keep.on_error = DecodeOptions::OnError::kSkip;
  keep.unknown_fields = DecodeOptions::UnknownFields::kKeep;
  DecodeOptions null_rows = keep;
  null_rows.on_error = DecodeOptions::OnError::kNull;
  null_rows.unknown_fields = DecodeOptions::UnknownFields::kDrop;
  null_rows.allow_missing_required = true;
  DecodeOptions flat = keep;
  flat.recursion_depth = 1;
  DecodeOptions shallow = keep;
  shallow.max_depth = 1;
  DecodeOptions few_rows = keep;
  few_rows.max_rows = 30;
  few_rows.max_cells = 100;
  DecodeOptions stop = keep;
  stop.on_error = DecodeOptions::OnError::kFail;
  return {keep, null_rows, flat, shallow, few_rows, stop};
}

// Decoders of generated code and of the engine, for each of ManyOptions().
class Pairs {
 public:
  explicit Pairs(const plan::MessagePlan& generated) : engine_plan_(MakeEnginePlan(generated)) {
    for (const DecodeOptions& options : ManyOptions()) {
      generated_.push_back(*BatchDecoder::Create(generated, options));
      engine_.push_back(*BatchDecoder::Create(*engine_plan_, options));
    }
  }

  // "" if all pairs agree.
  std::string Difference(std::span<const std::string_view> messages) {
    for (size_t i = 0; i < engine_.size(); ++i) {
      const std::string difference = DifferenceOfDecoders(generated_[i], engine_[i], messages, &refused_);
      if (!difference.empty()) return "with options " + std::to_string(i) + ": " + difference;
    }
    return "";
  }

  size_t refused() const { return refused_; }

 private:
  std::shared_ptr<const plan::MessagePlan> engine_plan_;
  std::vector<BatchDecoder> generated_;
  std::vector<BatchDecoder> engine_;
  size_t refused_ = 0;
};

class EngineTest : public ::testing::TestWithParam<size_t> {
 protected:
  const MessageType& type() const { return MessageTypes()[GetParam()]; }

  LogSilencer silencer_;
};

std::string NameOfType(const ::testing::TestParamInfo<size_t>& info) {
  std::string name = MessageTypes()[info.param].name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Types, EngineTest, ::testing::Range(size_t{0}, MessageTypes().size()), NameOfType);

TEST_P(EngineTest, EqualsGeneratedCodeOnRandomMessages) {
  const plan::MessagePlan& plan = *type().plan();
  OracleSchema schema(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  const google::protobuf::Descriptor* descriptor = schema.Find(std::string(plan.full_name));
  const RewriteOptions rewrites[] = {{},
                                     {.shuffle = 0.8, .repeat = 0.2, .switch_oneof = 0.5},
                                     {.pack = 0.5,
                                      .long_varints = 0.2,
                                      .unknown = 0.3,
                                      .wrong_wire_type = 0.2,
                                      .drop = 0.05,
                                      .zero = 0.3,
                                      .unknown_enum = 0.3}};
  Pairs pairs(plan);
  size_t count = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::vector<std::string> bytes;
    for (size_t i = 0; i < 24; ++i) {
      FillOptions fill;
      fill.depth = static_cast<int>(Pick(random, 4));
      fill.probability = fill.depth > 2 ? 0.2 : 0.4;
      fill.extensions = &schema.pool();
      std::string message;
      for (size_t parts = 1 + Pick(random, 2); parts > 0; --parts) {
        const auto part = schema.New(descriptor);
        Fill(random, fill, part.get());
        message += part->SerializePartialAsString();
      }
      message = Rewrite(random, rewrites[seed % std::size(rewrites)], descriptor, schema.pool(), message);
      bytes.push_back(i % 3 == 2 ? Corrupt(random, message) : message);
    }
    count += bytes.size();
    ASSERT_EQ(pairs.Difference(std::vector<std::string_view>(bytes.begin(), bytes.end())), "");
  }
  std::cout << "compared: " << plan.full_name << ", " << count << " messages; refused " << pairs.refused() << " times"
            << std::endl;
}

// A few fields chosen, among them the values of a key where there is a map.
TEST_P(EngineTest, EqualsGeneratedCodeWithProjections) {
  const plan::MessagePlan& plan = *type().plan();
  OracleSchema schema(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  const google::protobuf::Descriptor* descriptor = schema.Find(std::string(plan.full_name));
  const std::shared_ptr<const plan::MessagePlan> engine_plan = MakeEnginePlan(plan);
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    Random random(seed);
    DecodeOptions options;
    options.on_error = DecodeOptions::OnError::kSkip;
    for (const plan::FieldPlan& field : plan.fields) {
      if (field.cardinality == plan::Cardinality::kOneofCase || !Chance(random, 0.3)) continue;
      std::string path(field.name);
      if (field.cardinality == plan::Cardinality::kMap)
        path += field.message->fields[0].element == plan::Element::kString ? "[\"a\"]" : "[1]";
      options.fields.push_back(path);
    }
    if (options.fields.empty()) continue;
    absl::StatusOr<BatchDecoder> generated = BatchDecoder::Create(plan, options);
    absl::StatusOr<BatchDecoder> engine = BatchDecoder::Create(*engine_plan, options);
    ASSERT_EQ(generated.status(), engine.status());
    if (!generated.ok()) continue;  // such as a boolean key "1"
    std::vector<std::string> bytes;
    for (size_t i = 0; i < 30; ++i) {
      const auto message = schema.New(descriptor);
      Fill(random, {.probability = 0.5, .depth = 2, .extensions = &schema.pool()}, message.get());
      bytes.push_back(message->SerializePartialAsString());
      if (i % 5 == 4) bytes.back() = Corrupt(random, bytes.back());
    }
    const std::vector<std::string_view> messages(bytes.begin(), bytes.end());
    ASSERT_EQ(DifferenceOfDecoders(*generated, *engine, messages), "") << "seed " << seed;
  }
}

TEST_P(EngineTest, KeepsToTheMemoryLimitAsGeneratedCodeDoes) {
  const plan::MessagePlan& plan = *type().plan();
  const std::shared_ptr<const plan::MessagePlan> engine_plan = MakeEnginePlan(plan);
  OracleSchema schema(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  const google::protobuf::Descriptor* descriptor = schema.Find(std::string(plan.full_name));
  Random random(1);
  std::vector<std::string> bytes;
  for (size_t i = 0; i < 50; ++i) {
    const auto message = schema.New(descriptor);
    Fill(random, {.probability = 0.5, .depth = 3, .extensions = &schema.pool()}, message.get());
    bytes.push_back(message->SerializePartialAsString());
  }
  const std::vector<std::string_view> messages(bytes.begin(), bytes.end());
  for (const size_t limit_bytes : {size_t{1}, size_t{4096}, size_t{100'000}, size_t{1} << 20}) {
    const DecodeOptions options = {.max_memory_bytes = limit_bytes};
    absl::StatusOr<BatchDecoder> generated = BatchDecoder::Create(plan, options);
    absl::StatusOr<BatchDecoder> engine = BatchDecoder::Create(*engine_plan, options);
    ASSERT_EQ(generated.status(), engine.status());
    if (!generated.ok()) continue;
    EXPECT_EQ(DifferenceOfDecoders(*generated, *engine, messages), "");
  }
}

TEST(EngineCasesTest, EqualGeneratedCodeAtTheEndOfAPage) {
  const LogSilencer silencer;
  GuardedBytes guarded;
  size_t count = 0;
  for (const std::string& file : CaseFiles()) {
    const absl::StatusOr<std::vector<WireCase>> cases = ReadCases(file);
    ASSERT_TRUE(cases.ok()) << cases.status();
    for (const WireCase& c : *cases) {
      SCOPED_TRACE(c.place + ": " + c.name);
      Pairs pairs(*FindMessageType(c.type)->plan());
      for (const size_t distance : {size_t{0}, size_t{1}, wire_internal::kReadableSlackBytes}) {
        const std::vector<std::string_view> messages = {guarded.Place(c.bytes, distance)};
        ASSERT_EQ(pairs.Difference(messages), "") << distance << " bytes from the end of a page";
      }
      ++count;
    }
  }
  std::cout << "compared: " << count << " cases" << std::endl;
  EXPECT_GT(count, 300u);
}

// 2,000 fields: tags of two and three bytes, and rows that are encoded by lists.
TEST(EngineWideTest, EqualsGeneratedCode) {
  Random random(7);
  std::vector<std::string> bytes;
  for (int i = 0; i < 300; ++i) {
    std::string& message = bytes.emplace_back();
    for (size_t fields = Pick(random, 12); fields > 0; --fields) {
      uint8_t tag[5];
      const uint32_t number = 1 + static_cast<uint32_t>(Pick(random, 2300));
      message.append(tag, wire_internal::WriteTag(plan::Tag(number, plan::kVarint), tag));
      message += static_cast<char>(Pick(random, 0x80));
    }
    if (i % 10 == 9) message = Corrupt(random, message);
  }
  Pairs pairs(Wide2000Columns::plan());
  EXPECT_EQ(pairs.Difference(std::vector<std::string_view>(bytes.begin(), bytes.end())), "");
}

// All plans of the engine have the same functions, so the encoder looks at the type's name.
TEST(EngineEncoder, RefusesBatchesOfAnotherType) {
  const std::shared_ptr<const plan::MessagePlan> plan = MakeEnginePlan(*MessageTypes()[0].plan());
  const std::shared_ptr<const plan::MessagePlan> other = MakeEnginePlan(*MessageTypes()[1].plan());
  const absl::StatusOr<DecodedBatch> batch = BatchDecoder(*other).Decode(std::vector<std::string_view>{""});
  ASSERT_TRUE(batch.ok()) << batch.status();
  const absl::StatusOr<EncodedBatch> encoded = BatchEncoder(*plan).Encode(*batch);
  EXPECT_EQ(encoded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(BatchEncoder(*other).Encode(*batch).ok());
}

// Only the builder and its batch hold the plan.
TEST(EngineBuilder, KeepsThePlanThatItIsGiven) {
  std::shared_ptr<const plan::MessagePlan> plan = MakeEnginePlan(*MessageTypes()[0].plan());
  const std::weak_ptr<const plan::MessagePlan> watched = plan;
  {
    absl::StatusOr<DecodedBatch> batch = absl::InternalError("not built");
    {
      absl::StatusOr<BatchBuilder> builder = BatchBuilder::Create(std::move(plan), BuildOptions());
      ASSERT_TRUE(builder.ok()) << builder.status();
      builder->AppendRow();
      batch = builder->Build();
    }
    ASSERT_TRUE(batch.ok()) << batch.status();
    EXPECT_FALSE(watched.expired());
    EXPECT_EQ(batch->nrows(), 1);
  }
  EXPECT_TRUE(watched.expired());
}

TEST(EngineEncoder, KeepsThePlanThatItIsGiven) {
  std::shared_ptr<const plan::MessagePlan> plan = MakeEnginePlan(*MessageTypes()[0].plan());
  const std::weak_ptr<const plan::MessagePlan> watched = plan;
  {
    const absl::StatusOr<BatchEncoder> encoder = BatchEncoder::Create(std::move(plan), EncodeOptions());
    ASSERT_TRUE(encoder.ok()) << encoder.status();
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_TRUE(watched.expired());
}

TEST(EngineTensorEncoder, KeepsThePlanThatItIsGiven) {
  std::shared_ptr<const plan::MessagePlan> plan = MakeEnginePlan(*MessageTypes()[0].plan());
  const std::weak_ptr<const plan::MessagePlan> watched = plan;
  {
    const absl::StatusOr<TensorEncoder> encoder = TensorEncoder::Create(std::move(plan));
    ASSERT_TRUE(encoder.ok()) << encoder.status();
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_TRUE(watched.expired());
}

TEST(MakeEnginePlanTest, OwnsItsCopies) {
  std::shared_ptr<const plan::MessagePlan> plan;
  {
    const std::shared_ptr<const plan::MessagePlan> first = MakeEnginePlan(*MessageTypes()[0].plan());
    plan = MakeEnginePlan(*first);
  }
  EXPECT_EQ(plan::DebugString(*plan), plan::DebugString(*MessageTypes()[0].plan()));
  BatchDecoder decoder(*plan);
  EXPECT_TRUE(decoder.Decode(std::vector<std::string_view>{""}).ok());
}

}  // namespace
}  // namespace structtensor::testing
