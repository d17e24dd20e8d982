#include "runner.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "absl/status/status.h"
#include "parse_line.h"
#include "structtensor/tensor/values/tensor.h"

namespace structtensor::vectors {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Operations whose answers need no input.
Registry TestOps() {
  Registry ops;
  ops["one_two"] = [](const Case&) -> absl::StatusOr<Result> { return Value(Tensor::FromVector<int32_t>({1, 2})); };
  ops["answer"] = [](const Case&) -> absl::StatusOr<Result> { return Json(42); };
  ops["echo_spec"] = [](const Case& one) -> absl::StatusOr<Result> { return SpecText{one.args.at("spec").get<std::string>()}; };
  ops["uniform"] = [](const Case&) -> absl::StatusOr<Result> { return *RowPartition::FromUniformRowLength(2, 2); };
  ops["not_found"] = [](const Case&) -> absl::StatusOr<Result> { return absl::NotFoundError("no"); };
  ops["out_of_range"] = [](const Case&) -> absl::StatusOr<Result> { return absl::OutOfRangeError("too far"); };
  ops["internal"] = [](const Case&) -> absl::StatusOr<Result> { return absl::InternalError("our mistake"); };
  return ops;
}

std::string RunLines(const std::string& lines, const RunOptions& options = {}) {
  std::istringstream in(lines);
  std::ostringstream out;
  const Counts counts = RunVectors(in, TestOps(), options, out);
  return out.str() + (counts.ok() ? "ok" : "not ok");
}

// A case of that operation and goal, which is written as JSON members.
std::string CaseOf(const std::string& op, const std::string& goal, const std::string& args = "{}") {
  return R"({"name": "t/)" + op + R"(", "op": ")" + op + R"(", "input": null, "args": )" + args + ", " + goal + "}\n";
}

TEST(RunVectorsTest, CountsWhatAgrees) {
  EXPECT_EQ(RunLines(CaseOf("one_two", R"("expected": {"kind": "tensor", "dtype": "int32", "shape": [2], "values": [1, 2]})") +
                     CaseOf("answer", R"("expected": {"kind": "py", "value": 42})")),
            "2 passed, 0 failed\nok");
}

TEST(RunVectorsTest, WrongElementFails) {
  EXPECT_EQ(RunLines(CaseOf("one_two", R"("expected": {"kind": "tensor", "dtype": "int32", "shape": [2], "values": [1, 3]})")),
            "t/one_two: .values, element 1: expected 3, found 2\n0 passed, 1 failed\nnot ok");
}

TEST(RunVectorsTest, WrongDTypeFails) {
  EXPECT_EQ(RunLines(CaseOf("one_two", R"("expected": {"kind": "tensor", "dtype": "int64", "shape": [2], "values": [1, 2]})")),
            "t/one_two: .dtype: expected \"int64\", found \"int32\"\n0 passed, 1 failed\nnot ok");
}

TEST(RunVectorsTest, IntegersBeyond64BitsAreNoFloats) {
  EXPECT_EQ(ParseLine(R"({"a": [18446744073709551615, -9223372036854775808, 1e30, "\"18446744073709551616"]})").dump(),
            R"({"a":[18446744073709551615,-9223372036854775808,1e+30,"\"18446744073709551616"]})");
  EXPECT_EQ(ParseLine("[18446744073709551616, -9223372036854775809]").dump(),
            R"([{"$int":"18446744073709551616"},{"$int":"-9223372036854775809"}])");
  EXPECT_TRUE(ParseLine("{\"a").is_discarded());
  EXPECT_TRUE(ParseLine("-").is_discarded());
}

TEST(RunVectorsTest, RefusalsOfNamesPassWithAValueOnly) {
  EXPECT_THAT(RunLines(CaseOf("not_found",
                              R"("error": {"class": "ValueError", "message": "Field name 'a b' is not currently allowed."})")),
              HasSubstr("0 passed"));
  EXPECT_THAT(RunLines(CaseOf("answer",
                              R"("error": {"class": "ValueError", "message": "Field name 'a b' is not currently allowed."})")),
              HasSubstr("1 passed"));
  EXPECT_THAT(
      RunLines(CaseOf("answer", R"("error": {"class": "ValueError", "message": "Field name '' is not currently allowed."})")),
      HasSubstr("0 passed"));
}

TEST(RunVectorsTest, IntegerIsNoFloat) {
  EXPECT_THAT(RunLines(CaseOf("answer", R"("expected": {"kind": "py", "value": 42.0})")),
              HasSubstr("0 passed, 1 failed\nnot ok"));
}

TEST(RunVectorsTest, DenseMayMeetRaggedOfTheSameValues) {
  const std::string ragged = R"("expected": {"kind": "ragged", "dtype": "int32", "shape": [1, null], "row_splits": [[0, 2]],
      "row_splits_dtype": "int64", "uniform_row_lengths": [null],
      "flat_values": {"kind": "tensor", "dtype": "int32", "shape": [2], "values": [1, 2]}})";
  std::string one_line = CaseOf("row", ragged);
  one_line.erase(std::remove(one_line.begin(), one_line.end() - 1, '\n'), one_line.end() - 1);
  Registry ops;
  ops["row"] = [](const Case&) -> absl::StatusOr<Result> {
    return Value(Tensor::FromVector<int32_t>({1, 2}).Reshape(Shape({1, 2})));
  };
  std::istringstream in(one_line);
  std::ostringstream out;
  RunVectors(in, ops, {.filter = "", .op = "", .verbose = true}, out);
  EXPECT_THAT(out.str(), HasSubstr("dense where TensorFlow is ragged, or the other way round: 1\n  t/row\n"));
  EXPECT_THAT(out.str(), HasSubstr("1 passed, 0 failed\n"));
}

