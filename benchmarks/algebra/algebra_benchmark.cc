// Our half of algebra_vs_tensorflow.py. The script drives it: it reads one command from each line, and answers with a line of
// JSON.
//
//   rows N        makes N structs                         0
//   columns OP    {field path: nested list} of the result of OP, for all fields that are not structs
//   time OP       microseconds of one call of OP
//
// {"error": ...} if a command is wrong. The structs are made from numbers that look random:
//   {id: int32, name: string, items: [{sku: int32, weights: [float]}], geo: {lat: float, lon: float}, tags: [string]}
#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/buffer.h"
#include "structtensor/core/base/shared/json_string.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/ops/gather.h"
#include "structtensor/tensor/ops/shared/concat_rows.h"
#include "structtensor/tensor/struct_ops/broadcast.h"
#include "structtensor/tensor/struct_ops/promote.h"
#include "structtensor/tensor/struct_ops/with_updates.h"
#include "structtensor/tensor/values/from_fields.h"
#include "structtensor/tensor/values/index.h"
#include "structtensor/tensor/values/text.h"
#include "structtensor/tensor/values/value.h"

namespace {

using structtensor::Buffer;
using structtensor::Field;
using structtensor::Key;
using structtensor::Path;
using structtensor::RaggedTensor;
using structtensor::RowPartition;
using structtensor::Shape;
using structtensor::StructuredTensor;
using structtensor::Tensor;
using structtensor::Update;
using structtensor::Value;

// The shortest duration of one measurement.
constexpr auto kTurn = std::chrono::milliseconds(30);

// Number i of the sequence `salt`. The script computes the same numbers. Source: splitmix64 (Steele, Lea, Flood 2014).
int64_t Below(int64_t i, uint64_t salt, uint64_t limit) {
  uint64_t z = static_cast<uint64_t>(i) + (salt << 40) + 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return static_cast<int64_t>((z ^ (z >> 31)) % limit);
}

template <typename T>
Tensor Numbers(int64_t count, uint64_t salt, uint64_t limit, double scale = 1) {
  std::vector<T> numbers;
  numbers.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<T>(static_cast<double>(Below(i, salt, limit)) * scale));
  return Tensor::FromVector(std::move(numbers));
}

Tensor Strings(std::string_view prefix, int64_t count, uint64_t salt) {
  std::vector<std::string> strings;
  strings.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) strings.push_back(absl::StrCat(structtensor::ToAbsl(prefix), Below(i, salt, 1000)));
  return Tensor::FromVector(strings);
}

// nrows rows, each with fewer than `limit` values.
RowPartition Rows(int64_t nrows, uint64_t salt, uint64_t limit) {
  std::vector<int64_t> splits = {0};
  splits.reserve(static_cast<size_t>(nrows) + 1);
  for (int64_t i = 0; i < nrows; ++i) splits.push_back(splits.back() + Below(i, salt, limit));
  return RowPartition::FromRowSplitsUnchecked(Buffer<int64_t>::FromVector(std::move(splits)));
}

Value Grouped(const RowPartition& rows, Tensor values) {
  return structtensor::WithOuterPartition(rows, Value(std::move(values)));
}

StructuredTensor MakeStructs(int64_t nrows) {
  const RowPartition item_rows = Rows(nrows, 3, 4), tag_rows = Rows(nrows, 9, 3);
  const int64_t nitems = item_rows.nvals();
  const RowPartition weight_rows = Rows(nitems, 5, 3);
  const StructuredTensor items =
      StructuredTensor::Create({item_rows}, nitems,
                               {Field{"sku", Numbers<int32_t>(nitems, 4, 1000000)},
                                Field{"weights", Grouped(weight_rows, Numbers<float>(weight_rows.nvals(), 6, 4096, 0.25))}});
  const StructuredTensor geo = StructuredTensor::Create(
      {}, nrows, {Field{"lat", Numbers<float>(nrows, 7, 4096, 0.25)}, Field{"lon", Numbers<float>(nrows, 8, 4096, 0.25)}});
  return StructuredTensor::Create(
      {}, nrows,
      {Field{"id", Numbers<int32_t>(nrows, 1, 1000000)}, Field{"name", Strings("user", nrows, 2)}, Field{"items", items},
       Field{"geo", geo}, Field{"tags", Grouped(tag_rows, Strings("tag", tag_rows.nvals(), 10))}});
}

// The values that the operations work on.
struct Inputs {
  int64_t nrows;
  StructuredTensor structs;
  Value indices;
  Value mask;

