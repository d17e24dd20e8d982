#include "structtensor/tensor/extension_types/serialize.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <limits>

#include "structtensor/type_spec.pb.h"
#include "type_spec_testutil.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;
constexpr uint32_t kRandomSpecs = 300;

const TypeRegistry& Types() {
  static TypeRegistry* const registry = [] {
    auto* types = new TypeRegistry();
    EXPECT_TRUE(types->Register(MaskedTensorSpec(Shape(), DType::kBool), MaskedTensorSpec::FromState).ok());
    return types;
  }();
  return *registry;
}

std::string FromText(const std::string& text) {
  proto::TypeSpec message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message.SerializeAsString();
}

TEST(Serialize, WritesTheMessageOfTheSchema) {
  const TypeSpec spec =
      StructuredTensorSpec({2, kUnknownDimension}, {{"a", TensorSpec({3, kUnknownDimension}, DType::kFloat, true)}},
                           StructKind::kMapEntry, true, {{.nrows = 2, .nvals = 3, .dtype = DType::kInt32}});
  proto::TypeSpec message;
  ASSERT_TRUE(message.ParseFromString(SerializeTypeSpec(spec).value()));
  proto::TypeSpec expected;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"(structured {
           shape { dims: 2 dims: -1 }
           kind: KIND_MAP_ENTRY
           nullable: true
           row_partitions { nrows: 2 nvals: 3 dtype: DTYPE_INT32 }
           shape_dtype: DTYPE_INT32
           fields { name: "a" spec { tensor { shape { dims: 3 dims: -1 } dtype: DTYPE_FLOAT nullable: true } } }
         })",
      &expected));
  EXPECT_EQ(message.DebugString(), expected.DebugString());
}

TEST(Serialize, EverySpecRoundTripsAlsoThroughLibprotobuf) {
  for (uint32_t seed = 0; seed < kRandomSpecs; ++seed) {
    const TypeSpec spec = RandomSpecs(seed).Any();
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << spec.DebugString());
    const std::string bytes = SerializeTypeSpec(spec).value();
    EXPECT_EQ(ParseTypeSpec(bytes, Types()).value(), spec);
    proto::TypeSpec message;
    ASSERT_TRUE(message.ParseFromString(bytes));
    EXPECT_TRUE(message.GetReflection()->GetUnknownFields(message).empty());
    EXPECT_EQ(message.SerializeAsString(), bytes);
  }
}

TEST(Serialize, StaticStatesOfEveryKind) {
  // A type that is nothing but its state.
  class StateSpec : public MaskedTensorSpec {
   public:
    explicit StateSpec(Nest<StaticState> state) : MaskedTensorSpec(Shape(), DType::kBool), state_(std::move(state)) {}
    std::string_view type_name() const override { return "test.State"; }
    Nest<StaticState> Serialize() const override { return state_; }

   private:
    Nest<StaticState> state_;
  };
  TypeRegistry types;
  ASSERT_TRUE(types
                  .Register(StateSpec(Nest<StaticState>()),
                            [](const Nest<StaticState>& state) {
                              return absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>>(
                                  std::make_shared<StateSpec>(state));
                            })
                  .ok());
  using State = Nest<StaticState>;
  const std::vector<State> states = {State(),
                                     State(StaticState(false)),
                                     State(StaticState(0)),
                                     State(StaticState(int64_t{-1} << 63)),
                                     State(StaticState(-0.0)),
                                     State(StaticState(std::numeric_limits<double>::quiet_NaN())),
                                     State(StaticState("")),
                                     State(StaticState(std::string("\0\xff", 2))),
                                     State(StaticState(Shape::UnknownRank())),
                                     State(StaticState(DType::kBfloat16)),
                                     State(StaticState(TypeSpec(TensorSpec({2}, DType::kBool)))),
                                     State::Dict({{"", State()}, {"a", State::List({StaticState(1), State::Tuple({})})}})};
  for (const State& state : states) {
    const TypeSpec spec = TypeSpec(std::make_shared<StateSpec>(state));
    EXPECT_EQ(ParseTypeSpec(SerializeTypeSpec(spec).value(), types).value(), spec) << spec.DebugString();
  }
}

