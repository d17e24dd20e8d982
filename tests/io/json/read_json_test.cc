#include "structtensor/io/json/read_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/text.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Layout = JsonReadOptions::Layout;
using List = NestedValue::List;
using Dict = NestedValue::Dict;

StructuredTensor Read(std::string_view text, const JsonReadOptions& options = {}) {
  absl::StatusOr<JsonRows> read = ReadJson(text, options);
  EXPECT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(read->errors, IsEmpty());
  return read->rows;
}
// As JSON lines.
std::string Lines(const StructuredTensor& rows, const JsonOptions& options = {}) {
  std::string out;
  for (int64_t row = 0; row < rows.nrows(); ++row) {
    AppendJson(rows, row, out, options);
    out += '\n';
  }
  return out;
}
std::string SpecOf(std::string_view text, const JsonReadOptions& options = {}) {
  return TypeSpec(Read(text, options).spec()).DebugString();
}
std::string Error(std::string_view text, const JsonReadOptions& options = {}) {
  const absl::StatusOr<JsonRows> read = ReadJson(text, options);
  EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(read.status().message());
}
JsonReadOptions To(const TypeSpec& spec) {
  JsonReadOptions options;
  options.spec = *spec.structured();
  return options;
}
TypeSpec SpecLike(const StructuredTensor& rows) { return TypeSpec(rows.spec()).WithUnknownSizes(); }

TEST(ReadJson, InfersColumnsFromLines) {
  const StructuredTensor rows = Read(R"({"a": 1, "b": 2.5, "c": "x", "d": true, "e": [1, 2], "f": {"g": [{"h": "y"}]}}
{"a": -7, "b": 3, "c": "", "d": false, "e": [], "f": {"g": []}}
)");
  EXPECT_EQ(
      TypeSpec(rows.spec()).WithUnknownSizes().TreeString(),
      "struct [None]\n  a: int64 [None]\n  b: double [None]\n  c: string [None]\n  d: bool [None]\n  e: int64 [None, None]\n"
      "  f: struct [None]\n    g: struct [None, None]\n      h: string [None, None]\n");
  EXPECT_EQ(Lines(rows), R"({"a":1,"b":2.5,"c":"x","d":true,"e":[1,2],"f":{"g":[{"h":"y"}]}}
{"a":-7,"b":3,"c":"","d":false,"e":[],"f":{"g":[]}}
)");
}

TEST(ReadJson, NullsAndMissingNamesAreAbsent) {
  const StructuredTensor rows = Read(R"({"a": null, "s": {"x": 1}}
{}
{"a": 3, "s": null, "l": [1, null]}
{"s": {}, "l": null}
)");
  EXPECT_EQ(Lines(rows), R"({"a":null,"s":{"x":1},"l":[]}
{"a":null,"s":null,"l":[]}
{"a":3,"s":null,"l":[1,null]}
{"a":null,"s":{"x":null},"l":[]}
)");
  EXPECT_TRUE(rows.FindFlatField("a")->tensor()->nullable());
}

TEST(ReadJson, AFieldThatIsThereInEveryStructIsNotNullable) {
  const StructuredTensor rows = Read("{\"s\": {\"x\": 1}}\n{}\n{\"s\": {\"x\": 2}}\n");
  const StructuredTensor& s = *rows.FindFlatField("s")->structured();
  EXPECT_TRUE(s.nullable());
  EXPECT_FALSE(s.FindFlatField("x")->tensor()->nullable());
  EXPECT_EQ(Lines(rows), "{\"s\":{\"x\":1}}\n{\"s\":null}\n{\"s\":{\"x\":2}}\n");
}

TEST(ReadJson, NothingButNullsAndEmptyListsIsDouble) {
  EXPECT_THAT(SpecOf("{\"a\": null, \"b\": [], \"c\": {}}"),
              AllOf(HasSubstr("'a': TensorSpec([1], double, nullable"), HasSubstr("double"),
                    HasSubstr("'c': StructuredTensorSpec([1], {})")));
}

TEST(ReadJson, IntegersWidenIfTheyStayWhatTheyAre) {
  EXPECT_EQ(Lines(Read("{\"a\": 1}\n{\"a\": 0.5}\n{\"a\": 9007199254740992}\n")),
            "{\"a\":1}\n{\"a\":0.5}\n{\"a\":9007199254740992}\n");
  EXPECT_THAT(Error("{\"a\": 9007199254740993}\n{\"a\": 0.5}\n"), AllOf(HasSubstr("line 2"), HasSubstr("9007199254740993")));
  EXPECT_THAT(Error("{\"a\": 0.5}\n{\"a\": 9007199254740993}\n"), AllOf(HasSubstr("line 2"), HasSubstr("9007199254740993")));
  const StructuredTensor big = Read("{\"a\": 1}\n{\"a\": 18446744073709551615}\n");
  EXPECT_EQ(big.FindFlatField("a")->tensor()->dtype(), DType::kUint64);
  EXPECT_EQ(Lines(big), "{\"a\":1}\n{\"a\":18446744073709551615}\n");
  EXPECT_THAT(Error("{\"a\": -1}\n{\"a\": 18446744073709551615}\n"), HasSubstr("negative"));
  EXPECT_THAT(Error("{\"a\": 18446744073709551615}\n{\"a\": -1}\n"), HasSubstr("-1"));
  EXPECT_THAT(Error("{\"a\": 18446744073709551616}\n"), HasSubstr("outside int64 and uint64"));
  EXPECT_EQ(Lines(Read("{\"a\": 0.5}\n{\"a\": 100000000000000000000}\n")), "{\"a\":0.5}\n{\"a\":1e+20}\n");
  EXPECT_EQ(Lines(Read("{\"a\": -9223372036854775808}\n{\"a\": 9223372036854775807}")),
            "{\"a\":-9223372036854775808}\n{\"a\":9223372036854775807}\n");
}

