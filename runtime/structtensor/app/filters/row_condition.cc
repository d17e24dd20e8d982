#include "structtensor/app/filters/row_condition.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/similar_names.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/base/shared/time_text.h"
#include "structtensor/core/column/column_view.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/core/plan/field_names.h"

namespace structtensor {
namespace filters_internal {
namespace {

// The three values of a condition in SQL.
enum Truth : uint8_t { kFalse = 0, kTrue = 1, kNull = 2 };
using Truths = std::vector<uint8_t>;

constexpr int kMaxNesting = 200;

// Holds every 64-bit integer, signed or not, and every double.
using Number = long double;

struct Literal {
  enum Kind { kNumber, kText, kBool, kName } kind = kNumber;
  Number number = 0;
  std::string text;  // of kText and kName
  size_t position = 0;
};

// A field path, resolved in the plan.
struct Operand {
  struct Step {
    size_t field = 0;                // index in its message type
    std::optional<std::string> key;  // for a map: the step goes to the value of this key
  };
  std::string path;
  std::vector<Step> steps;
  const plan::FieldPlan* leaf = nullptr;
  bool any = false;       // written any(path)
  bool repeated = false;  // goes through a repeated field
};

bool IsTimestamp(const plan::FieldPlan& field) {
  return field.message != nullptr && field.message->well_known == plan::WellKnown::kTimestamp;
}

bool IsDuration(const plan::FieldPlan& field) {
  return field.message != nullptr && field.message->well_known == plan::WellKnown::kDuration;
}

// Whether value `i` of a column has some property. For a message, `message` is the node that has its fields.
using Test = std::function<bool(const NodeView& message, const ColumnView& column, uint32_t i)>;

Number NumberAt(const ColumnView& column, uint32_t i) {
  return plan::VisitElement(column.field->element,
                            [&]<typename T>() { return static_cast<Number>(static_cast<const T*>(column.values)[i]); });
}

bool IsTextField(const plan::FieldPlan& field) {
  return field.element == plan::Element::kString || field.element == plan::Element::kBytes;
}

// A map key as it is written in a path.
std::string KeyText(const ColumnView& keys, uint32_t i) {
  if (IsTextField(*keys.field)) return std::string(keys.text(i));
  const Number number = NumberAt(keys, i);
  if (keys.field->element == plan::Element::kBool) return number != 0 ? "true" : "false";
  return number < 0 ? absl::StrCat(static_cast<int64_t>(number)) : absl::StrCat(static_cast<uint64_t>(number));
}

// The truth of a test at an operand, for each row of a node.
class Walker {
 public:
  Walker(const Operand& operand, const Test& test) : operand_(operand), test_(test) {}

  Truths Walk(const NodeView& node, size_t step_index) const {
    const Operand::Step& step = operand_.steps[step_index];
    if (!step.key.has_value()) return WalkField(node, step.field, step_index);
    // The values of chosen keys are a struct of their own, next to the map. But if the condition reads the whole map anyway,
    // there is none.
    const plan::FieldPlan& map = node.plan().fields[step.field];
    if (map.by_key < 0) return WalkEntries(node, step.field, step_index);
    const NodeView values = node.child(static_cast<size_t>(map.by_key));
    for (size_t i = 0; i < values.plan().keys.size(); ++i) {
      if (values.plan().keys[i].text == *step.key) return WalkField(values, i, step_index);
    }
    return Truths(node.nrows(), kNull);
  }

 private:
  Truths WalkEntries(const NodeView& node, size_t field_index, size_t step_index) const {
    const ColumnView map = node.column_in_place(field_index);
    const NodeView entries = node.child(field_index);
    const ColumnView keys = entries.column_in_place(0);
    const Truths of_values = WalkField(entries, 1, step_index);
    Truths truths(node.nrows(), kNull);
    for (uint32_t row = 0; row < node.nrows(); ++row) {
      for (int64_t i = map.row_splits[row]; i < map.row_splits[row + 1]; ++i) {
        const auto entry = static_cast<uint32_t>(i);
        if (KeyText(keys, entry) == *operand_.steps[step_index].key) truths[row] = of_values[entry];
      }
    }
    return truths;
  }

