#include "runner.h"

#include <algorithm>
#include <exception>
#include <istream>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "codec.h"
#include "compare.h"
#include "dump.h"
#include "parse_line.h"
#include "spec_text.h"
#include "structtensor/tensor/values/constant.h"

namespace structtensor::vectors {
namespace {

std::string& RunningCaseText() {
  static std::string text = "no case\n";
  return text;
}

// What is asked of a case.
struct Goal {
  const Json* value = nullptr;  // expected or derived
  const Json* error = nullptr;
  bool derived = false;    // computed where TensorFlow has no answer of its own
  bool anything = false;   // TensorFlow fails by accident: both a value and an error will do
  bool any_value = false;  // TensorFlow refuses "currently" what we take
};

struct Outcome {
  std::vector<std::string> problems;
  bool met_other_kind = false;
  bool anything = false;
};

bool IsIdentifier(std::string_view name) {
  const auto is_letter = [](char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)); };
  const auto may_follow = [&](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return !name.empty() && is_letter(name.front()) && std::all_of(name.begin(), name.end(), may_follow);
}

// Whether a text in `json`, a name or a path of names, is a name that TensorFlow does not have.
bool HasOtherName(const Json& json) {
  if (json.is_string()) return !json.get<std::string>().empty() && !IsIdentifier(json.get<std::string>());
  return json.is_structured() && std::any_of(json.begin(), json.end(), HasOtherName);
}

// TensorFlow refuses field names that are not identifiers, and its documentation says not to rely on that. We accept any name,
// because protobuf, JSON and Arrow have such names. Only the empty name is refused.
bool IsNameNotAllowedYet(const Json& line, const Json& error) {
  const std::string message = error.value("message", "");
  if (message.ends_with("is not currently allowed.")) return message != "Field name '' is not currently allowed.";
  const Json* args = FindMember(line, "args");
  if (args == nullptr || !message.starts_with("`StructuredTensor.with_updates` failed")) return false;
  if (const Json* name = FindMember(*args, "new_name"); name != nullptr && HasOtherName(*name)) return true;
  const Json* updates = FindMember(*args, "updates");
  return updates != nullptr && std::any_of(updates->begin(), updates->end(), [](const Json& update) {
           return update.is_array() && !update.empty() && HasOtherName(update.front());
         });
}

std::optional<Goal> GoalOf(const Json& line) {
  Goal goal;
  const bool exceed = line.value("policy", "match") == "exceed";
  if (goal.value = FindMember(line, "derived"); goal.value != nullptr) {
    goal.derived = true;
  } else if (goal.value = FindMember(line, "expected"); goal.value != nullptr) {
    return goal;
  } else if (goal.error = FindMember(line, "derived_error"); goal.error != nullptr) {
    return goal;
  } else if (goal.error = FindMember(line, "error"); goal.error != nullptr) {
    goal.any_value = IsNameNotAllowedYet(line, *goal.error);
    goal.anything = exceed && !goal.any_value;
  } else {
    return std::nullopt;
  }
  return goal;
}

CompareOptions OptionsOf(const Case& one, const Goal& goal) {
  return {.compare_splits_dtype = !goal.derived,
          // A spec that is not of a value has nothing to know more from.
          .exact_specs = one.input.is_null() && goal.value->value("kind", "") == "spec",
          .approximate_floats = one.op == "tf_op" || one.op == "binary",
          .unordered = one.op == "flatten" || one.op == "spec_proto"};
}

// The nested Python value of what an operation gave, and TensorFlow's text of its spec.
void CompareBeyondDump(const Json& line, const Result& result, Comparison& comparison) {
  const Json *pyval = FindMember(line, "pyval"), *spec = FindMember(line, "spec");
  const auto* value = std::get_if<Value>(&result);
  const auto* values = std::get_if<std::vector<Value>>(&result);
  if (pyval != nullptr && value != nullptr) {
    comparison.ComparePyval(*pyval, EncodeNested(ToNestedValue(*value)), "pyval");
  }
  if (pyval != nullptr && values != nullptr && line.at("op") != "flatten") {
    Json items = Json::array();
    for (const Value& item : *values) items.push_back(EncodeNested(ToNestedValue(item)));
    comparison.ComparePyval(*pyval, items, "pyval");
  }
  if (spec != nullptr && value != nullptr) {
    comparison.CompareSpecs(spec->get<std::string>(), TensorFlowText(value->spec()), "spec");
  }
}

void CompareWithGoal(const Json& line, const Case& one, const Goal& goal, const absl::StatusOr<Result>& result,
                     Outcome& outcome) {
  if (goal.anything) {
    outcome.anything = true;
    return;
  }
  if (goal.any_value) {
    if (!result.ok()) {
      outcome.problems.push_back(
          absl::StrCat("expected a value, for every name that is not empty is allowed, found ", result.status().ToString()));
    }
    return;
  }
  if (goal.error != nullptr) {
    std::string wanted;
    if (result.ok()) {
      const absl::StatusOr<Json> dump = Dump(*result);
      outcome.problems.push_back(absl::StrCat("expected an error as ", goal.error->value("class", ""), ", \"",
                                              goal.error->value("message", ""), "\", found ",
                                              dump.ok() ? dump->dump().substr(0, 300) : dump.status().ToString()));
    } else if (!IsErrorLike(*goal.error, one.op, result.status(), &wanted)) {
      outcome.problems.push_back(absl::StrCat("expected an error as ", goal.error->value("class", ""), " (", wanted,
                                              "), found ", result.status().ToString()));
    }
    return;
  }
  if (!result.ok()) {
    outcome.problems.push_back(absl::StrCat("expected a value, found ", result.status().ToString()));
    return;
  }
  const absl::StatusOr<Json> dump = Dump(*result);
  if (!dump.ok()) {
    outcome.problems.push_back(dump.status().ToString());
    return;
  }
  Comparison comparison(OptionsOf(one, goal));
  comparison.CompareDumps(*goal.value, *dump, "");
  CompareBeyondDump(line, *result, comparison);
  outcome.met_other_kind = comparison.met_other_kind();
  for (const Difference& difference : comparison.differences()) outcome.problems.push_back(difference.DebugString());
}

Outcome RunCase(const Json& line, const Case& one, const Registry& registry) {
  Outcome outcome;
  const auto op = registry.find(one.op);
  const std::optional<Goal> goal = GoalOf(line);
  if (op == registry.end()) {
    outcome.problems.push_back(absl::StrCat("unknown operation `", one.op, "`"));
  } else if (!goal.has_value()) {
    outcome.problems.push_back("the case has neither `expected` nor `error`");
  } else {
    CompareWithGoal(line, one, *goal, op->second(one), outcome);
  }
  return outcome;
}

struct Tally {
  Counts counts;
  std::map<std::string, Counts> by_op;
  std::vector<std::string> met_other_kind, anything;