TEST(ReadJson, ZerosKeepTheirSign) {
  const std::string text = "{\"x\":[-0.0,0.5]}\n{\"x\":[-0.0]}\n";
  const StructuredTensor rows = Read(text);
  EXPECT_EQ(Lines(rows), text);
  EXPECT_EQ(Lines(Read(Lines(rows), To(SpecLike(rows)))), text);
  // "-0" is an integer, which has no sign, but a spec can say that it is a double.
  EXPECT_EQ(SpecOf(R"({"x":[-0]})"), SpecOf(R"({"x":[0]})"));
  for (const DType dtype : {DType::kDouble, DType::kFloat, DType::kFloat16, DType::kBfloat16}) {
    const TypeSpec spec(StructuredTensorSpec(
        Shape({kUnknownDimension}), {{"x", TensorSpec(Shape({-1, 4}), dtype)}, {"y", TensorSpec(Shape({-1}), dtype)}}));
    EXPECT_EQ(Lines(Read(R"({"x":[-0,0,-0.0,-0e3],"y":-0})", To(spec))), "{\"x\":[-0.0,0,-0.0,-0.0],\"y\":-0.0}\n");
  }
  const TypeSpec integers(StructuredTensorSpec(Shape({kUnknownDimension}), {{"x", TensorSpec(Shape({-1}), DType::kInt32)}}));
  EXPECT_EQ(Lines(Read(R"({"x":-0})", To(integers))), "{\"x\":0}\n");
  EXPECT_EQ(Lines(Read(R"({"x":-0.0})", To(integers))), "{\"x\":0}\n");
}

TEST(ReadJson, OtherMixturesAreErrorsWithThePath) {
  EXPECT_EQ(Error("{\"a\": {\"b\": [1]}}\n{\"a\": {\"b\": [2, \"x\"]}}\n"),
            "line 2, column 17: a.b[1]: expected an int64, as in the rows before; found a string");
  EXPECT_THAT(Error("{\"a\": 1}\n{\"a\": [1]}"), HasSubstr("a: expected an int64, as in the rows before; found a list"));
  EXPECT_THAT(Error("{\"a\": {}}\n{\"a\": 1}"), HasSubstr("a: expected an object, as in the rows before; found an integer"));
  EXPECT_THAT(Error("{\"a\": true}\n{\"a\": 1}"), HasSubstr("expected a bool"));
  EXPECT_THAT(Error("{\"a\": 1, \"b\": 2, \"a\": 3}"), HasSubstr("a: the object has this name twice"));
  EXPECT_THAT(Error("{\"\": 1}"), HasSubstr("a name is empty"));
  EXPECT_THAT(Error("[1]"), HasSubstr("a row is an object"));
  EXPECT_THAT(Error("5"), HasSubstr("a row is an object"));
}

TEST(ReadJson, NamesAndStringsMayHaveEscapes) {
  const StructuredTensor rows = Read(R"({"\u0061": "\ud83d\ude00\n\"", "q\"": 1, "ä": "ö"}
{"a": "plain", "q\"": 2, "\u00e4": "\u00f6"}
)");
  EXPECT_THAT(rows.field_names(), ElementsAre("a", "q\"", "ä"));
  EXPECT_EQ(rows.FindFlatField("a")->tensor()->string_at(0), "😀\n\"");
  EXPECT_EQ(rows.FindFlatField("ä")->tensor()->string_at(1), "ö");
  EXPECT_THAT(Error("{\"a\\\\\": 1, \"a\\\\\": 2}"), HasSubstr("twice"));
  EXPECT_THAT(Error(R"({"a": "\ud83d"})"), HasSubstr("escape"));
  EXPECT_THAT(Error(R"({"a": "\udc00"})"), HasSubstr("escape"));
  EXPECT_THAT(Error(R"({"a": "\udc00\ud83d"})"), HasSubstr("escape"));
  EXPECT_THAT(Error(R"({"\udc00": 1})"), HasSubstr("escape"));
  EXPECT_THAT(Error(R"({"a": "\x"})"), HasSubstr("escape"));
  EXPECT_THAT(Error(R"({"a\x": 1})"), HasSubstr("escape"));
}

TEST(ReadJson, FieldsInAnyOrder) {
  const StructuredTensor rows = Read("{\"a\": 1, \"b\": 2}\n{\"b\": 3, \"a\": 4}\n{\"c\": 5, \"b\": 6}\n");
  EXPECT_EQ(Lines(rows), "{\"a\":1,\"b\":2,\"c\":null}\n{\"a\":4,\"b\":3,\"c\":null}\n{\"a\":null,\"b\":6,\"c\":5}\n");
}

TEST(ReadJson, DocumentsAndLines) {
  const std::string expected = "{\"a\":1}\n{\"a\":2}\n";
  EXPECT_EQ(Lines(Read("[{\"a\": 1},\n {\"a\": 2}]")), expected);
  EXPECT_EQ(Lines(Read("\n{\"a\": 1}\n\r\n  {\"a\": 2}  ")), expected);
  EXPECT_EQ(Lines(Read("{\n  \"a\": 1\n}\n")), "{\"a\":1}\n");
  EXPECT_EQ(Lines(Read("[]")), "");
  EXPECT_EQ(Lines(Read("")), "");
  EXPECT_EQ(Lines(Read(" \n \n")), "");
  EXPECT_THAT(Error("[{\"a\": 1}, 5]"), HasSubstr("a row is an object"));
  EXPECT_THAT(Error("[{\"a\": 1}] x"), HasSubstr("line 1"));
  EXPECT_THAT(Error("[{\"a\": 1}]\n", {.layout = Layout::kLines}), HasSubstr("a row is an object"));
  EXPECT_THAT(Error("{\"a\": 1}\n{\"a\": 2}", {.layout = Layout::kDocument}), HasSubstr("something follows"));
}

TEST(ReadJson, AByteOrderMarkIsNoRow) {
  for (const std::string_view text : {"\xef\xbb\xbf{\"a\": 1}\n{\"a\": 2}\n", "\xef\xbb\xbf[{\"a\": 1},{\"a\": 2}]"}) {
    EXPECT_EQ(Lines(Read(text)), "{\"a\":1}\n{\"a\":2}\n");
  }
}