  Truths WalkField(const NodeView& node, size_t field_index, size_t step_index) const {
    const plan::FieldPlan& field = node.plan().fields[field_index];
    const ColumnView column = node.column_in_place(field_index);
    const bool last = step_index + 1 == operand_.steps.size();
    if (field.is_repeated()) {
      Truths of_values;
      if (!last) of_values = Walk(node.child(field_index), step_index + 1);
      const NodeView child = last && field.is_message() ? node.child(field_index) : NodeView();
      Truths truths(node.nrows(), kFalse);
      for (uint32_t row = 0; row < node.nrows(); ++row) {
        for (int64_t i = column.row_splits[row]; i < column.row_splits[row + 1] && truths[row] == kFalse; ++i) {
          const auto value = static_cast<uint32_t>(i);
          const bool is = last ? test_(child, column, value) : of_values[value] == kTrue;
          if (is) truths[row] = kTrue;
        }
      }
      return truths;
    }
    // Without presence, an absent field has its default.
    const bool nullable = field.presence != plan::Presence::kImplicit || field.is_message() || field.oneof_case >= 0;
    if (last && !field.is_message()) {
      Truths truths(node.nrows());
      for (uint32_t row = 0; row < node.nrows(); ++row) {
        truths[row] = nullable && !column.has(row) ? kNull : test_(NodeView(), column, row) ? kTrue : kFalse;
      }
      return truths;
    }
    const NodeView child = node.child(field_index);
    Truths truths = last ? Truths(node.nrows()) : Walk(child, step_index + 1);
    for (uint32_t row = 0; row < node.nrows(); ++row) {
      if (!column.has(row)) {
        truths[row] = kNull;
      } else if (last) {
        truths[row] = test_(child, column, row) ? kTrue : kFalse;
      }
    }
    return truths;
  }

  const Operand& operand_;
  const Test& test_;
};

// Seconds and nanoseconds of a Timestamp or Duration, as one number.
using Nanoseconds = __int128;

Nanoseconds NanosecondsOf(const base_internal::SecondsAndNanos& time) {
  return Nanoseconds{time.seconds} * 1'000'000'000 + time.nanos;
}

Nanoseconds TimeAt(const NodeView& node, uint32_t row) {
  const ColumnView seconds = node.column(0);
  const ColumnView nanos = node.column(1);
  return NanosecondsOf({static_cast<const int64_t*>(seconds.values)[row], static_cast<const int32_t*>(nanos.values)[row]});
}

enum class Comparison { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };

template <typename T>
bool Compare(Comparison comparison, const T& a, const T& b) {
  switch (comparison) {
    case Comparison::kEqual:
      return a == b;
    case Comparison::kNotEqual:
      return a != b;
    case Comparison::kLess:
      return a < b;
    case Comparison::kLessOrEqual:
      return a <= b;
    case Comparison::kGreater:
      return a > b;
    case Comparison::kGreaterOrEqual:
      break;
  }
  return a >= b;
}

}  // namespace

class Condition {
 public:
  virtual ~Condition() = default;
  virtual Truths Evaluate(const NodeView& root) const = 0;

  std::vector<std::string> fields;  // of the whole condition; set only at its root
};

namespace {

using ConditionPtr = std::unique_ptr<Condition>;

// A test of one operand.
class OperandCondition : public Condition {
 public:
  OperandCondition(Operand operand, Test test) : operand_(std::move(operand)), test_(std::move(test)) {}

  Truths Evaluate(const NodeView& root) const override { return Walker(operand_, test_).Walk(root, 0); }

