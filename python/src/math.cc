// Elementwise operations, reductions, and Python's operators.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "convert.h"
#include "operands.h"
#include "structtensor/tensor/math/arithmetic.h"
#include "structtensor/tensor/math/bincount.h"
#include "structtensor/tensor/math/bitwise.h"
#include "structtensor/tensor/math/cast.h"
#include "structtensor/tensor/math/comparison.h"
#include "structtensor/tensor/math/cumsum.h"
#include "structtensor/tensor/math/elementary_functions.h"
#include "structtensor/tensor/math/logic.h"
#include "structtensor/tensor/math/one_hot.h"
#include "structtensor/tensor/math/reduce.h"
#include "structtensor/tensor/math/regex_strings.h"
#include "structtensor/tensor/math/shared/operations.h"
#include "structtensor/tensor/math/softmax.h"
#include "structtensor/tensor/math/string_ops.h"
#include "structtensor/tensor/math/string_parts.h"
#include "structtensor/tensor/math/unary.h"
#include "structtensor/tensor/values/constant.h"

namespace structtensor::python {
namespace {

using namespace nanobind::literals;  // NOLINT: "name"_a

using Unary = absl::StatusOr<Value> (*)(const Value& x);
using Binary = absl::StatusOr<Value> (*)(const Value& x, const Value& y);
using Reduction = absl::StatusOr<Value> (*)(const Value& value, const ReduceOptions& options);

#define STRUCTTENSOR_UNARY(name, Function, elements, parameter, ...) {#name, Function, #parameter},
#define STRUCTTENSOR_FRACTION(name, Function, ...) {#name, Function, "x"},
#define STRUCTTENSOR_BINARY(name, Function, ...) {#name, Function},
#define STRUCTTENSOR_REDUCTION(name, Function, ...) {#name, Function},

constexpr std::pair<const char*, Binary> kBinary[] = {STRUCTTENSOR_BINARY_OPERATIONS(STRUCTTENSOR_BINARY)};

struct UnaryOperation {
  const char* name;
  Unary function;
  const char* parameter;  // as in TensorFlow, functions of strings call it `input`
};
constexpr UnaryOperation kUnary[] = {STRUCTTENSOR_UNARY_OPERATIONS(STRUCTTENSOR_UNARY)
                                         STRUCTTENSOR_FRACTION_OPERATIONS(STRUCTTENSOR_FRACTION)};

constexpr std::pair<const char*, Reduction> kReductions[] = {STRUCTTENSOR_REDUCTIONS(STRUCTTENSOR_REDUCTION)};

#undef STRUCTTENSOR_UNARY
#undef STRUCTTENSOR_FRACTION
#undef STRUCTTENSOR_BINARY
#undef STRUCTTENSOR_REDUCTION

// A row of the list for Python: its documentation, dispatch and NumPy protocol are made of these.
struct Operation {
  const char* kind;
  const char* name;
  const char* elements;  // "kFractions"
  const char* ufunc;
  const char* sentence;
};
#define STRUCTTENSOR_UNARY(name, Function, elements, parameter, ufunc, sentence) {"unary", #name, #elements, ufunc, sentence},
#define STRUCTTENSOR_FRACTION(name, Function, ufunc, sentence, expression) {"unary", #name, "kFractions", ufunc, sentence},
#define STRUCTTENSOR_BINARY(name, Function, elements, ufunc, sentence) {"binary", #name, #elements, ufunc, sentence},
#define STRUCTTENSOR_REDUCTION(name, Function, sentence) {"reduction", #name, "", "", sentence},
constexpr Operation kOperations[] = {STRUCTTENSOR_UNARY_OPERATIONS(STRUCTTENSOR_UNARY) STRUCTTENSOR_FRACTION_OPERATIONS(
    STRUCTTENSOR_FRACTION) STRUCTTENSOR_BINARY_OPERATIONS(STRUCTTENSOR_BINARY) STRUCTTENSOR_REDUCTIONS(STRUCTTENSOR_REDUCTION)};
#undef STRUCTTENSOR_UNARY
#undef STRUCTTENSOR_FRACTION
#undef STRUCTTENSOR_BINARY
#undef STRUCTTENSOR_REDUCTION

// Whether an operator accepts the object as its other operand. For other objects, Python tries something else.
bool IsOperand(nb::handle object) {
  // An extension type has operators of its own.
  if (const std::optional<Value> value = AsValue(object)) return value->extension() == nullptr;
  return IsPythonNumberOrText(object) || PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()) ||
         nb::hasattr(object, "__array__") || nb::hasattr(object, "isoformat") || nb::hasattr(object, "total_seconds");
}

nb::object Apply(Binary function, nb::handle x, nb::handle y) {
  const bool is_sum = function == Add || function == Subtract;
  const auto [a, b] = OperandsOf(x, y, is_sum ? OperationOnTimes::kSum : OperationOnTimes::kOther);
  return ToPython(Unwrap(function(a, b)));
}

ReduceOptions ReduceOptionsOf(nb::handle axis, bool keepdims) {
  ReduceOptions options;
  if (!axis.is_none()) options.axes = OneOrMoreIntegersOf(axis, "axis");
  options.keep_dims = keepdims;
  return options;
}

// The function of the module for an operator's function.
const char* NameOf(Binary function) {
  for (const auto& [name, each] : kBinary) {
    if (each == function) return name;
  }
  return "";
}

// Python's NotImplemented, unless the class of `other` has a function of its own for the operator. `other` is not an operand.
nb::object Dispatched(Binary function, nb::handle x, nb::handle y, nb::handle other) {
  if (!nb::hasattr(other, "__tf_dispatch__")) return nb::borrow(nb::handle(Py_NotImplemented));
  return PythonFunction("structtensor._dispatch", "call")(nb::str(NameOf(function)), x, y);
}

template <typename T>
void BindOperator(DocumentedClass<T>& values, const char* name, Binary function) {
  values.def(
      name,
      [function](nb::handle self, nb::handle other) -> nb::object {
        if (!IsOperand(other)) return Dispatched(function, self, other, other);
        // For a struct, Python then says that it is not equal.
        const bool compares = function == Equal || function == NotEqual;
        if (compares && nb::isinstance<StructuredTensor>(other)) return nb::borrow(nb::handle(Py_NotImplemented));
        return Apply(function, self, other);
      },
      "other"_a.none());
}

template <typename T>
void BindReflected(DocumentedClass<T>& values, const char* name, Binary function) {
  values.def(
      name,
      [function](nb::handle self, nb::handle other) -> nb::object {
        if (!IsOperand(other)) return Dispatched(function, other, self, other);
        return Apply(function, other, self);
      },
      "other"_a.none());
}

template <typename T>
void BindOperators(DocumentedClass<T>& values) {
  struct Operator {
    const char* name;
    const char* reflected;  // null for comparisons, which Python reverses itself
    Binary function;
  };
  constexpr Operator kOperators[] = {
      {"__add__", "__radd__", Add},
      {"__sub__", "__rsub__", Subtract},
      {"__mul__", "__rmul__", Multiply},
      {"__truediv__", "__rtruediv__", Divide},
      {"__floordiv__", "__rfloordiv__", FloorDivide},
      {"__mod__", "__rmod__", Mod},
      {"__and__", "__rand__", BitwiseAnd},
      {"__or__", "__ror__", BitwiseOr},
      {"__xor__", "__rxor__", BitwiseXor},
      {"__lshift__", "__rlshift__", LeftShift},
      {"__rshift__", "__rrshift__", RightShift},
      {"__eq__", nullptr, Equal},
      {"__ne__", nullptr, NotEqual},
      {"__lt__", nullptr, Less},
      {"__le__", nullptr, LessEqual},
      {"__gt__", nullptr, Greater},
      {"__ge__", nullptr, GreaterEqual},
  };
  for (const Operator& op : kOperators) {
    BindOperator(values, op.name, op.function);
    if (op.reflected != nullptr) BindReflected(values, op.reflected, op.function);
  }
  // pow() may also get a modulus, which is not supported.
  BindOperator(values, "__pow__", Power);
  BindReflected(values, "__rpow__", Power);
  const auto define = [&values](const char* name, Unary function) {
    values.def(name, [function](nb::handle self) { return ToPython(Unwrap(function(ValueOf(self)))); });
  };
  define("__neg__", Negative);
  define("__abs__", Abs);
  define("__invert__", Invert);
  values.attr("__hash__") = nb::none();
}

StringUnit UnitOf(nb::handle unit) { return static_cast<StringUnit>(OneOf("unit", unit, {"byte", "utf8_char"})); }

// A text, or bytes.
std::string PatternOf(nb::handle text, std::string_view what) {
  if (PyUnicode_Check(text.ptr())) return std::string(TextOf(text, what));
  std::vector<nb::object> kept;
  return std::string(BytesOf(text, what, kept));
}

void BindStrings(nb::module_& module) {
  module.def(
      "string_length", [](nb::handle x, nb::handle unit) { return ToPython(Unwrap(StringLength(ValueOf(x), UnitOf(unit)))); },
      "input"_a, "unit"_a = "byte");
  module.def(
      "string_substr",
      [](nb::handle x, nb::handle pos, nb::handle len, nb::handle unit) {
        return ToPython(Unwrap(StringSubstr(ValueOf(x), IntegerOf(pos, "pos"), IntegerOf(len, "len"), UnitOf(unit))));
      },
      "input"_a, "pos"_a, "len"_a, "unit"_a = "byte");
  module.def(
      "string_starts_with",
      [](nb::handle x, nb::handle prefix) {
        return ToPython(Unwrap(StringStartsWith(ValueOf(x), PatternOf(prefix, "prefix"))));
      },
      "input"_a, "prefix"_a);
  module.def(
      "string_ends_with",
      [](nb::handle x, nb::handle suffix) { return ToPython(Unwrap(StringEndsWith(ValueOf(x), PatternOf(suffix, "suffix")))); },
      "input"_a, "suffix"_a);
  module.def(
      "string_regex_full_match",
      [](nb::handle x, nb::handle pattern) {
        return ToPython(Unwrap(RegexFullMatch(ValueOf(x), PatternOf(pattern, "pattern"))));
      },
      "input"_a, "pattern"_a);
  module.def(
      "string_regex_replace",
      [](nb::handle x, nb::handle pattern, nb::handle rewrite, bool replace_global) {
        return ToPython(
            Unwrap(RegexReplace(ValueOf(x), PatternOf(pattern, "pattern"), PatternOf(rewrite, "rewrite"), replace_global)));
      },
      "input"_a, "pattern"_a, "rewrite"_a, "replace_global"_a = true);
  module.def(
      "string_split",
      [](nb::handle x, nb::handle sep, nb::handle maxsplit) {
        const std::string separator = sep.is_none() ? "" : PatternOf(sep, "sep");
        std::optional<int64_t> most = OptionalIntegerOf(maxsplit, "maxsplit");
        if (most == -1) most.reset();  // as in Python
        return ToPython(Unwrap(SplitStrings(ValueOf(x), {.separator = separator, .max_splits = most})));
      },
      "input"_a, "sep"_a = nb::none(), "maxsplit"_a.none() = -1);
  module.def(
      "string_reduce_join",
      [](nb::handle x, nb::handle axis, bool keepdims, nb::handle separator) {
        const std::string between = PatternOf(separator, "separator");
        return ToPython(Unwrap(ReduceJoin(ValueOf(x), between, ReduceOptionsOf(axis, keepdims))));
      },
      "inputs"_a, "axis"_a = nb::none(), "keepdims"_a = false, "separator"_a = "");
  module.def(
      "string_join",
      [](nb::handle values, nb::handle separator) {
        return ToPython(Unwrap(JoinStrings(ValuesOf(values), TextOf(separator, "separator"))));
      },
      "inputs"_a, "separator"_a = "");
}

// A Python number gets the wanted dtype.
std::optional<Tensor> OneHotValueOf(nb::handle object, std::optional<DType> dtype, std::string_view what) {
  if (object.is_none()) return std::nullopt;
  if (AsValue(object).has_value() || !dtype.has_value()) return DenseOf(object, what);
  return Unwrap(TensorConstant(NestedOf(object), {.dtype = *dtype}));
}

Tensor BincountOf(nb::handle value, bool by_row, nb::handle minlength, nb::handle maxlength, bool binary, nb::handle dtype) {
  BincountOptions options;
  options.by_row = by_row;
  options.min_length = IntegerOf(minlength, "minlength");
  options.max_length = OptionalIntegerOf(maxlength, "maxlength");
  options.binary = binary;
  options.dtype = DTypeOfPython(dtype);
  return Unwrap(Bincount(ValueOf(value), options));
}

}  // namespace

