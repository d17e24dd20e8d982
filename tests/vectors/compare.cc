#include "compare.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "codec.h"
#include "spec_tree.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::vectors {
namespace {

std::string Shortened(const Json& json) {
  constexpr size_t kMaxBytes = 300;
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kMaxBytes) text = text.substr(0, kMaxBytes) + "...";
  return text;
}

std::string KindOf(const Json& json) {
  const auto kind = json.is_object() ? json.find("kind") : json.end();
  return json.is_object() && kind != json.end() && kind->is_string() ? kind->get<std::string>() : "";
}

bool IsArrayKind(const std::string& kind) { return kind == "tensor" || kind == "ragged"; }

// A dense or ragged tensor with every axis after axis 0 as row splits, so that it does not matter how an axis was stored.
struct Array {
  std::vector<std::vector<int64_t>> row_splits;
  std::vector<Json> elements;
};

void AppendElements(const Json& nested, size_t rank, std::vector<Json>& elements) {
  if (rank == 0) {
    elements.push_back(nested);
    return;
  }
  for (const Json& row : nested) AppendElements(row, rank - 1, elements);
}

Array ArrayFromDump(const Json& dump) {
  Array array;
  const bool ragged = dump.at("kind") == "ragged";
  if (ragged) array.row_splits = dump.at("row_splits").get<std::vector<std::vector<int64_t>>>();
  const Json& flat = ragged ? dump.at("flat_values") : dump;
  const auto shape = flat.at("shape").get<std::vector<int64_t>>();
  int64_t nrows = shape.empty() ? 1 : shape[0];
  for (size_t axis = 1; axis < shape.size(); ++axis) {
    std::vector<int64_t> splits;
    for (int64_t i = 0; i <= nrows; ++i) splits.push_back(i * shape[axis]);
    array.row_splits.push_back(std::move(splits));
    nrows *= shape[axis];
  }
  AppendElements(flat.at("values"), shape.size(), array.elements);
  return array;
}

bool IsFloat(const Json& json) { return json.is_number_float() || (json.is_object() && json.contains("$float")); }

double FloatOf(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const std::string text = json.at("$float").get<std::string>();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  throw std::invalid_argument("not a float: " + text);  // caught where cases are run
}