 private:
  const Operand operand_;
  const Test test_;
};

class NullCondition : public Condition {
 public:
  explicit NullCondition(Operand operand)
      : operand_(std::move(operand), [](const NodeView&, const ColumnView&, uint32_t) { return true; }) {}

  Truths Evaluate(const NodeView& root) const override {
    Truths truths = operand_.Evaluate(root);
    for (uint8_t& truth : truths) truth = truth == kNull ? kTrue : kFalse;
    return truths;
  }

 private:
  const OperandCondition operand_;
};

class NotCondition : public Condition {
 public:
  explicit NotCondition(ConditionPtr condition) : condition_(std::move(condition)) {}

  Truths Evaluate(const NodeView& root) const override {
    Truths truths = condition_->Evaluate(root);
    for (uint8_t& truth : truths) truth = truth == kNull ? kNull : truth == kTrue ? kFalse : kTrue;
    return truths;
  }

 private:
  const ConditionPtr condition_;
};

// In AND, a false part decides the result; in OR, a true part.
class JoinedCondition : public Condition {
 public:
  JoinedCondition(Truth deciding, std::vector<ConditionPtr> parts) : deciding_(deciding), parts_(std::move(parts)) {}

  Truths Evaluate(const NodeView& root) const override {
    Truths truths = parts_.front()->Evaluate(root);
    for (size_t part = 1; part < parts_.size(); ++part) {
      const Truths more = parts_[part]->Evaluate(root);
      for (size_t i = 0; i < truths.size(); ++i) {
        if (truths[i] == deciding_ || more[i] == deciding_) {
          truths[i] = deciding_;
        } else if (more[i] == kNull) {
          truths[i] = kNull;
        }
      }
    }
    return truths;
  }

 private:
  const Truth deciding_;
  const std::vector<ConditionPtr> parts_;
};

struct Token {
  enum Kind { kWord, kText, kNumber, kSymbol, kEnd } kind = kEnd;
  std::string text;  // of kText, without quotes
  size_t position = 0;
};

bool StartsPath(char c) {
  return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '"' || c == '[' || (c & 0x80) != 0;
}

class Parser {
 public:
  Parser(std::string_view text, const plan::MessagePlan& message) : text_(text), message_(message) {}

  absl::StatusOr<ConditionPtr> Parse() {
    STRUCTTENSOR_RETURN_IF_ERROR(Advance());
    STRUCTTENSOR_ASSIGN_OR_RETURN(ConditionPtr condition, ParseOr());
    if (token_.kind != Token::kEnd)
      return Problem(token_.position, absl::StrCat("expected AND, OR or the end, found ", Found()));
    condition->fields = std::move(fields_);
    return condition;
  }

 private:
  absl::Status Problem(size_t position, std::string_view problem,
                       absl::StatusCode code = absl::StatusCode::kInvalidArgument) const {
    constexpr size_t kShown = 60;
    const size_t begin = position > kShown ? position - kShown : 0;
    return absl::Status(
        code, absl::StrCat("condition, byte ", position, ": ", ToAbsl(problem), "\n  ", ToAbsl(text_.substr(begin, 2 * kShown)),
                           "\n  ", std::string(position - begin, ' '), "^"));
  }

  std::string Found() const { return token_.kind == Token::kEnd ? "the end" : absl::StrCat("'", token_.text, "'"); }
  bool IsWord(std::string_view word) const {
    return token_.kind == Token::kWord && absl::EqualsIgnoreCase(token_.text, ToAbsl(word));
  }
  bool IsSymbol(std::string_view symbol) const { return token_.kind == Token::kSymbol && token_.text == symbol; }