// The first line may be the damaged one.
TEST(ReadJson, ADamagedFirstLineDoesNotHideTheOtherLines) {
  std::string good;
  for (int i = 0; i < 5000; ++i) absl::StrAppend(&good, "{\"a\":", i, "}\n");  // more than the beginning that is looked at
  for (const std::string_view first : {"### log started", "{", "[", "[2026-01-01] started", "123", "\"x\"", "null", "}",
                                       "{\"a\":1,", "{\"a\":1},", "{\"a\": \"", "\n\nxx", "]", "{\"a\":[{"}) {
    for (const std::string_view between : {"", "{\"a\":-1}\n"}) {
      const std::string text = std::string(first) + "\n" + std::string(between) + good;
      const absl::StatusOr<JsonRows> read = ReadJson(text, {.on_error = JsonReadOptions::OnError::kSkip});
      ASSERT_TRUE(read.ok()) << read.status();
      EXPECT_EQ(Lines(read->rows), std::string(between) + good) << first;
      EXPECT_THAT(read->errors, SizeIs(1)) << first;
      EXPECT_THAT(Error(text), HasSubstr(first.starts_with('\n') ? "line 3" : "line 1")) << first;
    }
  }
  // Documents stay what they are.
  for (const std::string_view document : {"[{\"a\":1},{\"a\":2}]", "[\n{\"a\":1},\n{\"a\":2}\n]",
                                          "[\n{\"a\":1}\n,\n{\"a\":2}\n]", "[\n  {\n\"a\":1},\n{\n\"a\":2}]"}) {
    EXPECT_EQ(Lines(Read(document)), "{\"a\":1}\n{\"a\":2}\n") << document;
  }
  EXPECT_EQ(Lines(Read("{\n  \"a\": [\n    {\"b\": 1}\n  ]\n}")), "{\"a\":[{\"b\":1}]}\n");
}

TEST(ReadJson, NoJsonIsAnErrorWithItsPlace) {
  EXPECT_THAT(Error("{\"a\": 1}\n{\"a\": }\n"), HasSubstr("line 2, column 7"));
  EXPECT_THAT(Error("{\"a\": 1}\n{\"a\": 1 2}\n"), HasSubstr("line 2"));
  EXPECT_THAT(Error("{\"a\": 1}\n{\"a\": 1} x\n"), HasSubstr("line 2"));
  for (const char* text : {"{",
                           "{\"a\"",
                           "{\"a\":",
                           "{\"a\": 1",
                           "{\"a\": 1,",
                           "{\"a\": 1,}",
                           "{\"a\": [1",
                           "{\"a\": [1,]}",
                           "{\"a\": \"x}",
                           "{\"a\": tru}",
                           "{\"a\": nul}",
                           "{\"a\": nulll}",
                           "{\"a\": 01}",
                           "{\"a\": -}",
                           "{\"a\": 1.}",
                           "{\"a\": .5}",
                           "{\"a\": 1e}",
                           "{\"a\": +1}",
                           "{\"a\": NaN}",
                           "{\"a\": 1x}",
                           "{\"a\": \"x\"y}",
                           "{a: 1}",
                           "{'a': 1}",
                           "{\"a\" 1}",
                           "{\"a\": \"\x01\"}",
                           "{\"a\": \"\xff\"}",
                           "{\"a\": \"\xc0\x80\"}",
                           "{\"a\": 1}{\"a\": 2}",
                           "}",
                           "{]",
                           "{\"a\": 1e999}",
                           "{\"a\": [}",
                           "{\"a\": {]}",
                           "{,}",
                           "{\"a\": \"\\",
                           "{\"a\\\": 1}",
                           "{\"a\":-01}",
                           "{\"a\": 123456789012345678901x}"}) {
    for (const Layout layout : {Layout::kLines, Layout::kDocument}) {
      EXPECT_EQ(ReadJson(text, {.layout = layout}).status().code(), absl::StatusCode::kInvalidArgument) << text;
      EXPECT_EQ(ReadJson(absl::StrCat("{\"a\": 1}\n", text, "\n"), {.layout = Layout::kLines}).status().code(),
                absl::StatusCode::kInvalidArgument)
          << text;
    }
  }
}

TEST(ReadJson, DepthIsLimited) {
  const auto nested = [](int depth) {
    return absl::StrCat("{\"a\": ", std::string(static_cast<size_t>(depth), '['), std::string(static_cast<size_t>(depth), ']'),
                        "}");
  };
  EXPECT_TRUE(ReadJson(nested(kMaxJsonDepth - 1)).ok());
  EXPECT_THAT(Error(nested(kMaxJsonDepth)), HasSubstr("deeper than"));
  EXPECT_EQ(ReadJson(nested(100000)).status().code(), absl::StatusCode::kInvalidArgument);
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  EXPECT_EQ(ReadJson(objects).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ReadJson, DamagedRowsAreSkippedAndNothingElseIsLost) {
  std::string text;
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    const std::string row = absl::StrCat("{\"a\":", i, ",\"l\":[{\"x\":[\"", i, "\"]}],\"s\":{\"y\":null,\"z\":[", i, "]}}\n");
    text += row;
    expected += row;
    if (i == 500) text += "{\"a\": 7, \"l\": [{\"x\": [\"u\", \"v\"]}, {\"x\": [\"w\", 1]}], \"s\": {\"y\": null}}\n";
    if (i == 600) text += "{\"a\": 7, \"l\": [{\"x\": [\"u\"]}], \"s\": {\"y\": null, \"z\": [1, 2}\n";
    if (i == 700) text += "{\"a\": 7, \"l\": [], \"s\": {\"y\": null}} trailing\n";
    if (i == 800) text += "{\"a\": \"\xff\"}\n";
  }
  const absl::StatusOr<JsonRows> read = ReadJson(text, {.on_error = JsonReadOptions::OnError::kSkip});
  ASSERT_TRUE(read.ok()) << read.status();
  // The column y has had nothing but nulls.
  EXPECT_EQ(Lines(read->rows), expected);
  ASSERT_THAT(read->errors, SizeIs(4));
  EXPECT_EQ(read->errors[0].line, 502);
  EXPECT_EQ(read->errors[0].message, "l[1].x[1]: expected a string, as in the rows before; found an integer");
  EXPECT_EQ(read->errors[1].line, 603);
  EXPECT_EQ(read->errors[2].line, 704);
  EXPECT_EQ(read->errors[3].line, 805);
  EXPECT_THAT(read->errors[3].message, HasSubstr("UTF-8"));
}

