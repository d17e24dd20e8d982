// The elementwise functions of one and of two values, and the reductions: the one list from which the bodies of simple
// functions, the Python functions with their documentation, NumPy's protocol and dispatch are made. The functions are declared
// in the headers of this folder, which have their shapes and errors.
#ifndef STRUCTTENSOR_TENSOR_MATH_SHARED_OPERATIONS_H_
#define STRUCTTENSOR_TENSOR_MATH_SHARED_OPERATIONS_H_

#include <cstdint>

namespace structtensor::math_internal {

// The elements that a function is defined for.
enum class Elements : uint8_t {
  kAny,
  kNumbers,
  kFractions,  // floating point numbers
  kBits,       // integers and booleans
  kBooleans,
  kStrings,
};

}  // namespace structtensor::math_internal

// clang-format off

// X(name in Python, function, elements, parameter, NumPy's function or "", sentence) for functions of one value.
#define STRUCTTENSOR_UNARY_OPERATIONS(X)                                                                                       \
  X(negative, Negative, kNumbers, x, "negative", "Each element with the opposite sign.")                                       \
  X(abs, Abs, kNumbers, x, "absolute", "The absolute value of each element, of the same dtype.")                               \
  X(sign, Sign, kNumbers, x, "sign", "-1, 0 or 1 for each element, of the same dtype.")                                        \
  X(square, Square, kNumbers, x, "square", "Each element times itself.")                                                       \
  X(sqrt, Sqrt, kFractions, x, "sqrt", "The square root of each element; NaN below 0.")                                        \
  X(exp, Exp, kFractions, x, "exp", "e to the power of each element.")                                                         \
  X(log, Log, kFractions, x, "log", "The natural logarithm of each element; NaN below 0.")                                     \
  X(floor, Floor, kFractions, x, "floor", "The largest whole number that is not above each element, of the same dtype.")       \
  X(ceil, Ceil, kFractions, x, "ceil", "The smallest whole number that is not below each element, of the same dtype.")         \
  X(trunc, Trunc, kFractions, x, "trunc", "Each element without its fraction: rounded towards 0, of the same dtype.")          \
  X(is_nan, IsNan, kFractions, x, "isnan", "Booleans: whether each element is NaN.")                                           \
  X(is_inf, IsInf, kFractions, x, "isinf", "Booleans: whether each element is infinite.")                                      \
  X(is_finite, IsFinite, kFractions, x, "isfinite", "Booleans: whether each element is neither infinite nor NaN.")             \
  X(round, Round, kNumbers, x, "rint",                                                                                         \
    "The nearest whole number to each element, of the same dtype. If two are equally near, the even one.")                     \
  X(logical_not, LogicalNot, kBooleans, x, "logical_not", "The opposite of each element. The elements are booleans.")          \
  X(invert, Invert, kBits, x, "invert", "Each element with all its bits inverted; for a boolean, the opposite.")               \
  X(lgamma, Lgamma, kFractions, x, "", "The natural logarithm of the absolute value of the gamma function of each element.")   \
  X(sigmoid, Sigmoid, kFractions, x, "", "1 / (1 + exp(-x)) of each element.")                                                 \
  X(string_upper, StringUpper, kStrings, input, "", "Each string with its ASCII letters in upper case.")                       \
  X(string_lower, StringLower, kStrings, input, "", "Each string with its ASCII letters in lower case.")                       \
  X(string_strip, StringStrip, kStrings, input, "", "Each string without white space at both ends.")                           \
  X(as_string, AsString, kAny, input, "", "Each number or boolean as a text, as C's printf writes it: 1.5 becomes 1.500000.")