  explicit Inputs(int64_t n)
      : nrows(n),
        structs(MakeStructs(n)),
        indices(Numbers<int64_t>(n, 11, static_cast<uint64_t>(n))),
        mask(Numbers<uint8_t>(n, 12, 2)) {}
};

using Op = std::function<absl::StatusOr<Value>(const Inputs&)>;

absl::StatusOr<Value> ToValue(absl::StatusOr<StructuredTensor> structs) {
  if (!structs.ok()) return structs.status();
  return Value(*std::move(structs));
}

absl::StatusOr<Value> WithUpdates(const Inputs& in) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(Value lon, in.structs.field_value("geo.lon"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(Value sku, in.structs.field_value("items.sku"));
  return ToValue(structtensor::WithUpdates(
      in.structs, {Update::Set(Path{"geo", "lat"}, std::move(lon)), Update::Set(Path{"items", "copy"}, std::move(sku)),
                   Update::Delete(Path{"name"})}));
}

const std::map<std::string, Op>& Ops() {
  static const auto& ops = *new std::map<std::string, Op>{
      {"identity", [](const Inputs& in) -> absl::StatusOr<Value> { return Value(in.structs); }},
      {"slice", [](const Inputs& in) { return Index(in.structs, {Key::Range(in.nrows / 4, 3 * (in.nrows / 4))}); }},
      {"gather", [](const Inputs& in) { return Gather(in.structs, in.indices); }},
      {"concat",
       [](const Inputs& in) {
         const Value twice[] = {in.structs, in.structs};
         return structtensor::ops_internal::ConcatRows(twice);
       }},
      {"promote",
       [](const Inputs& in) {
         return ToValue(Promote(in.structs, Path{"items", "sku"}, Path{"skus"}));
       }},
      {"broadcast",
       [](const Inputs& in) {
         return ToValue(Broadcast(in.structs, Path{"id"}, Path{"items", "id"}));
       }},
      {"with_updates", WithUpdates},
      {"boolean_mask", [](const Inputs& in) { return BooleanMask(in.structs, in.mask); }},
  };
  return ops;
}

void AppendColumns(const Value& value, const std::string& path, std::string& json) {
  const StructuredTensor* structs = value.structured();
  if (structs == nullptr) {
    absl::StrAppend(&json, json.empty() ? "" : ",", "\"", path, "\":", ToJson(value));
    return;
  }
  for (size_t i = 0; i < structs->num_fields(); ++i) {
    const std::string& name = structs->field_names()[i];
    AppendColumns(structs->field_value(i), path.empty() ? name : absl::StrCat(path, ".", name), json);
  }
}

absl::StatusOr<double> MicrosecondsPerCall(const Op& op, const Inputs& inputs) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  Clock::duration elapsed{};
  // The clock is read after 1, 2, 4, ... more calls, so that reading it does not matter for short calls.
  int64_t calls = 0;
  for (int64_t more = 1; elapsed < kTurn; more *= 2) {
    for (int64_t i = 0; i < more; ++i) {
      const absl::StatusOr<Value> result = op(inputs);
      if (!result.ok()) return result.status();
    }
    calls += more;
    elapsed = Clock::now() - begin;
  }
  return std::chrono::duration<double, std::micro>(elapsed).count() / static_cast<double>(calls);
}

class Session {
 public:
  absl::StatusOr<std::string> Answer(const std::string& line) {
    std::istringstream words(line);
    std::string command, argument;
    words >> command >> argument;
    if (command == "rows") {
      int64_t nrows;
      if (!absl::SimpleAtoi(argument, &nrows) || nrows < 1) return absl::InvalidArgumentError("expected a number of rows");
      inputs_ = std::make_unique<Inputs>(nrows);
      return "0";
    }
    const auto op = Ops().find(argument);
    if (op == Ops().end() || inputs_ == nullptr) return absl::InvalidArgumentError("expected `rows N`, then an operation");
    if (command == "time") {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const double microseconds, MicrosecondsPerCall(op->second, *inputs_));
      return absl::StrCat(microseconds);
    }
    if (command != "columns") return absl::InvalidArgumentError("unknown command");
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value result, op->second(*inputs_));
    std::string json;
    AppendColumns(result, "", json);
    return absl::StrCat("{", json, "}");
  }

 private:
  std::unique_ptr<Inputs> inputs_;
};

}  // namespace

int main() {
  Session session;
  for (std::string line; std::getline(std::cin, line);) {
    const absl::StatusOr<std::string> answer = session.Answer(line);
    if (answer.ok()) {
      std::cout << *answer << std::endl;
    } else {
      std::string message;
      structtensor::AppendJsonString(answer.status().ToString(), message);
      std::cout << "{\"error\": " << message << "}" << std::endl;
    }
  }
}