TEST(ReadJson, RowsOfADocumentAreSkippedUpToASyntaxError) {
  const absl::StatusOr<JsonRows> read =
      ReadJson("[{\"a\": 1},\n{\"a\": [\"x\", {\"b\": 1}]},\n{\"a\": 2}, 5, {\"a\": 3}, {\"a\" 4}]",
               {.on_error = JsonReadOptions::OnError::kSkip});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(Lines(read->rows), "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n");
  ASSERT_THAT(read->errors, SizeIs(3));
  EXPECT_EQ(read->errors[0].line, 2);
}

// As if the text did not have the row: it decides neither kinds nor names.
TEST(ReadJson, ASkippedRowLeavesNothingBehind) {
  const JsonReadOptions skip = {.layout = Layout::kLines, .on_error = JsonReadOptions::OnError::kSkip};
  constexpr std::string_view kBroken[] = {
      R"({"a":"x", oops})",
      R"({"a":1.5, "b":[0.5], "c":{"d":2.5} bad)",
      R"({"a":18446744073709551615, "b":[18446744073709551615], bad)",
      R"({"a":[1], bad)",
      R"({"a":{"x":1}, "b":{"y":[2]}, bad)",
      R"({"new":1,"newer":{"er":[{"est":1}]},"a":1,"a":1})",
      R"({"a":true, "b":[true],)",
      R"({"c":{"e":1,"d":[)",
      R"({"b":[1,18446744073709551615,1.5,"x"]})",
      R"({"a":1,"b":[2],"c":{"d":3}} x)",
  };
  constexpr std::string_view kGood[] = {
      R"({"a":1})",
      R"({"a":-1,"b":[2],"c":{"d":3}})",
      R"({"a":"x"})",
      R"({"b":["x"],"c":{"d":[{"x":1}]}})",
      R"({"a":null,"b":[],"c":null})",
      R"({"a":1.5,"b":[1.5],"c":{"d":1.5}})",
      R"({"c":[]})",
      R"({})",
  };
  const auto line = [](std::string_view row) { return std::string(row) + "\n"; };
  for (const std::string_view first : kGood) {
    for (const std::string_view second : kGood) {
      const absl::StatusOr<JsonRows> expected = ReadJson(line(first) + line(second), skip);
      ASSERT_TRUE(expected.ok()) << expected.status();
      for (const std::string_view broken : kBroken) {
        for (const std::string& text : {line(broken) + line(first) + line(second), line(first) + line(broken) + line(second),
                                        line(first) + line(broken) + line(broken) + line(second)}) {
          const absl::StatusOr<JsonRows> read = ReadJson(text, skip);
          ASSERT_TRUE(read.ok()) << read.status();
          EXPECT_EQ(TypeSpec(read->rows.spec()).TreeString(), TypeSpec(expected->rows.spec()).TreeString()) << text;
          EXPECT_TRUE(Value(read->rows) == Value(expected->rows)) << text << Lines(read->rows) << Lines(expected->rows);
        }
      }
    }
  }
  const absl::StatusOr<JsonRows> nothing = ReadJson("{\"a\":1, bad\n", skip);
  ASSERT_TRUE(nothing.ok()) << nothing.status();
  EXPECT_EQ(nothing->rows.nrows(), 0);
  EXPECT_EQ(nothing->rows.num_fields(), 0u);
}

TEST(ReadJson, RowsInFrontOfAByteThatNoJsonHasAreRead) {
  const JsonReadOptions skip = {.on_error = JsonReadOptions::OnError::kSkip};
  for (const std::string& wrong :
       {std::string("{\"a\": \"x\ty\"}"), std::string("{\"a\": \"x\xffy\"}"), std::string("{\"a\": \"x\xe2\x82\"}"),
        std::string("{\"b\": 1\xff}"), std::string("{\"a\": \"xy")}) {
    const std::string text = "[{\"a\": 1},\n {\"a\": \"\\\\\"},\n {\"a\": \"\u00e9\\\"\"},\n " + wrong + ",\n {\"a\": \"b\"}]";
    const std::string lines = text.substr(0, text.find(wrong));
    const absl::StatusOr<JsonRows> failed = ReadJson(text);
    ASSERT_FALSE(failed.ok());
    EXPECT_THAT(std::string(failed.status().message()), ::testing::StartsWith("line 4, column ")) << text;
    const absl::StatusOr<JsonRows> read = ReadJson(text.substr(0, 1) + text.substr(text.find('\n')).substr(1), skip);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(Lines(read->rows), "{\"a\":\"\\\\\"}\n{\"a\":\"\u00e9\\\"\"}\n") << text;
    ASSERT_THAT(read->errors, SizeIs(1)) << text;
    EXPECT_EQ(read->errors[0].line, 3);
  }
  EXPECT_THAT(Error("{\"a\": \"x\ty\"}"), AllOf(HasSubstr("line 1, column 9: "), HasSubstr("control character")));
  EXPECT_THAT(Error("{\"a\": 1,\n\"b\": \"\xc3\xa9\xc3\"}"), AllOf(HasSubstr("line 2, column 9: "), HasSubstr("UTF-8")));
}

