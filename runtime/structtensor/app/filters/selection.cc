#include "structtensor/app/filters/selection.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/similar_names.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/core/plan/field_names.h"

namespace structtensor {
namespace {

constexpr int64_t kMaxPaths = 1'000'000;

// One pattern, and whether it has matched any field.
class Pattern {
 public:
  static absl::StatusOr<Pattern> Parse(const std::string& text, std::string_view option) {
    Pattern pattern;
    pattern.text_ = text;
    if (text.size() > 2 && text.front() == '/' && text.back() == '/') {
      pattern.regex_ = std::make_unique<re2::RE2>(text.substr(1, text.size() - 2), re2::RE2::Quiet);
      if (pattern.regex_->ok()) return pattern;
      return absl::InvalidArgumentError(
          absl::StrCat(std::string(option), ": ", text, " is not a regular expression: ", pattern.regex_->error()));
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(pattern.path_, Path::Parse(text));
    if (pattern.path_.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(std::string(option), ": a pattern is empty; it must name fields, as in address.city"));
    }
    for (const Path::Step& step : pattern.path_.steps()) {
      pattern.any_ = pattern.any_ || step.kind() == Path::Step::Kind::kAnyField;
      pattern.has_key_ = pattern.has_key_ || step.kind() == Path::Step::Kind::kKey || step.kind() == Path::Step::Kind::kIndex;
      if (step.kind() == Path::Step::Kind::kElements) {
        return absl::InvalidArgumentError(
            absl::StrCat(std::string(option), ": ", text, ": fields are chosen whole, not elements of them; leave [*] out"));
      }
    }
    if (pattern.has_key_ && pattern.any_) {
      return absl::InvalidArgumentError(
          absl::StrCat(std::string(option), ": ", text, ": a key of a map and * do not go together"));
    }
    return pattern;
  }

  const std::string& text() const { return text_; }
  const Path& path() const { return path_; }
  // Whether it is a plain path, which decoders take unchanged.
  bool is_path() const { return regex_ == nullptr && !any_; }
  // Whether this is the path of the field with these names, or of a field below it.
  bool LeadsTo(const std::vector<std::string_view>& names) const {
    if (!is_path() || names.size() > path_.size()) return false;
    for (size_t i = 0; i < names.size(); ++i) {
      if (path_[i].kind() != Path::Step::Kind::kField || path_[i].text() != names[i]) return false;
    }
    return true;
  }
  bool has_key() const { return has_key_; }
  bool matched() const { return matched_; }

  bool Matches(const std::vector<std::string_view>& names, const std::string& path) {
    const bool matches = regex_ != nullptr ? re2::RE2::PartialMatch(path, *regex_) : MatchesNames(names);
    matched_ = matched_ || matches;
    return matches;
  }

 private:
  bool MatchesNames(const std::vector<std::string_view>& names) const {
    if (names.size() != path_.size()) return false;
    for (size_t i = 0; i < names.size(); ++i) {
      const Path::Step& step = path_[i];
      if (step.kind() != Path::Step::Kind::kAnyField && (step.kind() != Path::Step::Kind::kField || step.text() != names[i])) {
        return false;
      }
    }
    return true;
  }

  std::string text_;
  std::unique_ptr<re2::RE2> regex_;
  Path path_;
  bool any_ = false;
  bool has_key_ = false;
  bool matched_ = false;
};

absl::StatusOr<std::vector<Pattern>> ParseAll(const std::vector<std::string>& strings, std::string_view option) {
  std::vector<Pattern> patterns;
  for (const std::string& text : strings) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Pattern pattern, Pattern::Parse(text, option));
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

// Visits the paths of a message type from the top.
class Resolver {
 public:
  Resolver(std::vector<Pattern>& select, std::vector<Pattern>& drop, int recursion_depth)
      : select_(select), drop_(drop), recursion_depth_(recursion_depth) {}

  struct Kept {
    std::vector<std::string> paths;
    bool whole = true;  // nothing of it is left out
  };

  absl::StatusOr<Kept> Visit(const plan::MessagePlan& message, const std::string& path, bool selected) {
    Kept kept;
    types_.push_back(&message);
    for (const plan::FieldPlan& field : message.fields) {
      if (field.cardinality == plan::Cardinality::kOneofCase) continue;
      STRUCTTENSOR_ASSIGN_OR_RETURN(Kept of_field, VisitField(field, path, selected));
      kept.whole = kept.whole && of_field.whole;
      std::move(of_field.paths.begin(), of_field.paths.end(), std::back_inserter(kept.paths));
    }
    types_.pop_back();
    return kept;
  }

  // Whether a field on the way to a key of a map was dropped.
  bool IsDropped(const Path& path) const {
    for (size_t i = 1; i <= path.size() && path[i - 1].kind() == Path::Step::Kind::kField; ++i) {
      if (dropped_.contains(path.Prefix(i).ToString())) return true;
    }
    return false;
  }