  // Reads the next token.
  absl::Status Advance() {
    while (next_ < text_.size() && absl::ascii_isspace(static_cast<unsigned char>(text_[next_]))) ++next_;
    const size_t begin = next_;
    token_ = {Token::kEnd, "", begin};
    if (begin == text_.size()) return absl::OkStatus();
    const char c = text_[begin];
    if (c == '\'') return ReadText();
    if (StartsPath(c)) return ReadWord();
    const bool sign = (c == '-' || c == '+') && begin + 1 < text_.size();
    if (absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '.' || sign) {
      next_ = begin + 1;
      while (next_ < text_.size() && (absl::ascii_isalnum(static_cast<unsigned char>(text_[next_])) || text_[next_] == '.' ||
                                      ((text_[next_] == '-' || text_[next_] == '+') && (text_[next_ - 1] | 0x20) == 'e'))) {
        ++next_;
      }
      token_ = {Token::kNumber, std::string(text_.substr(begin, next_ - begin)), begin};
      return absl::OkStatus();
    }
    for (const std::string_view symbol : {"<=", ">=", "<>", "!=", "==", "=", "<", ">", "(", ")", ","}) {
      if (!text_.substr(begin).starts_with(symbol)) continue;
      next_ = begin + symbol.size();
      token_ = {Token::kSymbol, std::string(symbol), begin};
      return absl::OkStatus();
    }
    return Problem(begin, absl::StrCat("unexpected character '", std::string(1, c), "'"));
  }

  absl::Status ReadText() {
    const size_t begin = next_++;
    std::string text;
    for (; next_ < text_.size(); ++next_) {
      if (text_[next_] != '\'') {
        text += text_[next_];
      } else if (next_ + 1 < text_.size() && text_[next_ + 1] == '\'') {
        text += '\'';
        ++next_;
      } else {
        ++next_;
        token_ = {Token::kText, std::move(text), begin};
        return absl::OkStatus();
      }
    }
    return Problem(begin, "a text without its closing '");
  }

  // Reads a keyword or a path. Text in quotes or brackets belongs to it.
  absl::Status ReadWord() {
    const size_t begin = next_;
    bool quoted = false;
    int brackets = 0;
    for (; next_ < text_.size(); ++next_) {
      const char c = text_[next_];
      if (quoted) {
        if (c == '\\') ++next_;
        if (c == '"') quoted = false;
        continue;
      }
      if (c == '"') {
        quoted = true;
      } else if (c == '[') {
        ++brackets;
      } else if (c == ']') {
        --brackets;
      } else if (brackets == 0 && !absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.' && c != '$' &&
                 c != '@' && c != '*' && (c & 0x80) == 0) {
        break;
      }
    }
    next_ = std::min(next_, text_.size());
    token_ = {Token::kWord, std::string(text_.substr(begin, next_ - begin)), begin};
    return absl::OkStatus();
  }

  absl::Status Expect(std::string_view symbol) {
    if (!IsSymbol(symbol)) return Problem(token_.position, absl::StrCat("expected ", ToAbsl(symbol), ", found ", Found()));
    return Advance();
  }

  absl::StatusOr<ConditionPtr> ParseOr() { return ParseJoined("OR", kTrue); }

  absl::StatusOr<ConditionPtr> ParseJoined(std::string_view word, Truth deciding) {
    std::vector<ConditionPtr> parts;
    while (true) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(ConditionPtr part, deciding == kTrue ? ParseJoined("AND", kFalse) : ParseNot());
      parts.push_back(std::move(part));
      if (!IsWord(word)) break;
      STRUCTTENSOR_RETURN_IF_ERROR(Advance());
    }
    if (parts.size() == 1) return std::move(parts.front());
    return std::make_unique<JoinedCondition>(deciding, std::move(parts));
  }

  absl::StatusOr<ConditionPtr> ParseNot() {
    if (nesting_ == kMaxNesting) {
      return Problem(token_.position, absl::StrCat("more than ", kMaxNesting, " nested parentheses and NOTs"));
    }
    ++nesting_;
    absl::StatusOr<ConditionPtr> condition = ParseNested();
    --nesting_;
    return condition;
  }