void BindListOfOperations(nb::module_& module) {
  module.def("_operations", [] {
    nb::list operations;
    for (const Operation& each : kOperations) {
      operations.append(nb::make_tuple(each.kind, each.name, each.elements, each.ufunc, each.sentence));
    }
    return operations;
  });
}

void BindMath(nb::module_& module, ValueClasses& classes) {
  for (const auto& [name, function] : kBinary) {
    module.def(
        name, [f = function](nb::handle x, nb::handle y) { return Apply(f, x, y); }, "x"_a, "y"_a);
  }
  for (const auto& [name, function, parameter] : kUnary) {
    module.def(
        name, [f = function](nb::handle x) { return ToPython(Unwrap(f(ValueOf(x)))); }, nb::arg(parameter));
  }
  for (const auto& [name, function] : kReductions) {
    classes.DefineForArrays(
        module, name, "input_tensor",
        [f = function](nb::handle value, nb::handle axis, bool keepdims) {
          return ToPython(Unwrap(f(ValueOf(value), ReduceOptionsOf(axis, keepdims))));
        },
        "axis"_a = nb::none(), "keepdims"_a = false);
  }
  BindOperators(classes.tensor);
  BindOperators(classes.ragged);
  BindStrings(module);
  classes.DefineForArrays(
      module, "cast", "x",
      [](nb::handle value, nb::handle dtype) { return ToPython(Unwrap(Cast(ValueOf(value), DTypeOfPython(dtype)))); },
      "dtype"_a);
  module.def(
      "clip",
      [](nb::handle x, nb::handle low, nb::handle high) {
        const nb::object raised = Apply(Maximum, x, low);
        return Apply(Minimum, raised, high);
      },
      "x"_a, "low"_a, "high"_a);
  module.def(
      "cumsum",
      [](nb::handle value, nb::handle axis, bool exclusive, bool reverse) {
        return ToPython(Unwrap(Cumsum(ValueOf(value), IntegerOf(axis, "axis"), {exclusive, reverse})));
      },
      "x"_a, "axis"_a = 0, "exclusive"_a = false, "reverse"_a = false);
  module.def(
      "softmax", [](nb::handle x, nb::handle axis) { return ToPython(Unwrap(Softmax(ValueOf(x), IntegerOf(axis, "axis")))); },
      "logits"_a, "axis"_a = -1);
  module.def(
      "one_hot",
      [](nb::handle indices, nb::handle depth, nb::handle axis, nb::handle dtype, nb::handle on_value, nb::handle off_value) {
        OneHotOptions options;
        options.axis = IntegerOf(axis, "axis");
        options.dtype = OptionalDTypeOf(dtype);
        options.on_value = OneHotValueOf(on_value, options.dtype, "on_value");
        options.off_value = OneHotValueOf(off_value, options.dtype, "off_value");
        return ToPython(Unwrap(OneHot(ValueOf(indices), IntegerOf(depth, "depth"), options)));
      },
      "indices"_a, "depth"_a, "axis"_a = -1, "dtype"_a = nb::none(), "on_value"_a = nb::none(), "off_value"_a = nb::none());
  module.def("bincount", BincountOf, "arr"_a, "by_row"_a = false, "minlength"_a = 0, "maxlength"_a = nb::none(),
             "binary"_a = false, "dtype"_a = "int32");
}

}  // namespace structtensor::python