  void Add(const std::string& op, bool passed) {
    ++(passed ? counts.passed : counts.failed);
    ++(passed ? by_op[op].passed : by_op[op].failed);
  }
};

void Report(const Tally& tally, bool verbose, std::ostream& out) {
  if (verbose) {
    for (const auto& [op, counts] : tally.by_op)
      out << op << ": " << counts.passed << " passed, " << counts.failed << " failed\n";
    const auto list = [&](std::string_view what, const std::vector<std::string>& names) {
      out << what << ": " << names.size() << "\n";
      for (const std::string& name : names) out << "  " << name << "\n";
    };
    list("dense where TensorFlow is ragged, or the other way round", tally.met_other_kind);
    list("TensorFlow fails by accident or \"currently\", any outcome passes", tally.anything);
  }
  out << tally.counts.passed << " passed, " << tally.counts.failed << " failed";
  if (tally.counts.not_run > 0) out << ", " << tally.counts.not_run << " not run: only Python has their operations";
  out << "\n";
}

}  // namespace

Counts RunVectors(std::istream& lines, const Registry& registry, const RunOptions& options, std::ostream& out) {
  Tally tally;
  int64_t line_number = 0;
  for (std::string text; std::getline(lines, text);) {
    ++line_number;
    if (absl::StripAsciiWhitespace(text).empty()) continue;
    const Json line = ParseLine(text);
    const Json *name = FindMember(line, "name"), *op = FindMember(line, "op");
    if (name == nullptr || !name->is_string() || op == nullptr || !op->is_string()) {
      out << "line " << line_number << ": not a case: expected a JSON object with `name` and `op`\n";
      tally.Add("(not a case)", false);
      continue;
    }
    const Json *input = FindMember(line, "input"), *args = FindMember(line, "args");
    const Case one{.name = name->get<std::string>(),
                   .op = op->get<std::string>(),
                   .input = input == nullptr ? Json() : *input,
                   .args = args == nullptr ? Json::object() : *args};
    if (one.name.find(options.filter) == std::string::npos || (!options.op.empty() && one.op != options.op)) continue;

    if (const auto known = registry.find(one.op); known != registry.end() && known->second == nullptr) {
      ++tally.counts.not_run;
      continue;
    }
    RunningCaseText() = one.name + "\n";
    Outcome outcome;
    try {
      outcome = RunCase(line, one, registry);
    } catch (const std::exception& error) {  // of the JSON library, where the case is not of the form that its operation needs
      outcome.problems.push_back(absl::StrCat("line ", line_number, ": malformed case: ", error.what()));
    }
    for (const std::string& problem : outcome.problems) out << one.name << ": " << problem << "\n";
    const bool passed = outcome.problems.empty();
    tally.Add(one.op, passed);
    if (passed && outcome.met_other_kind) tally.met_other_kind.push_back(one.name);
    if (passed && outcome.anything) tally.anything.push_back(one.name);
  }
  RunningCaseText() = "no case\n";
  Report(tally, options.verbose, out);
  return tally.counts;
}

const char* RunningCase() { return RunningCaseText().c_str(); }

}  // namespace structtensor::vectors