  absl::StatusOr<ConditionPtr> ParseNested() {
    if (IsWord("NOT")) {
      STRUCTTENSOR_RETURN_IF_ERROR(Advance());
      STRUCTTENSOR_ASSIGN_OR_RETURN(ConditionPtr condition, ParseNot());
      return std::make_unique<NotCondition>(std::move(condition));
    }
    if (IsSymbol("(")) {
      STRUCTTENSOR_RETURN_IF_ERROR(Advance());
      STRUCTTENSOR_ASSIGN_OR_RETURN(ConditionPtr condition, ParseOr());
      STRUCTTENSOR_RETURN_IF_ERROR(Expect(")"));
      return condition;
    }
    return ParseComparison();
  }

  // Whether a function of that name is called here.
  bool IsCall(std::string_view name) const {
    return IsWord(name) && text_.substr(std::min(text_.find_first_not_of(" \t\r\n", next_), text_.size())).starts_with('(');
  }

  absl::StatusOr<ConditionPtr> ParseComparison() {
    if (IsCall("starts_with")) return ParseStartsWith();
    const size_t position = token_.position;
    STRUCTTENSOR_ASSIGN_OR_RETURN(Operand operand, ParseOperand());
    if (IsWord("IS")) {
      if (operand.any) STRUCTTENSOR_RETURN_IF_ERROR(CheckAny(operand, position));
      return ParseIsNull(std::move(operand), position);
    }
    bool negated = false;
    if (IsWord("NOT")) {
      STRUCTTENSOR_RETURN_IF_ERROR(Advance());
      negated = true;
      if (!IsWord("IN")) return Problem(token_.position, absl::StrCat("expected IN after NOT, found ", Found()));
    }
    if (IsWord("IN")) {
      STRUCTTENSOR_RETURN_IF_ERROR(CheckAny(operand, position));
      return ParseIn(std::move(operand), negated);
    }
    STRUCTTENSOR_RETURN_IF_ERROR(CheckAny(operand, position));
    const std::optional<Comparison> comparison = ParseComparisonSymbol();
    if (!comparison.has_value()) {
      if (ValueField(operand).element == plan::Element::kBool) {
        Literal is_true;
        is_true.kind = Literal::kBool;
        is_true.number = 1;
        return Compared(std::move(operand), Comparison::kEqual, is_true);
      }
      return Problem(token_.position,
                     absl::StrCat("expected a comparison (=, <>, <, <=, >, >=, IN, IS NULL), found ", Found()));
    }
    STRUCTTENSOR_RETURN_IF_ERROR(Advance());
    STRUCTTENSOR_ASSIGN_OR_RETURN(Literal literal, ParseLiteral());
    return Compared(std::move(operand), *comparison, std::move(literal));
  }

  std::optional<Comparison> ParseComparisonSymbol() const {
    if (token_.kind != Token::kSymbol) return std::nullopt;
    if (token_.text == "=" || token_.text == "==") return Comparison::kEqual;
    if (token_.text == "<>" || token_.text == "!=") return Comparison::kNotEqual;
    if (token_.text == "<") return Comparison::kLess;
    if (token_.text == "<=") return Comparison::kLessOrEqual;
    if (token_.text == ">") return Comparison::kGreater;
    if (token_.text == ">=") return Comparison::kGreaterOrEqual;
    return std::nullopt;
  }

  absl::StatusOr<ConditionPtr> ParseStartsWith() {
    STRUCTTENSOR_RETURN_IF_ERROR(Advance());
    STRUCTTENSOR_RETURN_IF_ERROR(Expect("("));
    const size_t position = token_.position;
    STRUCTTENSOR_ASSIGN_OR_RETURN(Operand operand, ParseOperand());
    STRUCTTENSOR_RETURN_IF_ERROR(CheckAny(operand, position));
    if (!IsTextField(ValueField(operand)))
      return Problem(position, absl::StrCat(operand.path, " is not a string or bytes field"));
    STRUCTTENSOR_RETURN_IF_ERROR(Expect(","));
    if (token_.kind != Token::kText)
      return Problem(token_.position, absl::StrCat("expected a text in single quotes, found ", Found()));
    const std::string prefix = token_.text;
    STRUCTTENSOR_RETURN_IF_ERROR(Advance());
    STRUCTTENSOR_RETURN_IF_ERROR(Expect(")"));
    return OfValue(std::move(operand), [prefix](const NodeView&, const ColumnView& column, uint32_t i) {
      return column.text(i).starts_with(prefix);
    });
  }