// X(name in Python, function, NumPy's function or "", sentence, expression) for functions of one value `x` of fractions whose
// body is an expression of the type T.
#define STRUCTTENSOR_FRACTION_OPERATIONS(X)                                                                                    \
  X(rsqrt, Rsqrt, "", "One divided by the square root of each element.", T{1} / std::sqrt(x))                                  \
  X(reciprocal, Reciprocal, "reciprocal", "One divided by each element.", T{1} / x)                                            \
  X(cbrt, Cbrt, "cbrt", "The cube root of each element.", std::cbrt(x))                                                        \
  X(expm1, Expm1, "expm1", "e to the power of each element, minus one. It is exact near 0.", std::expm1(x))                    \
  X(log1p, Log1p, "log1p", "The natural logarithm of one plus each element. It is exact near 0.", std::log1p(x))               \
  X(log2, Log2, "log2", "The logarithm to base 2 of each element; NaN below 0.", std::log2(x))                                 \
  X(log10, Log10, "log10", "The logarithm to base 10 of each element; NaN below 0.", std::log10(x))                            \
  X(sin, Sin, "sin", "The sine of each element. The elements are angles in radians.", std::sin(x))                             \
  X(cos, Cos, "cos", "The cosine of each element. The elements are angles in radians.", std::cos(x))                           \
  X(tan, Tan, "tan", "The tangent of each element. The elements are angles in radians.", std::tan(x))                          \
  X(asin, Asin, "arcsin",                                                                                                      \
    "The arc sine of each element, in radians from -pi/2 to pi/2; NaN outside of [-1, 1].", std::asin(x))                      \
  X(acos, Acos, "arccos", "The arc cosine of each element, in radians from 0 to pi; NaN outside of [-1, 1].", std::acos(x))    \
  X(atan, Atan, "arctan", "The arc tangent of each element, in radians from -pi/2 to pi/2.", std::atan(x))                     \
  X(sinh, Sinh, "sinh", "The hyperbolic sine of each element.", std::sinh(x))                                                  \
  X(cosh, Cosh, "cosh", "The hyperbolic cosine of each element.", std::cosh(x))                                                \
  X(tanh, Tanh, "tanh", "The hyperbolic tangent of each element.", std::tanh(x))                                               \
  X(asinh, Asinh, "arcsinh", "The inverse hyperbolic sine of each element.", std::asinh(x))                                    \
  X(acosh, Acosh, "arccosh", "The inverse hyperbolic cosine of each element; NaN below 1.", std::acosh(x))                     \
  X(atanh, Atanh, "arctanh", "The inverse hyperbolic tangent of each element; NaN outside of [-1, 1].", std::atanh(x))         \
  X(erf, Erf, "", "The error function of each element.", std::erf(x))                                                          \
  X(erfc, Erfc, "", "One minus the error function of each element. It is exact where the result is near 0.", std::erfc(x))

