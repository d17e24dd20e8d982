#include "structtensor/io/tf_example/infer_features.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/io/tf_example/internal/feature_columns.h"
#include "structtensor/io/tf_example/internal/feature_reader.h"
#include "structtensor/io/tf_example/internal/row_error.h"

namespace structtensor {
namespace {

using namespace tf_example_internal;  // NOLINT: everything in it is made for files like this one

// What the rows so far have shown of a feature.
struct Seen {
  FeatureKind kind = FeatureKind::kNone;
  int64_t row_of_kind = 0;  // the first row that showed the kind
  int64_t rows = 0;         // rows that have it; of a feature list, with or without steps
  int64_t last_row = -1;
  int64_t lists = 0;                  // lists of values: one for each row or step that has it
  int64_t shortest = 0, longest = 0;  // of those lists
};

using SeenFeatures = std::map<std::string, Seen, std::less<>>;

DType DTypeOfList(FeatureKind kind) {
  return kind == FeatureKind::kInt64 ? DType::kInt64 : kind == FeatureKind::kFloat ? DType::kFloat : DType::kBytes;
}

absl::Status WrongFeature(int64_t row, std::string_view key, int64_t byte_offset, std::string_view text) {
  return FeatureError({row, byte_offset, std::string(key), std::string(text)});
}

// Counts the values of a Feature.
absl::Status AddList(int64_t row, std::string_view key, std::string_view feature, std::string_view message, ListRules rules,
                     Seen& seen) {
  bool known;
  const FeatureKind kind = KindOf(feature, &known);
  if (!known) return WrongFeature(row, key, OffsetIn(message, feature), "it begins with no kind of list");
  int64_t count = 0;
  if (kind != FeatureKind::kNone) {
    if (seen.kind == FeatureKind::kNone) {
      seen.kind = kind;
      seen.row_of_kind = row;
    } else if (seen.kind != kind) {
      return absl::InvalidArgumentError(absl::StrCat("rows ", seen.row_of_kind, " and ", row, ": feature \"", ToAbsl(key),
                                                     "\": it has ", ToAbsl(KindName(seen.kind)), ", and ",
                                                     ToAbsl(KindName(kind))));
    }
    FeatureColumn values(DTypeOfList(kind));
    FeatureStream stream(feature.substr(1), EndOf(message));
    const ListProblem problem = values.AppendList(stream, rules);
    if (problem != ListProblem::kNone) return WrongFeature(row, key, OffsetIn(message, feature), TextOf(problem));
    count = values.size();
  }
  seen.shortest = seen.lists == 0 ? count : std::min(seen.shortest, count);
  seen.longest = std::max(seen.longest, count);
  ++seen.lists;
  return absl::OkStatus();
}

absl::Status AddFeatureList(int64_t row, std::string_view key, std::string_view list, std::string_view message, Seen& seen) {
  FeatureStream stream(list, EndOf(message));
  while (!stream.AtEnd()) {
    std::string_view feature;
    if (!stream.ExpectTag(LengthTag(1)) || !stream.ReadBytes(&feature)) {
      return WrongFeature(row, key, OffsetIn(message, list), "a step is damaged");
    }
    STRUCTTENSOR_RETURN_IF_ERROR(AddList(row, key, feature, message, ListRules::kSequenceExample, seen));
  }
  return absl::OkStatus();
}

// Returns the entry of `key`, or null if the row had this key already.
Seen* EntryOf(std::string_view key, int64_t row, SeenFeatures& features) {
  auto found = features.find(key);
  if (found == features.end()) found = features.emplace(std::string(key), Seen()).first;
  Seen& seen = found->second;
  if (seen.last_row == row) return nullptr;
  seen.last_row = row;
  ++seen.rows;
  return &seen;
}

// The shape of the values if every list has the same number of them.
Shape ShapeOf(const Seen& seen) { return seen.longest == 1 ? Shape() : Shape({seen.longest}); }

FeatureSpecs SpecsOf(int64_t nrows, const SeenFeatures& features) {
  FeatureSpecs specs;
  for (const auto& [key, seen] : features) {
    if (seen.kind == FeatureKind::kNone) continue;
    const DType dtype = DTypeOfList(seen.kind);
    const bool fixed = seen.rows == nrows && seen.shortest == seen.longest && seen.longest > 0;
    if (fixed) {
      specs.emplace_back(key, FixedLenFeature{.shape = ShapeOf(seen), .dtype = dtype});
    } else {
      specs.emplace_back(key, VarLenFeature{.dtype = dtype});
    }
  }
  return specs;
}

FeatureSpecs SpecsOfLists(int64_t nrows, const SeenFeatures& lists) {
  FeatureSpecs specs;
  for (const auto& [key, seen] : lists) {
    if (seen.kind == FeatureKind::kNone) continue;
    const DType dtype = DTypeOfList(seen.kind);
    if (seen.shortest == seen.longest && seen.longest > 0) {
      specs.emplace_back(key,
                         FixedLenSequenceFeature{.shape = ShapeOf(seen), .dtype = dtype, .allow_missing = seen.rows < nrows});
    } else {
      specs.emplace_back(key, VarLenFeature{.dtype = dtype});
    }
  }
  return specs;
}

struct Entry {
  std::string_view key;
  std::string_view value;
};

// Infers from all messages but those in `wrong`, which is sorted by row.
absl::StatusOr<FeatureSpecs> InferFeaturesWithout(std::span<const std::string_view> serialized,
                                                  std::span<const ExampleError> wrong) {
  SeenFeatures features;
  std::vector<Entry> entries;
  auto next_wrong = wrong.begin();
  for (size_t i = 0; i < serialized.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    if (next_wrong != wrong.end() && next_wrong->row == row) {
      ++next_wrong;
      continue;
    }
    entries.clear();
    FeatureStream stream = StreamOf(serialized[i]);
    const auto on_feature = [&](std::string_view key, std::string_view value) { entries.push_back({key, value}); };
    if (!ReadExample(stream, on_feature)) {
      return DamagedMessage(row, serialized[i], stream, "tf.Example");
    }
    for (size_t j = entries.size(); j-- > 0;) {
      Seen* const seen = EntryOf(entries[j].key, row, features);
      if (seen == nullptr) continue;
      // A feature without a list counts as missing.
      if (entries[j].value.empty()) {
        --seen->rows;
        continue;
      }
      STRUCTTENSOR_RETURN_IF_ERROR(AddList(row, entries[j].key, entries[j].value, serialized[i], ListRules::kExample, *seen));
    }
  }
  return SpecsOf(static_cast<int64_t>(serialized.size() - wrong.size()), features);
}

}  // namespace

absl::StatusOr<FeatureSpecs> InferFeatures(std::span<const std::string_view> serialized) {
  return InferFeaturesWithout(serialized, {});
}

absl::StatusOr<FeatureSpecs> InferFeatures(std::span<const std::string_view> serialized, std::vector<ExampleError>* errors) {
  errors->clear();
  absl::StatusOr<FeatureSpecs> all = InferFeatures(serialized);
  if (all.ok()) return all;
  const auto attempt = [](std::span<const std::string_view> part) { return InferFeatures(part).status(); };
  STRUCTTENSOR_ASSIGN_OR_RETURN(*errors, FindWrongMessages(serialized, attempt));
  return InferFeaturesWithout(serialized, *errors);
}

absl::StatusOr<InferredSequenceFeatures> InferSequenceFeatures(std::span<const std::string_view> serialized) {
  SeenFeatures context, lists;
  std::vector<Entry> context_entries, list_entries;
  for (size_t i = 0; i < serialized.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    context_entries.clear();
    list_entries.clear();
    FeatureStream stream = StreamOf(serialized[i]);
    const auto on_context = [&](std::string_view key, std::string_view value) { context_entries.push_back({key, value}); };
    const auto on_list = [&](std::string_view key, std::string_view value) { list_entries.push_back({key, value}); };
    if (!ReadSequenceExample(stream, on_context, on_list))
      return DamagedMessage(row, serialized[i], stream, "tf.SequenceExample");
    for (size_t j = context_entries.size(); j-- > 0;) {
      const Entry& entry = context_entries[j];
      Seen* const seen = EntryOf(entry.key, row, context);
      if (seen == nullptr) continue;
      STRUCTTENSOR_RETURN_IF_ERROR(AddList(row, entry.key, entry.value, serialized[i], ListRules::kSequenceExample, *seen));
    }
    for (size_t j = list_entries.size(); j-- > 0;) {
      Seen* const seen = EntryOf(list_entries[j].key, row, lists);
      if (seen == nullptr) continue;
      STRUCTTENSOR_RETURN_IF_ERROR(AddFeatureList(row, list_entries[j].key, list_entries[j].value, serialized[i], *seen));
    }
  }
  const auto nrows = static_cast<int64_t>(serialized.size());
  return InferredSequenceFeatures{SpecsOf(nrows, context), SpecsOfLists(nrows, lists)};
}

}  // namespace structtensor