  absl::StatusOr<ConditionPtr> ParseIsNull(Operand operand, size_t position) {
    STRUCTTENSOR_RETURN_IF_ERROR(Advance());
    const bool negated = IsWord("NOT");
    if (negated) STRUCTTENSOR_RETURN_IF_ERROR(Advance());
    if (!IsWord("NULL")) return Problem(token_.position, absl::StrCat("expected NULL, found ", Found()));
    STRUCTTENSOR_RETURN_IF_ERROR(Advance());
    if (operand.repeated) {
      return Problem(position, absl::StrCat(operand.path, " is repeated or in a repeated field, which is never NULL"));
    }
    ConditionPtr condition = std::make_unique<NullCondition>(std::move(operand));
    if (!negated) return condition;
    return std::make_unique<NotCondition>(std::move(condition));
  }

  // For a repeated field, NOT IN looks for a value that is not in the list.
  absl::StatusOr<ConditionPtr> ParseIn(Operand operand, bool negated) {
    STRUCTTENSOR_RETURN_IF_ERROR(Advance());
    STRUCTTENSOR_RETURN_IF_ERROR(Expect("("));
    std::vector<Test> tests;
    while (true) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(Literal literal, ParseLiteral());
      STRUCTTENSOR_ASSIGN_OR_RETURN(Test test, TestOf(operand, Comparison::kEqual, std::move(literal)));
      tests.push_back(std::move(test));
      if (!IsSymbol(",")) break;
      STRUCTTENSOR_RETURN_IF_ERROR(Advance());
    }
    STRUCTTENSOR_RETURN_IF_ERROR(Expect(")"));
    return OfValue(std::move(operand),
                   [tests = std::move(tests), negated](const NodeView& message, const ColumnView& column, uint32_t i) {
                     for (const Test& test : tests) {
                       if (test(message, column, i)) return !negated;
                     }
                     return negated;
                   });
  }

  absl::StatusOr<Operand> ParseOperand() {
    bool any = false;
    if (IsCall("any")) {
      any = true;
      STRUCTTENSOR_RETURN_IF_ERROR(Advance());
      STRUCTTENSOR_RETURN_IF_ERROR(Expect("("));
    }
    if (token_.kind != Token::kWord) return Problem(token_.position, absl::StrCat("expected a field path, found ", Found()));
    STRUCTTENSOR_ASSIGN_OR_RETURN(Operand operand, ResolvePath());
    operand.any = any;
    STRUCTTENSOR_RETURN_IF_ERROR(Advance());
    if (any) STRUCTTENSOR_RETURN_IF_ERROR(Expect(")"));
    return operand;
  }