// Compares bit for bit, except that all NaNs are equal.
template <typename T>
bool SameFloat(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

bool NearFloat(double a, double b, double tolerance) {
  if (SameFloat(a, b) || a == b) return true;
  // TensorFlow takes some variances as differences, which leaves noise where the answer is 0.
  constexpr double kNoise = 1e-7;
  const double distance = std::abs(a - b);
  return distance <= kNoise || distance <= tolerance * std::max(std::abs(a), std::abs(b));
}

std::vector<std::string> SortedLines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

std::string Difference::DebugString() const { return absl::StrCat(path, ": expected ", expected, ", found ", found); }

void Comparison::Add(const std::string& path, const Json& expected, const Json& found) {
  differences_.push_back({path.empty() ? "value" : path, Shortened(expected), Shortened(found)});
}

void Comparison::CompareDumps(const Json& expected, const Json& found, const std::string& path) {
  const std::string kind = KindOf(expected), found_kind = KindOf(found);
  if (IsArrayKind(kind) && IsArrayKind(found_kind)) {
    CompareArrays(expected, found, path);
  } else if (kind == "py" && found_kind == "list" && found.at("items").empty()) {
    ComparePy(expected.at("value"), Json::array(), path);
  } else if (kind == "list" && expected.at("items").empty() && found == Json{{"kind", "py"}, {"value", Json::array()}}) {
    return;
  } else if (kind != found_kind) {
    Add(path + ".kind", kind, found);
  } else if (kind == "structured") {
    CompareStructs(expected, found, path);
  } else if (kind == "list") {
    CompareLists(expected, found, path);
  } else if (kind == "py") {
    ComparePy(expected.at("value"), found.at("value"), path);
  } else if (kind == "spec") {
    CompareSpecs(expected.at("value").get<std::string>(), found.at("value").get<std::string>(), path);
  } else {
    CompareMembers(expected, found, path);  // rowpart, shape, sparse
  }
}

// Members of a dump whose kind has no rules of its own.
void Comparison::CompareMembers(const Json& expected, const Json& found, const std::string& path) {
  for (const auto& [name, value] : expected.items()) {
    const std::string member = absl::StrCat(path, ".", name);
    if (!found.contains(name)) {
      Add(member, value, "nothing");
    } else if (name == "dtype") {
      if (options_.compare_splits_dtype && value != found[name]) Add(member, value, found[name]);
    } else if (name == "static" || name == "static_shape" || name == "static_lengths" || name == "uniform_row_length") {
      CompareKnown(value, found[name], member);
    } else if (!KindOf(value).empty()) {
      CompareDumps(value, found[name], member);
    } else if (value != found[name]) {
      Add(member, value, found[name]);
    }
  }
}

void Comparison::CompareKnown(const Json& expected, const Json& found, const std::string& path) {
  if (expected.is_array() && found.is_array() && expected.size() == found.size()) {
    for (size_t i = 0; i < expected.size(); ++i) CompareKnown(expected[i], found[i], absl::StrCat(path, "[", i, "]"));
  } else if (!expected.is_null() && expected != found) {
    Add(path, expected, found);
  }
}

void Comparison::CompareArrays(const Json& expected, const Json& found, const std::string& path) {
  if (expected.at("dtype") != found.at("dtype")) return Add(path + ".dtype", expected["dtype"], found["dtype"]);
  const size_t differences_before = differences_.size();
  CompareKnown(expected.at("shape"), found.at("shape"), path + ".shape");
  if (expected["shape"].size() != found["shape"].size()) return;

  const Array want = ArrayFromDump(expected), have = ArrayFromDump(found);
  for (size_t i = 0; i < want.row_splits.size(); ++i) {
    const std::string splits_path = absl::StrCat(path, ".row_splits[", i, "]");
    if (want.row_splits[i] != have.row_splits[i]) return Add(splits_path, want.row_splits[i], have.row_splits[i]);
  }
  if (want.elements.size() != have.elements.size()) return Add(path + ".values", want.elements, have.elements);
  const auto dtype = expected["dtype"].get<std::string>();
  for (size_t i = 0; i < want.elements.size(); ++i) {
    if (!EqualElements(want.elements[i], have.elements[i], dtype)) {
      return Add(absl::StrCat(path, ".values, element ", i), want.elements[i], have.elements[i]);
    }
  }

  const bool ragged = expected["kind"] == "ragged", found_ragged = found["kind"] == "ragged";
  if (ragged && found_ragged && options_.compare_splits_dtype &&
      expected.at("row_splits_dtype") != found.at("row_splits_dtype") && found["row_splits_dtype"] != struct_splits_dtype_) {
    Add(path + ".row_splits_dtype", expected["row_splits_dtype"], found["row_splits_dtype"]);
  }
  const size_t partitions = ragged ? expected.at("row_splits").size() : 0;
  const size_t found_partitions = found_ragged ? found.at("row_splits").size() : 0;
  if (differences_.size() == differences_before && partitions != found_partitions) met_other_kind_ = true;
}

bool Comparison::EqualElements(const Json& expected, const Json& found, std::string_view dtype) const {
  const bool is_float32 = dtype == "float32" || dtype == "float16" || dtype == "bfloat16";
  if ((!is_float32 && dtype != "float64") || expected.is_null() || found.is_null()) return expected == found;
  const double want = FloatOf(expected), have = FloatOf(found);
  if (options_.approximate_floats && NearFloat(want, have, is_float32 ? 1e-6 : 1e-12)) return true;
  return is_float32 ? SameFloat(static_cast<float>(want), static_cast<float>(have)) : SameFloat(want, have);
}

void Comparison::CompareStructs(const Json& expected, const Json& found, const std::string& path) {
  CompareKnown(expected.at("shape"), found.at("shape"), path + ".shape");
  if (expected.at("nrows") != found.at("nrows")) Add(path + ".nrows", expected["nrows"], found["nrows"]);
  if (options_.compare_splits_dtype && expected.at("shape_dtype") != found.at("shape_dtype")) {
    Add(path + ".shape_dtype", expected["shape_dtype"], found["shape_dtype"]);
  }
  CompareRowPartitions(expected.at("row_partitions"), found.at("row_partitions"), path + ".row_partitions");
  const std::string outer_splits_dtype =
      std::exchange(struct_splits_dtype_, expected["shape"].size() < 2 ? "" : expected["shape_dtype"].get<std::string>());
  const Json &fields = expected.at("fields"), &found_fields = found.at("fields");
  for (const auto& [name, field] : fields.items()) {
    const std::string field_path = absl::StrCat(path, ".fields.", name);
    if (found_fields.contains(name)) {
      CompareDumps(field, found_fields[name], field_path);
    } else {
      Add(field_path, field, "no such field");
    }
  }
  for (const auto& [name, field] : found_fields.items()) {
    if (!fields.contains(name)) Add(absl::StrCat(path, ".fields.", name), "no such field", field);
  }
  struct_splits_dtype_ = outer_splits_dtype;
}

// Of a struct: only the rows and what is known of them.
void Comparison::CompareRowPartitions(const Json& expected, const Json& found, const std::string& path) {
  if (expected.empty() && std::all_of(found.begin(), found.end(),
                                      [](const Json& partition) { return !partition.at("uniform_row_length").is_null(); })) {
    met_other_kind_ |= !found.empty();
    return;
  }
  if (expected.size() != found.size()) return Add(path, expected, found);
  for (size_t i = 0; i < expected.size(); ++i) {
    const std::string partition = absl::StrCat(path, "[", i, "]");
    if (expected[i].at("row_splits") != found[i].at("row_splits")) {
      Add(partition + ".row_splits", expected[i]["row_splits"], found[i]["row_splits"]);
    }
    CompareKnown(expected[i].at("uniform_row_length"), found[i].at("uniform_row_length"), partition + ".uniform_row_length");
  }
}

void Comparison::CompareLists(const Json& expected, const Json& found, const std::string& path) {
  const Json& items = expected.at("items");
  std::vector<Json> rest(found.at("items").begin(), found.at("items").end());
  if (items.size() != rest.size()) return Add(path + ".items", items, found["items"]);
  if (!options_.unordered) {
    for (size_t i = 0; i < items.size(); ++i) CompareDumps(items[i], rest[i], absl::StrCat(path, ".items[", i, "]"));
    return;
  }
  for (const Json& item : items) {
    const auto match = std::find_if(rest.begin(), rest.end(), [&](const Json& candidate) {
      Comparison attempt(options_);
      attempt.CompareDumps(item, candidate, "");
      if (!attempt.differences().empty()) return false;
      met_other_kind_ |= attempt.met_other_kind();
      return true;
    });
    if (match == rest.end()) return Add(path + ".items, in any order", item, rest);
    rest.erase(match);
  }
}

// A tensor in a tuple or dict of Python: TensorFlow's side has it as a dump or as its elements.
bool Comparison::CompareValueInPy(const Json& expected, const Json& found, const std::string& path) {
  const Json* pyval = KindOf(found).empty() ? nullptr : FindMember(found, "pyval");
  if (pyval == nullptr) return false;
  if (KindOf(expected).empty()) {
    ComparePyval(expected, *pyval, path);
  } else {
    CompareDumps(expected, found, path);
  }
  return true;
}

void Comparison::ComparePy(const Json& expected, const Json& found, const std::string& path) {
  if (CompareValueInPy(expected, found, path)) return;
  if (expected.is_string() && found.is_string() && options_.unordered) {
    if (SortedLines(expected.get<std::string>()) != SortedLines(found.get<std::string>())) Add(path, expected, found);
  } else if (expected.is_object() && found.is_object() && expected.size() == found.size()) {
    for (const auto& [name, value] : expected.items()) {
      const std::string member = absl::StrCat(path, ".", name);
      if (!found.contains(name)) {
        Add(member, value, "nothing");
      } else if (name == "spec" && value.is_string() && found[name].is_string()) {
        CompareSpecs(value.get<std::string>(), found[name].get<std::string>(), member);
      } else {
        ComparePy(value, found[name], member);
      }
    }
  } else {
    ComparePyval(expected, found, path);
  }
}

void Comparison::ComparePyval(const Json& expected, const Json& found, const std::string& path) {
  if (CompareValueInPy(expected, found, path)) return;
  if (expected.is_array() && found.is_array() && expected.size() == found.size()) {
    for (size_t i = 0; i < expected.size(); ++i) ComparePyval(expected[i], found[i], absl::StrCat(path, "[", i, "]"));
  } else if (IsFloat(expected) && IsFloat(found)) {
    const double want = FloatOf(expected), have = FloatOf(found);
    const bool near = options_.approximate_floats && NearFloat(want, have, 1e-6);
    // The element may be a 32-bit float. The two sides may print different numbers of digits.
    if (!near && !SameFloat(want, have) && !SameFloat(static_cast<float>(want), static_cast<float>(have))) {
      Add(path, expected, found);
    }
  } else if (expected.is_object() && found.is_object() && expected.size() == found.size()) {
    for (const auto& [name, value] : expected.items()) {
      const std::string member = absl::StrCat(path, ".", name);
      if (found.contains(name)) {
        ComparePyval(value, found[name], member);
      } else {
        Add(member, value, "nothing");
      }
    }
  } else if (expected != found || IsFloat(expected) != IsFloat(found)) {
    Add(path, expected, found);
  }
}

void Comparison::CompareSpecs(std::string_view expected, std::string_view found, const std::string& path) {
  const absl::StatusOr<Json> want = ParseSpecText(expected), have = ParseSpecText(found);
  if (want.ok() && have.ok()) return CompareSpecTrees(*want, *have, path);
  // Something else than a spec, such as nothing: letter by letter.
  if (expected != found) Add(path, std::string(expected), std::string(found));
}

void Comparison::CompareSpecTrees(const Json& expected, const Json& found, const std::string& path) {
  if (expected == found) return;
  const bool knows_size = found.is_number() || found.is_array();
  if (expected.is_null() && knows_size && !options_.exact_specs) return;
  if (expected.is_array() && found.is_array() && expected.size() == found.size()) {
    for (size_t i = 0; i < expected.size(); ++i) CompareSpecTrees(expected[i], found[i], absl::StrCat(path, "[", i, "]"));
    return;
  }
  if (!expected.is_object() || !found.is_object()) return Add(path, expected, found);

  const auto type = [](const Json& spec) { return spec.value("$type", std::string()); };
  const bool other_kind = !options_.exact_specs && type(expected) != type(found) &&
                          (type(expected) == "Tensor" || type(expected) == "Ragged") &&
                          (type(found) == "Tensor" || type(found) == "Ragged");
  met_other_kind_ |= other_kind;
  const bool has_axes = type(expected) == "Structured" && expected.contains("shape") && expected["shape"].size() >= 2;
  const std::string outer_splits_dtype = struct_splits_dtype_;
  if (type(expected) == "Structured") struct_splits_dtype_ = has_axes ? expected.value("shape_dtype", "") : "";
  for (const auto& [name, value] : expected.items()) {
    const bool of_kind = name == "$type" || name == "ragged_rank" || name == "row_splits_dtype";
    const std::string member = absl::StrCat(path, ".", name);
    if (other_kind && of_kind) continue;
    if (!found.contains(name)) {
      Add(member, value, "nothing");
    } else if (name == "row_splits_dtype" && found[name] == struct_splits_dtype_) {
      continue;
    } else if (name == "ragged_rank" && !options_.exact_specs) {
      met_other_kind_ |= value != found[name];
    } else if (name == "row_partitions" && value.empty() && !options_.exact_specs) {
      for (const Json& partition : found[name]) {
        if (partition.value("uniform_row_length", Json()).is_null()) Add(member, value, found[name]);
      }
    } else {
      CompareSpecTrees(value, found[name], member);
    }
  }
  for (const auto& [name, value] : found.items()) {
    const bool of_kind = name == "ragged_rank" || name == "row_splits_dtype";
    if (!expected.contains(name) && !(other_kind && of_kind)) Add(absl::StrCat(path, ".", name), "nothing", value);
  }
  struct_splits_dtype_ = outer_splits_dtype;
}

bool IsErrorLike(const Json& expected, const std::string& op, const absl::Status& status, std::string* wanted) {
  const auto one_of = [&](std::string_view words, std::initializer_list<absl::StatusCode> codes) {
    *wanted = std::string(words);
    return std::find(codes.begin(), codes.end(), status.code()) != codes.end();
  };
  using enum absl::StatusCode;
  const std::string name = expected.value("class", ""), message = expected.value("message", "");
  // Those make partitions from the arguments they index; a bad argument is what they have.
  const bool makes_partitions = op == "rt_from" || op == "rp";
  const bool names_index = absl::StartsWith(message, "slice index ") || absl::StartsWith(message, "Row key ") ||
                           absl::StrContains(message, " is not in [0, ");
  if (!makes_partitions && (name == "IndexError" || names_index)) return one_of("OutOfRange", {kOutOfRange});
  if (name == "KeyError") return one_of("NotFound or InvalidArgument", {kNotFound, kInvalidArgument});
  return one_of("InvalidArgument, NotFound, OutOfRange or FailedPrecondition",
                {kInvalidArgument, kNotFound, kOutOfRange, kFailedPrecondition});
}

}  // namespace structtensor::vectors