 private:
  absl::StatusOr<Kept> VisitField(const plan::FieldPlan& field, const std::string& path_above, bool selected) {
    if (++paths_ > kMaxPaths) {
      return absl::InvalidArgumentError(
          absl::StrCat("the message type has more than ", kMaxPaths, " paths; select fields by their paths, without patterns"));
    }
    std::string path = path_above;
    AppendField(field.name, path);
    names_.push_back(field.name);
    // Try each pattern, so that patterns that match nothing are found.
    bool dropped = false;
    for (Pattern& pattern : drop_) dropped |= pattern.Matches(names_, path);
    if (field.skipped &&
        std::none_of(select_.begin(), select_.end(), [this](const Pattern& pattern) { return pattern.LeadsTo(names_); })) {
      // The plan skips this field, so the message around it is whole without it.
      names_.pop_back();
      return Kept{};
    }
    for (Pattern& pattern : select_) selected |= pattern.Matches(names_, path);
    Kept kept;
    kept.whole = selected;
    STRUCTTENSOR_ASSIGN_OR_RETURN(const bool expanded, IsExpanded(field));
    if (expanded) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(kept, Visit(*field.message, path, selected));
      kept.whole = kept.whole && (selected || !kept.paths.empty());
    }
    names_.pop_back();
    if (dropped) {
      kept = {.paths = {}, .whole = false};
      dropped_.insert(path);
    }
    if (kept.whole) kept.paths = {std::move(path)};
    kept.whole = kept.whole && !field.skipped;  // selecting the message around it would not select the field
    return kept;
  }

  // Whether fields below this one have paths. Fields of map entries have none, and neither have fields that are deeper than
  // messages can be nested.
  absl::StatusOr<bool> IsExpanded(const plan::FieldPlan& field) const {
    constexpr size_t kMaxDepth = 1000;  // as DecodeOptions::max_depth
    if (field.message == nullptr || field.cardinality == plan::Cardinality::kMap || types_.size() > kMaxDepth) return false;
    const auto above = std::count(types_.begin(), types_.end(), field.message);
    const int recursion_depth = plan::RecursionDepthOf(field, recursion_depth_);
    if (above > 0 && recursion_depth == 0) {
      return absl::InvalidArgumentError(absl::StrCat(std::string(field.message->full_name),
                                                     " contains itself: patterns need a recursion depth of 1 or more"));
    }
    return above < std::max(recursion_depth, 1);
  }

  std::vector<Pattern>& select_;
  std::vector<Pattern>& drop_;
  const int recursion_depth_;
  std::vector<std::string_view> names_;          // of the path
  std::vector<const plan::MessagePlan*> types_;  // on the path
  std::set<std::string> dropped_;
  int64_t paths_ = 0;
};

// The fields that exist at the place where a plain path finds no field: "; address has street, city; did you mean city?".
std::string FieldsInstead(const plan::MessagePlan& root, const Path& path) {
  const plan::MessagePlan* message = &root;
  for (size_t i = 0; i < path.size(); ++i) {
    const plan::FieldPlan* const field = message->FindByName(path[i].text());
    if (field == nullptr || field->cardinality == plan::Cardinality::kOneofCase) {
      return absl::StrCat("; ", std::string(message->full_name), " has no field ", path[i].ToString(),
                          base_internal::InsteadOf(path[i].ToString(), plan::FieldNamesOf(*message)));
    }
    if (field->message == nullptr || field->cardinality == plan::Cardinality::kMap) break;
    message = field->message;
  }
  return "";
}

absl::Status CheckMatched(const std::vector<Pattern>& patterns, std::string_view option, const plan::MessagePlan& message) {
  for (const Pattern& pattern : patterns) {
    if (pattern.matched() || pattern.has_key()) continue;  // decoders check keys
    return absl::NotFoundError(absl::StrCat(std::string(option), ": no field matches ", pattern.text(),
                                            pattern.is_path() ? FieldsInstead(message, pattern.path()) : ""));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ResolveSelection(const plan::MessagePlan& message, const Selection& selection,
                                                          int recursion_depth) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<Pattern> select, ParseAll(selection.select, "select"));
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<Pattern> drop, ParseAll(selection.drop, "drop"));
  const bool only_paths = std::all_of(select.begin(), select.end(), [](const Pattern& pattern) { return pattern.is_path(); });
  if (drop.empty() && only_paths) return selection.select;  // decoders give the best errors for paths
  for (const Pattern& pattern : drop) {
    if (pattern.has_key()) {
      return absl::InvalidArgumentError(
          absl::StrCat("drop: ", pattern.text(), ": maps are dropped whole, not some of their keys"));
    }
  }
  Resolver resolver(select, drop, recursion_depth);
  STRUCTTENSOR_ASSIGN_OR_RETURN(Resolver::Kept kept, resolver.Visit(message, "", select.empty()));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckMatched(select, "select", message));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckMatched(drop, "drop", message));
  for (const Pattern& pattern : select) {
    if (pattern.has_key() && !resolver.IsDropped(pattern.path())) kept.paths.push_back(pattern.text());
  }
  if (kept.paths.empty()) return absl::InvalidArgumentError("no field is left: all that are selected are dropped");
  if (kept.whole) kept.paths.clear();
  return std::move(kept.paths);
}

}  // namespace structtensor