// X(name in Python, function, elements, NumPy's function or "", sentence) for functions of two values x and y.
#define STRUCTTENSOR_BINARY_OPERATIONS(X)                                                                                      \
  X(add, Add, kNumbers, "add", "The sum of x and y, element by element; integers wrap around.")                                \
  X(subtract, Subtract, kNumbers, "subtract", "x minus y, element by element; integers wrap around.")                          \
  X(multiply, Multiply, kNumbers, "multiply", "The product of x and y, element by element; integers wrap around.")             \
  X(divide, Divide, kNumbers, "divide", "x divided by y, element by element. For integers, the result is a double.")           \
  X(floor_divide, FloorDivide, kNumbers, "floor_divide",                                                                       \
    "x divided by y, rounded down, element by element. An integer divided by 0 is an error.")                              \
  X(mod, Mod, kNumbers, "remainder",                                                                                           \
    "The remainder of x divided by y, with the sign of y. An integer divided by 0 is an error.")                           \
  X(truncatediv, TruncateDiv, kNumbers, "",                                                                                    \
    "x divided by y, rounded towards 0, element by element. An integer divided by 0 is an error.")                         \
  X(fmod, Fmod, kNumbers, "fmod",                                                                                              \
    "The remainder of x divided by y, with the sign of x. An integer divided by 0 is an error.")                           \
  X(power, Power, kNumbers, "power",                                                                                           \
    "x to the power of y, element by element. A negative exponent of an integer is an error.")                             \
  X(maximum, Maximum, kNumbers, "maximum", "The greater of the two elements.")                                                 \
  X(minimum, Minimum, kNumbers, "minimum", "The smaller of the two elements.")                                                 \
  X(equal, Equal, kAny, "equal", "Booleans: whether the elements of x and y are equal.")                                       \
  X(not_equal, NotEqual, kAny, "not_equal", "Booleans: whether the elements of x and y differ.")                               \
  X(less, Less, kAny, "less", "Booleans: whether each element of x is less than the element of y.")                            \
  X(less_equal, LessEqual, kAny, "less_equal",                                                                                 \
    "Booleans: whether each element of x is less than the element of y or equal to it.")                                       \
  X(greater, Greater, kAny, "greater", "Booleans: whether each element of x is greater than the element of y.")                \
  X(greater_equal, GreaterEqual, kAny, "greater_equal",                                                                        \
    "Booleans: whether each element of x is greater than the element of y or equal to it.")                                    \
  X(logical_and, LogicalAnd, kBooleans, "logical_and", "Whether both elements are true. The elements are booleans.")           \
  X(logical_or, LogicalOr, kBooleans, "logical_or",                                                                            \
    "Whether at least one of the two elements is true. The elements are booleans.")                                            \
  X(logical_xor, LogicalXor, kBooleans, "logical_xor",                                                                         \
    "Whether exactly one of the two elements is true. The elements are booleans.")                                             \
  X(bitwise_and, BitwiseAnd, kBits, "bitwise_and",                                                                             \
    "The bits that are 1 in both elements. The elements are integers or booleans.")                                            \
  X(bitwise_or, BitwiseOr, kBits, "bitwise_or",                                                                                \
    "The bits that are 1 in at least one of the two elements. The elements are integers or booleans.")                         \
  X(bitwise_xor, BitwiseXor, kBits, "bitwise_xor",                                                                             \
    "The bits that are 1 in exactly one of the two elements. The elements are integers or booleans.")                          \
  X(left_shift, LeftShift, kBits, "left_shift",                                                                                \
    "The bits of the integer x, moved y places to the left; 0 if y is the number of bits or more. A negative y is a "          \
    "ValueError.")                                                                                                             \
  X(right_shift, RightShift, kBits, "right_shift",                                                                             \
    "The bits of the integer x, moved y places to the right; a signed integer keeps its sign. A negative y is a "              \
    "ValueError.")                                                                                                             \
  X(squared_difference, SquaredDifference, kNumbers, "", "The square of x minus y, element by element.")                       \
  X(divide_no_nan, DivideNoNan, kFractions, "", "x divided by y, element by element; 0 where y is 0.")                         \
  X(atan2, Atan2, kFractions, "arctan2",                                                                                       \
    "The arc tangent of x / y, in radians from -pi to pi. The signs of both choose the quadrant: x is the height of a "        \
    "point, y its distance to the right.")                                                                                     \
  X(hypot, Hypot, kFractions, "hypot",                                                                                         \
    "The length of the longest side of the right-angled triangle with sides x and y: sqrt(x * x + y * y).")

// X(name in Python, function, sentence) for reductions.
#define STRUCTTENSOR_REDUCTIONS(X)                                                                                             \
  X(reduce_sum, ReduceSum,                                                                                                     \
    "The sum of the elements along the axes, of their dtype; 0 if there are none. Integers wrap around.")                      \
  X(reduce_prod, ReduceProd,                                                                                                   \
    "The product of the elements along the axes, of their dtype; 1 if there are none. Integers wrap around.")                  \
  X(reduce_min, ReduceMin, "The smallest element along the axes; the largest finite value of the dtype if there are none.")    \
  X(reduce_max, ReduceMax, "The largest element along the axes; the smallest finite value of the dtype if there are none.")    \
  X(reduce_mean, ReduceMean, "The mean of the elements along the axes, a double for integers; NaN if there are none.")         \
  X(reduce_variance, ReduceVariance,                                                                                           \
    "The population variance of the elements along the axes (divided by n, not by n - 1). NaN if there are none.")             \
  X(reduce_std, ReduceStd,                                                                                                     \
    "The standard deviation of the elements along the axes: the square root of the population variance (divided by n, "        \
    "not by n - 1). NaN if there are none.")                                                                                   \
  X(reduce_any, ReduceAny, "Whether any element along the axes is true; false if there are none.")                             \
  X(reduce_all, ReduceAll, "Whether all elements along the axes are true; true if there are none.")

// clang-format on

#endif  // STRUCTTENSOR_TENSOR_MATH_SHARED_OPERATIONS_H_