// A name for each row: each name is a column, and each column has a value for each row.
TEST(ReadJson, ManyNamesInManyRowsAreAnErrorAndNotAllMemory) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) absl::StrAppend(&text, "{\"k", i, "\":", i, "}\n");
  for (const int threads : {1, 2}) {
    const absl::StatusOr<JsonRows> read = ReadJson(text, {.threads = threads});
    EXPECT_EQ(read.status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(read.status().message()), AllOf(HasSubstr("line "), HasSubstr("too many names")));
  }
  // At the end of the text, and within one row.
  std::string late;
  for (int i = 0; i < 12'000; ++i) absl::StrAppend(&late, "{}\n");
  late = "{" +
         [] {
           std::string names;
           for (int i = 0; i < 12'000; ++i) absl::StrAppend(&names, i == 0 ? "" : ",", "\"k", i, "\":1");
           return names;
         }() +
         "}\n" + late;
  EXPECT_EQ(ReadJson(late).status().code(), absl::StatusCode::kResourceExhausted);
  std::string one = "[{\"l\":[";
  for (int i = 0; i < 20'000; ++i) absl::StrAppend(&one, i == 0 ? "" : ",", "{\"k", i, "\":1}");
  EXPECT_EQ(ReadJson(one + "]}]").status().code(), absl::StatusCode::kResourceExhausted);
  // Sparse rows of a usual size are read.
  std::string sparse;
  for (int i = 0; i < 20'000; ++i) absl::StrAppend(&sparse, "{\"k", i % 1000, "\":", i, "}\n");
  EXPECT_EQ(Read(sparse).num_fields(), 1000u);
}

TEST(ReadJson, IntegersOfASpecAreExact) {
  const JsonReadOptions to = To(SpecLike(Read("{\"a\": 1}")));
  EXPECT_EQ(Lines(Read("{\"a\": 9007199254740993.0}\n{\"a\": 1234567890123456789e0}\n{\"a\": 12.50e1}\n{\"a\": -0.0}", to)),
            "{\"a\":9007199254740993}\n{\"a\":1234567890123456789}\n{\"a\":125}\n{\"a\":0}\n");
  for (const std::string_view wrong : {"1.5", "1e-1", "9223372036854775808.0", "1e19", "1e99999999999999999999"}) {
    EXPECT_THAT(Error("{\"a\": " + std::string(wrong) + "}", to), HasSubstr("a: ")) << wrong;
  }
}

// A character that does not fit is not cut.
TEST(ReadJson, LongStringsInErrorsStayUtf8) {
  TypeSpec spec = SpecLike(Read("{\"t\": \"2024-05-01T00:00:00Z\"}", {.infer_timestamps = true}));
  for (size_t ascii = 90; ascii < 104; ++ascii) {
    for (const std::string character : {"\u00e9", "\u20ac", "\U0001f372"}) {
      std::string text(ascii, 'a');
      for (int i = 0; i < 10; ++i) text += character;
      const std::string error = Error("{\"t\": \"" + text + "\"}", To(spec));
      std::string again;
      EXPECT_TRUE(ReadJson("{\"e\": \"" + error.substr(error.find("found") + 7) + "}").ok()) << error;
    }
  }
}

TEST(ReadJson, TimestampsOnRequest) {
  const std::string text =
      "{\"t\": \"2026-11-23T15:04:05.25Z\", \"u\": \"2026-11-23T15:04:05Z\"}\n{\"t\": null, \"u\": \"soon\"}\n"
      "{\"t\": \"2026-11-23T16:04:05+01:00\", \"u\": \"\"}\n";
  const StructuredTensor rows = Read(text, {.infer_timestamps = true});
  EXPECT_EQ(rows.FindFlatField("t")->tensor()->dtype(), DType::kTimestampNs);
  EXPECT_EQ(rows.FindFlatField("u")->tensor()->dtype(), DType::kString);
  EXPECT_EQ(Lines(rows),
            "{\"t\":\"2026-11-23T15:04:05.25Z\",\"u\":\"2026-11-23T15:04:05Z\"}\n{\"t\":null,\"u\":\"soon\"}\n"
            "{\"t\":\"2026-11-23T15:04:05Z\",\"u\":\"\"}\n");
  EXPECT_EQ(Read(text).FindFlatField("t")->tensor()->dtype(), DType::kString);
  for (const char* no_time : {"infinite-future", "2026-01-01T00:00:00.1234567891Z", "2026-01-01T00:00:00.1234567890Z",
                              "2016-12-31T23:59:60Z", "2016-12-31T23:59:60.5+00:00", " 2026-11-23T15:04:05Z", "2026-11-23",
                              "9999-11-23T15:04:05Z", "", "2026-11-23T15:04:05Z "}) {
    EXPECT_EQ(
        Read(absl::StrCat("{\"t\": \"", no_time, "\"}"), {.infer_timestamps = true}).FindFlatField("t")->tensor()->dtype(),
        DType::kString);
  }
}

TEST(ReadJson, LaterBatchesFitTheSpecOrSayWhereTheyDoNot) {
  const StructuredTensor first = Read("{\"a\": 1, \"b\": [\"x\"], \"c\": null}\n{\"a\": 2}\n{\"a\": 2, \"c\": {\"d\": 1.5}}\n");
  const JsonReadOptions options = To(SpecLike(first));
  const StructuredTensor second = Read("{\"c\": {\"d\": 2}, \"a\": 5}\n", options);
  EXPECT_EQ(SpecLike(second), SpecLike(first));
  EXPECT_EQ(Lines(second), "{\"a\":5,\"b\":[],\"c\":{\"d\":2}}\n");
  EXPECT_EQ(SpecLike(Read("", options)), SpecLike(first));
  EXPECT_EQ(Error("{\"b\": []}\n", options), "line 1, column 9: the field a is missing");
  EXPECT_THAT(Error("{\"a\": null}\n", options), HasSubstr("a: expected int64; found null"));
  EXPECT_THAT(Error("{\"a\": 1, \"e\": 1}\n", options), HasSubstr("e: the spec has no field of that name"));
  EXPECT_THAT(Error("{\"a\": 1.5}\n", options), HasSubstr("a: expected int64; found 1.5"));
  JsonReadOptions ignoring = options;
  ignoring.ignore_extra_fields = true;
  EXPECT_EQ(Lines(Read("{\"a\": 1, \"e\": {\"f\": [1, \"x\", {}, null]}, \"c\": null}\n", ignoring)),
            "{\"a\":1,\"b\":[],\"c\":null}\n");
  EXPECT_THAT(Error("{\"a\": 1, \"e\": [1, }", ignoring), HasSubstr("line 1"));
  EXPECT_THAT(Error(R"({"a": 1, "e": {"\x": 1}})", ignoring), HasSubstr("escape"));
}

TEST(ReadJson, ManyDamagedRowsOfADocument) {
  std::string text = "[";
  for (int i = 0; i < 200000; ++i) text += i % 2 == 0 ? "5,\n" : "{\"a\": 1},\n";
  text += "{\"a\": 2}]";
  const absl::StatusOr<JsonRows> read = ReadJson(text, {.on_error = JsonReadOptions::OnError::kSkip});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->rows.nrows(), 100001);
  ASSERT_THAT(read->errors, SizeIs(100000));
  EXPECT_EQ(read->errors.back().line, 199999);
}

// What AppendJson() writes of all types.
TEST(ReadJson, EveryTypeOfASpecComesBack) {
  const auto column = [](DType dtype, bool nullable = false) {
    return TypeSpec(TensorSpec(Shape({kUnknownDimension}), dtype, nullable));
  };
  std::vector<FieldSpec> fields;
  const std::vector<std::pair<DType, std::vector<std::string>>> cases = {
      {DType::kBool, {"true", "false"}},
      {DType::kInt32, {"-2147483648", "2147483647"}},
      {DType::kInt64, {"-9223372036854775808", "9223372036854775807"}},
      {DType::kUint32, {"0", "4294967295"}},
      {DType::kUint64, {"0", "18446744073709551615"}},
      {DType::kFloat, {"0.1", "\"NaN\""}},
      {DType::kDouble, {"0.1", "\"-Infinity\""}},
      {DType::kFloat16, {"0.5", "\"Infinity\""}},
      {DType::kBfloat16, {"0.5", "-2"}},
      {DType::kString, {"\"NaN\"", "\"\\u0000\""}},
      {DType::kBytes, {"\"\"", "\"AP/+\""}},
      {DType::kTimestampNs, {"\"2026-11-23T15:04:05.123456789Z\"", "\"1970-01-01T00:00:00Z\""}},
      {DType::kTimestampS, {"\"0001-01-01T00:00:00Z\"", "\"9999-12-31T23:59:59Z\""}},
      {DType::kTimestampMs, {"\"2026-11-23T15:04:05.123Z\"", "\"1969-12-31T23:59:59.999Z\""}},
      {DType::kTimestampUs, {"\"2026-11-23T15:04:05.123456Z\"", "\"1969-12-31T23:59:59.999Z\""}},
      {DType::kDurationNs, {"\"-1.5s\"", "\"0.000000001s\""}},
      {DType::kDurationS, {"\"7s\"", "\"-7s\""}},
      {DType::kDurationMs, {"\"0.001s\"", "\"0s\""}},
      {DType::kDurationUs, {"\"0.000001s\"", "\"0s\""}},
  };
  std::string text[3];
  for (const auto& [dtype, values] : cases) {
    const std::string name(DTypeName(dtype));
    fields.push_back({name, column(dtype)});
    fields.push_back({name + "?", column(dtype, true)});
    for (size_t row = 0; row < 3; ++row) {
      absl::StrAppend(&text[row], text[row].empty() ? "{" : ",", "\"", name, "\":", values[row % 2], ",\"", name,
                      "?\":", row == 1 ? "null" : values[1]);
    }
  }
  const TypeSpec spec(StructuredTensorSpec(Shape({kUnknownDimension}), fields));
  const std::string all = absl::StrCat(text[0], "}\n", text[1], "}\n", text[2], "}\n");
  const StructuredTensor rows = Read(all, To(spec));
  EXPECT_EQ(SpecLike(rows), spec);
  EXPECT_EQ(Lines(rows), all);
  for (const auto& [dtype, json] :
       std::vector<std::pair<DType, std::string>>{{DType::kBool, "1"},
                                                  {DType::kInt32, "2147483648"},
                                                  {DType::kUint32, "-1"},
                                                  {DType::kUint64, "-1"},
                                                  {DType::kInt64, "18446744073709551615"},
                                                  {DType::kFloat, "1e39"},
                                                  {DType::kFloat, "\"nan\""},
                                                  {DType::kFloat16, "1e6"},
                                                  {DType::kFloat16, "1000000"},
                                                  {DType::kString, "1"},
                                                  {DType::kBytes, "\"*\""},
                                                  {DType::kTimestampS, "\"2026-11-23T15:04:05.5Z\""},
                                                  {DType::kTimestampNs, "\"2400-01-01T00:00:00Z\""},
                                                  {DType::kTimestampNs, "5"},
                                                  {DType::kDurationS, "\"1.5s\""},
                                                  {DType::kDurationNs, "\"1h\""},
                                                  {DType::kDurationNs, "\"inf\""}}) {
    EXPECT_THAT(Error(absl::StrCat("{\"a\": ", json, "}"),
                      To(StructuredTensorSpec(Shape({kUnknownDimension}), {{"a", column(dtype)}}))),
                HasSubstr("a: "))
        << json;
  }
}

TEST(ReadJson, AxesOfASpec) {
  // Ragged, uniform, dense and optional axes, maps, absent structs, 32-bit row splits.
  const Value like = Constant(List{Dict{{"r", List{List{1}, List{}}}, {"d", List{1, 2}}, {"s", List{Dict{{"x", 1}}}}}}).value();
  const int64_t unknown = kUnknownDimension;
  const TensorSpec ints(Shape({unknown}), DType::kInt64);
  const StructuredTensorSpec entry(Shape({unknown, unknown}),
                                   {{"key", TensorSpec(Shape({unknown}), DType::kInt32)}, {"value", ints}},
                                   StructKind::kMapEntry);
  const StructuredTensorSpec spec(
      Shape({unknown}), {{"ragged", RaggedTensorSpec({RowPartitionSpec{}, RowPartitionSpec{}}, ints)},
                         {"uniform", RaggedTensorSpec({RowPartitionSpec{.uniform_row_length = 2}, RowPartitionSpec{}}, ints)},
                         {"dense", TensorSpec(Shape({unknown, 2, 1}), DType::kFloat)},
                         {"optional", RaggedTensorSpec({RowPartitionSpec{.optional = true}}, ints)},
                         {"map", entry}});
  const std::string text =
      "{\"ragged\":[[1],[]],\"uniform\":[[1],[2,3]],\"dense\":[[1],[2]],\"optional\":[5],\"map\":{\"1\":2,\"-3\":4}}\n"
      "{\"ragged\":[],\"uniform\":[[],[]],\"dense\":[[3],[4]],\"optional\":[],\"map\":{}}\n";
  const StructuredTensor rows = Read(text, To(spec));
  EXPECT_EQ(SpecLike(rows), TypeSpec(spec));
  EXPECT_EQ(Lines(rows), text);
  const std::string unwrapped = Lines(rows, {.unwrap_optional = true});
  EXPECT_THAT(unwrapped, HasSubstr("\"optional\":5"));
  EXPECT_EQ(Lines(Read(unwrapped, To(spec))), text);
  const auto row = [](const std::string& uniform, const std::string& dense, const std::string& optional,
                      const std::string& map) {
    return absl::StrCat("{\"ragged\":[],\"uniform\":", uniform, ",\"dense\":", dense, ",\"optional\":", optional,
                        ",\"map\":", map, "}");
  };
  EXPECT_TRUE(ReadJson(row("[[],[]]", "[[1],[2]]", "null", "{}"), To(spec)).ok());
  EXPECT_THAT(Error(row("[[]]", "[[1],[2]]", "5", "{}"), To(spec)), HasSubstr("uniform: expected a list of 2; found 1"));
  EXPECT_THAT(Error(row("null", "[[1],[2]]", "5", "{}"), To(spec)), HasSubstr("uniform: expected a list; found null"));
  EXPECT_THAT(Error(row("[[],[]]", "[[1],[2, 3]]", "5", "{}"), To(spec)), HasSubstr("dense[1]: expected a list of 1; found 2"));
  EXPECT_THAT(Error(row("[[],[]]", "[[1],[2]]", "[5,6]", "{}"), To(spec)),
              HasSubstr("optional: expected at most one value; found 2"));
  EXPECT_THAT(Error(row("[[],[]]", "[[1],[2]]", "5", "{\"x\": 1}"), To(spec)),
              HasSubstr("map[\"x\"]: expected a key that is int32"));
  EXPECT_THAT(Error(row("[[],[]]", "[[1],[2]]", "5", "{\"1\": 1, \"2\": 2, \"1\": 3}"), To(spec)),
              HasSubstr("map[\"1\"]: the object has this name twice"));
  EXPECT_THAT(Error("{\"ragged\":[]}", To(spec)), HasSubstr("the field uniform is missing"));
  // Every row of a skipped one goes, in all columns.
  JsonReadOptions skipping = To(spec);
  skipping.on_error = JsonReadOptions::OnError::kSkip;
  const std::string damaged = row("[[9],[9]]", "[[9],[9]]", "9", "{\"9\": 9, \"8\": \"x\"}");
  const absl::StatusOr<JsonRows> read = ReadJson(absl::StrCat(damaged, "\n", text, damaged, "\n", text), skipping);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(Lines(read->rows), text + text);
  EXPECT_THAT(read->errors, SizeIs(2));
}

TEST(ReadJson, SpecsThatRowsCannotHave) {
  TypeSpec deep(TensorSpec(Shape({kUnknownDimension}), DType::kInt32));
  for (int i = 0; i < kMaxJsonDepth - 1; ++i) deep = StructuredTensorSpec(Shape({kUnknownDimension}), {{"a", deep}});
  const TypeSpec deepest = StructuredTensorSpec(Shape({kUnknownDimension}), {{"a", deep}}, StructKind::kStruct, true);
  EXPECT_TRUE(ReadJson("", To(deepest)).ok());
  EXPECT_THAT(Error("", To(StructuredTensorSpec(Shape({kUnknownDimension}), {{"a", deepest}}))), HasSubstr("deeper than 100"));
  const RaggedTensorSpec lists(std::vector<RowPartitionSpec>(200), TensorSpec(Shape({kUnknownDimension}), DType::kInt32));
  EXPECT_THAT(Error("", To(StructuredTensorSpec(Shape({kUnknownDimension}), {{"a", lists}}))), HasSubstr("deeper than 100"));
  // A struct that is absent has no list, but its column has all elements of one.
  for (const int64_t size : {int64_t{1} << 20, int64_t{1} << 40, INT64_MAX}) {
    const TensorSpec wide(Shape({kUnknownDimension, size}), DType::kInt32);
    const StructuredTensorSpec absent(Shape({kUnknownDimension}), {{"w", wide}}, StructKind::kStruct, /*nullable=*/true);
    std::string rows;
    for (int i = 0; i < 300; ++i) rows += "{}\n";
    EXPECT_EQ(ReadJson(rows, To(StructuredTensorSpec(Shape({kUnknownDimension}), {{"s", absent}}))).status().code(),
              absl::StatusCode::kResourceExhausted);
  }
  EXPECT_EQ(ReadJson("{}", {.spec = StructuredTensorSpec(Shape({2, 2}), {})}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadJson("{}", {.spec = StructuredTensorSpec(Shape(), {})}).status().code(), absl::StatusCode::kInvalidArgument);
}

// Against Constant(), which reads nested values in another way.
NestedValue Random(std::mt19937& random, int type) {
  switch (type) {
    case 0:
      return static_cast<int64_t>(random()) - static_cast<int64_t>(random());
    case 1:
      return static_cast<double>(random()) / 7;
    case 2:
      return std::string(random() % 40, static_cast<char>('"' - 3 + static_cast<int>(random() % 5))) + "ü\\";
    case 3:
      return random() % 2 == 0;
    case 4: {
      List list;
      for (size_t i = random() % 4; i > 0; --i) list.push_back(Random(random, 0));
      return list;
    }
    case 5: {
      List list;
      for (size_t i = random() % 4; i > 0; --i) list.push_back(Dict{{"x", Random(random, 4)}, {"y\n", Random(random, 2)}});
      return list;
    }
    default:
      return Dict{{"in", Random(random, 5)}, {"n", Random(random, 1)}};
  }
}

TEST(ReadJson, AgreesWithConstant) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    List rows;
    for (size_t i = 1 + random() % 5; i > 0; --i) {
      Dict row;
      for (int type = 0; type < 7; ++type) row.emplace_back(absl::StrCat("f", type), Random(random, type));
      rows.emplace_back(std::move(row));
    }
    const Value expected = Constant(rows).value();
    const StructuredTensor read = Read(Lines(*expected.structured()));
    EXPECT_EQ(Lines(read), Lines(*expected.structured()));
    EXPECT_EQ(Lines(Read(ToJson(expected))), Lines(read));
    JsonReadOptions options = To(expected.spec().WithUnknownSizes());
    EXPECT_EQ(Value(Read(Lines(read), options)), expected) << seed;
  }
}

// Whatever is cut or changed gives rows or an error.
TEST(ReadJson, DamagedTextIsReadOrRefused) {
  const std::string text = R"({"a": 1, "b": [1.5, null, {"c": "x\u00e9y"}], "d": {"e": {}}}
{"a": -1e5, "b": [], "d": {"e": {"f": [[], [[true]]]}}})";
  const auto both = [](const std::string& damaged) {
    for (const Layout layout : {Layout::kAuto, Layout::kLines, Layout::kDocument}) {
      const absl::StatusOr<JsonRows> read = ReadJson(damaged, {.layout = layout});
      const absl::StatusOr<JsonRows> skipped =
          ReadJson(damaged, {.layout = layout, .on_error = JsonReadOptions::OnError::kSkip});
      ASSERT_TRUE(skipped.ok()) << damaged;
      EXPECT_EQ(read.ok(), skipped->errors.empty()) << damaged;
      if (read.ok()) {
        EXPECT_EQ(Lines(read->rows), Lines(skipped->rows)) << damaged;
      }
    }
  };
  for (size_t i = 0; i < text.size(); ++i) both(text.substr(0, i));
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = text;
    for (size_t changes = 1 + random() % 3; changes > 0; --changes) {
      const size_t place = random() % damaged.size();
      constexpr std::string_view kBytes = "{}[]\",:\\0123.eE+- \n\tntf\xc3\xff";
      if (random() % 3 == 0) {
        damaged.erase(place, 1 + random() % 4);
        if (damaged.empty()) break;
      } else {
        damaged[place] = kBytes[random() % kBytes.size()];
      }
    }
    both(damaged);
  }
}