TEST(Serialize, RefusesWhatIsNoSpec) {
  const auto error = [](const std::string& text) {
    const absl::Status status = ParseTypeSpec(FromText(text), Types()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    return std::string(status.message());
  };
  EXPECT_THAT(error(""), HasSubstr("byte 0: the kind of this spec is not known"));
  EXPECT_THAT(error("tensor {}"), HasSubstr("no known dtype: 0"));
  EXPECT_THAT(error("tensor { shape { unknown_rank: true dims: 1 } dtype: DTYPE_BOOL }"),
              HasSubstr("unknown rank that has dim"));
  EXPECT_THAT(error("tensor { shape { dims: -2 } dtype: DTYPE_BOOL }"), HasSubstr("negative dimension"));
  EXPECT_THAT(error("row_partition { nrows: 2 nvals: 3 uniform_row_length: 2 dtype: DTYPE_INT64 }"), HasSubstr("contradict"));
  EXPECT_THAT(error("row_partition { nrows: -1 dtype: DTYPE_INT64 }"), HasSubstr("negative size"));
  EXPECT_THAT(error("row_partition { dtype: DTYPE_STRING }"), HasSubstr("int32 or int64"));
  EXPECT_THAT(error("ragged { row_splits_dtype: DTYPE_INT64 }"), HasSubstr("without flat values"));
  EXPECT_THAT(
      error("ragged { row_partitions { nvals: 3 dtype: DTYPE_INT64 } flat_values { shape { dims: 4 } dtype: DTYPE_BOOL } "
            "row_splits_dtype: DTYPE_INT64 }"),
      HasSubstr("do not fit each other"));
  EXPECT_THAT(error("structured { shape { dims: 2 dims: 2 } shape_dtype: DTYPE_INT64 }"), HasSubstr("row partitions"));
  const std::string field = "fields { name: 'a' spec { tensor { shape { dims: 3 } dtype: DTYPE_BOOL } } } ";
  EXPECT_THAT(error("structured { shape { dims: 2 } shape_dtype: DTYPE_INT64 " + field + "}"), HasSubstr("field a"));
  EXPECT_THAT(error("structured { shape { dims: 3 } shape_dtype: DTYPE_INT64 " + field + field + "}"),
              HasSubstr("comes twice"));
  EXPECT_THAT(error("extension { type_name: 'test.MaskedTensor' }"), HasSubstr("the state of a masked tensor"));
  EXPECT_EQ(ParseTypeSpec(FromText("extension { type_name: 'x.Y' }"), Types()).status().code(), absl::StatusCode::kNotFound);
}

TEST(Serialize, DepthIsLimitedBothWays) {
  TypeSpec spec = TensorSpec({1}, DType::kBool);
  for (int depth = 1; depth < kMaxSpecDepth; ++depth) spec = StructuredTensorSpec({1}, {{"a", spec}});
  const std::string deepest = SerializeTypeSpec(spec).value();
  EXPECT_EQ(ParseTypeSpec(deepest).value(), spec);
  EXPECT_FALSE(SerializeTypeSpec(StructuredTensorSpec({1}, {{"a", spec}})).ok());

  // One level more, whatever it is of: TypeSpec.structured.fields.spec.
  std::string deeper = deepest;
  for (const char tag : {'\x12', '\x32', '\x1a'}) {
    std::string length;
    for (size_t rest = deeper.size(); rest > 0; rest >>= 7)
      length += static_cast<char>((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    deeper = tag + length + deeper;
  }
  EXPECT_THAT(std::string(ParseTypeSpec(deeper).status().message()), HasSubstr("100 levels"));
}

TEST(Serialize, UnknownFieldsAreSkipped) {
  const std::string bytes = SerializeTypeSpec(TensorSpec({1}, DType::kBool)).value();
  // Field 15: a varint, and 4 bytes.
  EXPECT_TRUE(ParseTypeSpec(bytes + "\x78\x05" + "\x7d" + "abcd").ok());
}

TEST(Serialize, CorruptedBytesNeverCrash) {
  for (uint32_t seed = 0; seed < kRandomSpecs; ++seed) {
    RandomSpecs random(seed);
    const std::string bytes = SerializeTypeSpec(random.Any()).value();
    for (int i = 0; i < 50; ++i) {
      std::string corrupted = bytes;
      for (uint32_t edits = 1 + random.Below(3); edits > 0 && !corrupted.empty(); --edits) {
        const size_t at = random.Below(static_cast<uint32_t>(corrupted.size()));
        if (random.Chance(2)) {
          corrupted[at] = static_cast<char>(random.Below(256));
        } else if (random.Chance(2)) {
          corrupted.resize(at);
        } else {
          corrupted.insert(at, corrupted.substr(at / 2, random.Below(9)));
        }
      }
      const absl::StatusOr<TypeSpec> spec = ParseTypeSpec(corrupted, Types());
      if (!spec.ok()) continue;
      // What was read is a spec like others.
      EXPECT_EQ(ParseTypeSpec(SerializeTypeSpec(*spec).value(), Types()).value(), *spec);
      EXPECT_FALSE(spec->DebugString().empty());
      EXPECT_TRUE(spec->IsSubtypeOf(spec->WithUnknownSizes()));
    }
  }
}

}  // namespace
}  // namespace structtensor