  absl::StatusOr<Operand> ResolvePath() {
    const absl::StatusOr<Path> path = Path::Parse(token_.text);
    if (!path.ok()) return Problem(token_.position, std::string(path.status().message()));
    constexpr size_t kMaxSteps = 1000;  // messages are not nested deeper
    if (path->size() > kMaxSteps) return Problem(token_.position, absl::StrCat("a path of more than ", kMaxSteps, " names"));
    Operand operand;
    operand.path = token_.text;
    const plan::MessagePlan* message = &message_;
    for (size_t i = 0; i < path->size();) {
      const Path::Step& step = (*path)[i++];
      if (message == nullptr)
        return Problem(token_.position, absl::StrCat(path->Prefix(i - 1).ToString(), " is not a message"));
      const plan::FieldPlan* const field = step.kind() == Path::Step::Kind::kField ? message->FindByName(step.text()) : nullptr;
      if (field == nullptr || field->cardinality == plan::Cardinality::kOneofCase) {
        return Problem(token_.position,
                       absl::StrCat(ToAbsl(message->full_name), " has no field ", step.ToString(),
                                    base_internal::InsteadOf(step.ToString(), plan::FieldNamesOf(*message))),
                       absl::StatusCode::kNotFound);
      }
      Operand::Step& resolved = operand.steps.emplace_back();
      resolved.field = static_cast<size_t>(field - message->fields.data());
      operand.leaf = field;
      message = field->message;
      if (field->cardinality == plan::Cardinality::kMap && i < path->size() &&
          ((*path)[i].kind() == Path::Step::Kind::kKey || (*path)[i].kind() == Path::Step::Kind::kIndex)) {
        resolved.key = (*path)[i].kind() == Path::Step::Kind::kKey ? (*path)[i].text() : absl::StrCat((*path)[i].index());
        operand.leaf = &message->fields[1];
        message = operand.leaf->message;
        ++i;
      } else {
        operand.repeated = operand.repeated || field->is_repeated();
        if (field->cardinality == plan::Cardinality::kMap && i < path->size()) {
          return Problem(token_.position,
                         absl::StrCat(path->Prefix(i).ToString(), " is a map: ask for the value of a key, as in ",
                                      path->Prefix(i).ToString(), "[\"key\"]"));
        }
      }
    }
    fields_.push_back(path->ToString());
    if (operand.leaf->message != nullptr && operand.leaf->message->well_known == plan::WellKnown::kWrapper) {
      operand.steps.emplace_back();  // its only field
      operand.leaf = &operand.leaf->message->fields[0];
    }
    return operand;
  }

  absl::Status CheckAny(const Operand& operand, size_t position) const {
    if (operand.repeated == operand.any) return absl::OkStatus();
    return operand.any ? Problem(position, absl::StrCat(operand.path, " has one value per row: leave out any()"))
                       : Problem(position, absl::StrCat(operand.path, " is repeated or in a repeated field: write any(",
                                                        operand.path, ")"));
  }

  static const plan::FieldPlan& ValueField(const Operand& operand) { return *operand.leaf; }