// Rows of one shape, then rows of another: threads read about one shape each, and their columns have to fit together as if one
// thread had read all.
TEST(ReadJson, ThreadsReadWhatOneThreadReads) {
  constexpr std::string_view kRows[] = {
      R"({"a": 1, "b": [1, 2], "c": {"d": "x"}})",
      R"({"a": -1})",
      R"({"a": 2.5, "b": []})",
      R"({"a": null, "c": null, "b": null})",
      R"({"a": 9007199254740993})",
      R"({"a": 18446744073709551615})",
      R"({"a": "text \u00e9", "new": {"er": [null, {"est": true}]}})",
      R"({"a": true})",
      R"({"c": {"d": null, "e": [[], [3]]}, "b": [null]})",
      R"({"c": {"d": "2024-05-01T00:00:00Z"}, "a": 0})",
      R"({"b": [0.5, 1], "z": {}})",
      R"({"b": 1})",
      R"({})",
      R"({"a": 1, "a": 2})",
      "this is not JSON",
  };
  constexpr size_t kBytesOfShape = 300 << 10;
  const auto repeated = [](std::string_view row) {
    std::string text;
    while (text.size() < kBytesOfShape) absl::StrAppend(&text, absl::string_view(row.data(), row.size()), "\n");
    return text;
  };
  for (const std::string_view first : kRows) {
    for (const std::string_view second : kRows) {
      const std::string text = repeated(first) + repeated(second);
      JsonReadOptions options = {.layout = Layout::kLines, .infer_timestamps = true};
      const absl::StatusOr<JsonRows> one = ReadJson(text, options);
      options.threads = 4;
      const absl::StatusOr<JsonRows> several = ReadJson(text, options);
      ASSERT_EQ(several.status(), one.status()) << first << second;
      if (!one.ok()) continue;
      EXPECT_EQ(TypeSpec(several->rows.spec()).TreeString(), TypeSpec(one->rows.spec()).TreeString()) << first << second;
      EXPECT_TRUE(Value(several->rows) == Value(one->rows)) << first << second;
      // To the type of the first rows.
      options.spec = *TypeSpec(one->rows.SliceRows(0, 1).spec()).WithUnknownSizes().structured();
      options.on_error = JsonReadOptions::OnError::kSkip;
      const absl::StatusOr<JsonRows> skipped = ReadJson(text, options);
      options.threads = 1;
      const absl::StatusOr<JsonRows> expected = ReadJson(text, options);
      ASSERT_EQ(skipped.status(), expected.status()) << first << second;
      EXPECT_TRUE(Value(skipped->rows) == Value(expected->rows)) << first << second;
      EXPECT_EQ(skipped->errors.size(), expected->errors.size()) << first << second;
    }
  }
}

TEST(ReadJson, NumbersOfThreads) {
  for (const int threads : {0, -1}) EXPECT_THAT(Error("{}", {.threads = threads}), HasSubstr("threads="));
  EXPECT_THAT(Error("{}", {.layout = static_cast<Layout>(3)}), HasSubstr("`layout=3`: expected "));
  EXPECT_THAT(Error("{}", {.on_error = static_cast<JsonReadOptions::OnError>(2)}), HasSubstr("`on_error=2`: expected "));
  std::string text;
  while (text.size() < (1 << 20)) text += "{\"a\":[1,2,3]}\n";
  for (const int threads : {1, 2, 3, 1000, 0x7fffffff}) EXPECT_EQ(Lines(Read(text, {.threads = threads})), text);
  text.pop_back();  // the last line has no end
  EXPECT_EQ(Lines(Read(text, {.threads = 3})), text + "\n");
  // One line that is longer than all parts.
  EXPECT_EQ(Read("{\"a\": \"" + std::string(2 << 20, 'x') + "\"}\n", {.layout = Layout::kLines, .threads = 4}).nrows(), 1);
}

}  // namespace
}  // namespace structtensor