TEST(RunVectorsTest, OperationsOfPythonDoNotRun) {
  std::istringstream in(R"({"name": "t/a", "op": "convert", "expected": {"kind": "py", "value": 1}})");
  Registry ops;
  ops["convert"] = nullptr;
  std::ostringstream out;
  const Counts counts = RunVectors(in, ops, {}, out);
  EXPECT_FALSE(counts.ok());
  EXPECT_EQ(counts.not_run, 1);
  EXPECT_EQ(out.str(), "0 passed, 0 failed, 1 not run: only Python has their operations\n");
}

TEST(RunVectorsTest, MayKnowMoreOfAPartition) {
  const std::string rest = R"("dtype": "int64", "nrows": 2, "nvals": 4, "row_splits": [0, 2, 4])";
  EXPECT_THAT(
      RunLines(CaseOf("uniform", R"("expected": {"kind": "rowpart", "static": [2, null, null], "uniform_row_length": null, )" +
                                     rest + "}")),
      HasSubstr("1 passed, 0 failed"));
  EXPECT_THAT(RunLines(CaseOf(
                  "uniform", R"("expected": {"kind": "rowpart", "static": [2, 4, 3], "uniform_row_length": 3, )" + rest + "}")),
              HasSubstr("0 passed, 1 failed"));
}

TEST(RunVectorsTest, SpecWithoutAValueIsExact) {
  const std::string expected = R"x("expected": {"kind": "spec", "value": "Tensor(shape=[None], dtype=int32)"})x";
  EXPECT_THAT(RunLines(CaseOf("echo_spec", expected, R"x({"spec": "Tensor(shape=[None], dtype=int32)"})x")),
              HasSubstr("1 passed"));
  EXPECT_THAT(RunLines(CaseOf("echo_spec", expected, R"x({"spec": "Tensor(shape=[3], dtype=int32)"})x")),
              HasSubstr("t/echo_spec: .shape[0]: expected null, found 3\n0 passed, 1 failed"));
}

TEST(RunVectorsTest, ErrorsAreOfAKind) {
  const auto error = [](const std::string& name) { return R"("error": {"class": ")" + name + R"(", "message": "m"})"; };
  EXPECT_THAT(RunLines(CaseOf("out_of_range", error("IndexError"))), HasSubstr("1 passed, 0 failed"));
  EXPECT_THAT(RunLines(CaseOf("not_found", error("IndexError"))), HasSubstr("0 passed, 1 failed"));
  EXPECT_THAT(RunLines(CaseOf("not_found", error("KeyError"))), HasSubstr("1 passed, 0 failed"));
  EXPECT_THAT(RunLines(CaseOf("out_of_range", error("KeyError"))), HasSubstr("0 passed, 1 failed"));
  EXPECT_THAT(RunLines(CaseOf("not_found", error("ValueError"))), HasSubstr("1 passed, 0 failed"));
  EXPECT_THAT(RunLines(CaseOf("internal", error("ValueError"))), HasSubstr("0 passed, 1 failed"));
  EXPECT_THAT(RunLines(CaseOf("one_two", error("ValueError"))), HasSubstr("0 passed, 1 failed"));
}

TEST(RunVectorsTest, AnyOutcomePassesWhereTensorFlowFailsByAccident) {
  const std::string accident = R"("policy": "exceed", "error": {"class": "AttributeError", "message": "m"})";
  EXPECT_THAT(RunLines(CaseOf("one_two", accident) + CaseOf("internal", accident)), HasSubstr("2 passed, 0 failed"));
}

TEST(RunVectorsTest, DerivedValueCounts) {
  const std::string derived = R"("policy": "exceed", "error": {"class": "ValueError", "message": "m"}, )"
                              R"("derived": {"kind": "py", "value": 41})";
  EXPECT_THAT(RunLines(CaseOf("answer", derived)), HasSubstr("expected 41, found 42\n0 passed, 1 failed"));
}

TEST(RunVectorsTest, UnknownOperationFails) {
  EXPECT_EQ(RunLines(CaseOf("fly", R"("expected": {"kind": "py", "value": 1})")),
            "t/fly: unknown operation `fly`\n0 passed, 1 failed\nnot ok");
}

TEST(RunVectorsTest, MalformedLinesFailWithTheirNumbers) {
  EXPECT_EQ(RunLines(CaseOf("answer", R"("expected": {"kind": "py", "value": 42})") + "\n{\"name\": \"cut\n[]\n"),
            "line 3: not a case: expected a JSON object with `name` and `op`\n"
            "line 4: not a case: expected a JSON object with `name` and `op`\n"
            "1 passed, 2 failed\nnot ok");
  EXPECT_THAT(RunLines(CaseOf("answer", R"("other": 1)")), HasSubstr("neither `expected` nor `error`\n0 passed, 1 failed"));
  EXPECT_THAT(RunLines(CaseOf("one_two", R"("expected": {"kind": "tensor"})")), HasSubstr("line 1: malformed case"));
}

TEST(RunVectorsTest, NothingRunIsNoSuccess) {
  EXPECT_EQ(RunLines(""), "0 passed, 0 failed\nnot ok");
  const std::string good = CaseOf("answer", R"("expected": {"kind": "py", "value": 42})");
  EXPECT_EQ(RunLines(good, {.filter = "else", .op = "", .verbose = false}), "0 passed, 0 failed\nnot ok");
  EXPECT_EQ(RunLines(good, {.filter = "", .op = "one_two", .verbose = false}), "0 passed, 0 failed\nnot ok");
}

}  // namespace
}  // namespace structtensor::vectors