  absl::StatusOr<Literal> ParseLiteral() {
    Literal literal;
    literal.position = token_.position;
    literal.text = token_.text;
    if (token_.kind == Token::kText) {
      literal.kind = Literal::kText;
    } else if (IsWord("TRUE") || IsWord("FALSE")) {
      literal.kind = Literal::kBool;
      literal.number = IsWord("TRUE") ? 1 : 0;
    } else if (token_.kind == Token::kWord) {
      literal.kind = Literal::kName;
    } else if (token_.kind == Token::kNumber) {
      const std::string_view digits = std::string_view(token_.text).substr(token_.text.starts_with('+') ? 1 : 0);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), literal.number);
      if (error != std::errc() || end != digits.data() + digits.size()) {
        return Problem(token_.position, absl::StrCat(Found(), " is not a number"));
      }
    } else {
      return Problem(token_.position,
                     absl::StrCat("expected a number, a text in single quotes, TRUE or FALSE, found ", Found()));
    }
    STRUCTTENSOR_RETURN_IF_ERROR(Advance());
    return literal;
  }

  static std::string TypeText(const plan::FieldPlan& field) {
    return std::string(field.is_message() ? field.message->full_name : plan::KindName(field.kind));
  }

  static ConditionPtr OfValue(Operand operand, Test test) {
    return std::make_unique<OperandCondition>(std::move(operand), std::move(test));
  }

  // operand <comparison> literal
  absl::StatusOr<ConditionPtr> Compared(Operand operand, Comparison comparison, Literal literal) const {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Test test, TestOf(operand, comparison, std::move(literal)));
    return OfValue(std::move(operand), std::move(test));
  }

  static Test TestOfTime(Comparison comparison, Nanoseconds nanoseconds) {
    return [comparison, nanoseconds](const NodeView& node, const ColumnView&, uint32_t i) {
      return Compare(comparison, TimeAt(node, i), nanoseconds);
    };
  }

  // The test that compares a value of `operand` with `literal`.
  absl::StatusOr<Test> TestOf(const Operand& operand, Comparison comparison, Literal literal) const {
    const plan::FieldPlan& field = ValueField(operand);
    const auto mismatch = [&](std::string_view expected) {
      return Problem(literal.position,
                     absl::StrCat(operand.path, " is of type ", TypeText(field), "; compare it with ", ToAbsl(expected)));
    };
    if (IsTimestamp(field) || IsDuration(field)) {
      std::optional<base_internal::SecondsAndNanos> time;
      if (literal.kind == Literal::kText) {
        time = IsTimestamp(field) ? base_internal::ParseTimestamp(literal.text, base_internal::TimeForm::kMessage)
                                  : base_internal::ParseDurationWithUnits(literal.text);
      }
      if (!time.has_value()) {
        return mismatch(IsTimestamp(field) ? "a time as '2026-01-31T12:00:00Z'" : "a duration as '1.5s', '250ms' or '-1h30m'");
      }
      return TestOfTime(comparison, NanosecondsOf(*time));
    }
    if (field.is_message()) {
      return Problem(literal.position, absl::StrCat(operand.path, " is a message: compare one of its fields, or ask IS NULL"));
    }
    if (IsTextField(field)) {
      if (literal.kind != Literal::kText) return mismatch("a text in single quotes");
      return [comparison, text = std::move(literal.text)](const NodeView&, const ColumnView& column, uint32_t i) {
        return Compare(comparison, column.text(i), std::string_view(text));
      };
    }
    if (field.element == plan::Element::kBool) {
      if (literal.kind != Literal::kBool) return mismatch("TRUE or FALSE");
    } else if (field.enumeration != nullptr) {
      if (literal.kind == Literal::kName || literal.kind == Literal::kText) {
        const std::optional<int32_t> number = field.enumeration->NumberOf(literal.text);
        if (!number.has_value()) {
          return Problem(literal.position, absl::StrCat(ToAbsl(field.enumeration->full_name), " has no value ", literal.text));
        }
        literal.number = static_cast<Number>(*number);
      } else if (literal.kind != Literal::kNumber) {
        return mismatch("the name or the number of a value");
      }
    } else if (literal.kind != Literal::kNumber) {
      return mismatch("a number");
    }
    // The literal is rounded to the field's type, so that 0.1 equals the float that is written as 0.1.
    if (field.element == plan::Element::kFloat) literal.number = static_cast<Number>(static_cast<float>(literal.number));
    if (field.element == plan::Element::kDouble) literal.number = static_cast<Number>(static_cast<double>(literal.number));
    return [comparison, number = literal.number](const NodeView&, const ColumnView& column, uint32_t i) {
      return Compare(comparison, NumberAt(column, i), number);
    };
  }

  const std::string_view text_;
  const plan::MessagePlan& message_;
  size_t next_ = 0;
  Token token_;
  int nesting_ = 0;
  std::vector<std::string> fields_;
};

}  // namespace
}  // namespace filters_internal

absl::StatusOr<RowCondition> RowCondition::Parse(std::string_view text, const plan::MessagePlan& message) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::unique_ptr<filters_internal::Condition> condition,
                                filters_internal::Parser(text, message).Parse());
  return RowCondition(std::move(condition));
}

const std::vector<std::string>& RowCondition::fields() const { return condition_->fields; }

std::vector<uint8_t> RowCondition::Evaluate(const DecodedBatch& batch) const {
  std::vector<uint8_t> truths = condition_->Evaluate(batch.root());
  for (uint8_t& truth : truths) truth = truth == filters_internal::kTrue ? 1 : 0;
  return truths;
}

}  // namespace structtensor
