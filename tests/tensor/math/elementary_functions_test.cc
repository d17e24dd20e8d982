#include "structtensor/tensor/math/elementary_functions.h"

#include <gmock/gmock.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "math_testutil.h"

namespace structtensor {
namespace {

using testing::HasSubstr;

struct Function {
  const char* name;
  absl::StatusOr<Value> (*ours)(const Value&);
  double (*theirs)(double);
};

const Function kFunctions[] = {
    {"Rsqrt", Rsqrt, [](double x) { return 1 / std::sqrt(x); }},
    {"Reciprocal", Reciprocal, [](double x) { return 1 / x; }},
    {"Cbrt", Cbrt, [](double x) { return std::cbrt(x); }},
    {"Expm1", Expm1, [](double x) { return std::expm1(x); }},
    {"Log1p", Log1p, [](double x) { return std::log1p(x); }},
    {"Log2", Log2, [](double x) { return std::log2(x); }},
    {"Log10", Log10, [](double x) { return std::log10(x); }},
    {"Sin", Sin, [](double x) { return std::sin(x); }},
    {"Cos", Cos, [](double x) { return std::cos(x); }},
    {"Tan", Tan, [](double x) { return std::tan(x); }},
    {"Asin", Asin, [](double x) { return std::asin(x); }},
    {"Acos", Acos, [](double x) { return std::acos(x); }},
    {"Atan", Atan, [](double x) { return std::atan(x); }},
    {"Sinh", Sinh, [](double x) { return std::sinh(x); }},
    {"Cosh", Cosh, [](double x) { return std::cosh(x); }},
    {"Tanh", Tanh, [](double x) { return std::tanh(x); }},
    {"Asinh", Asinh, [](double x) { return std::asinh(x); }},
    {"Acosh", Acosh, [](double x) { return std::acosh(x); }},
    {"Atanh", Atanh, [](double x) { return std::atanh(x); }},
    {"Erf", Erf, [](double x) { return std::erf(x); }},
    {"Erfc", Erfc, [](double x) { return std::erfc(x); }},
    {"Lgamma", Lgamma, [](double x) { return std::lgamma(x); }},
    {"Sigmoid", Sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }},
};

bool Near(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::fabs(a - b) <= tolerance * std::fabs(b);
}

TEST(ElementaryFunctions, AreThoseOfTheCLibrary) {
  const std::vector<double> x = {-2.5, -1, -1e-9, 0, 1e-9, 0.25, 1, 1.5, 40, -700, kInfinity, -kInfinity, kNan};
  const std::vector<float> floats(x.begin(), x.end());
  for (const Function& function : kFunctions) {
    const absl::StatusOr<Value> doubles = function.ours(Vector(x)), singles = function.ours(Vector(floats));
    ASSERT_TRUE(doubles.ok() && singles.ok()) << function.name;
    EXPECT_EQ(DTypeOfResult(singles), DType::kFloat) << function.name;
    for (size_t i = 0; i < x.size(); ++i) {
      const double expected = function.theirs(x[i]);
      EXPECT_TRUE(Near(doubles->tensor()->values<double>()[i], expected, 1e-14)) << function.name << " of " << x[i];
      const double of_float = function.theirs(static_cast<double>(floats[i]));
      EXPECT_TRUE(Near(singles->tensor()->values<float>()[i], static_cast<float>(of_float), 1e-6))
          << function.name << " of float " << x[i];
    }
  }
}

TEST(ElementaryFunctions, KeepRowsAndWhatIsAbsent) {
  for (const Function& function : kFunctions) {
    const std::string one = Json(function.ours(MakeTensor("[1.0]")));
    const std::string row = Json(function.ours(Make("[[1.0],[]]")));
    EXPECT_EQ(row, "[" + one + ",[]]") << function.name;
    const absl::StatusOr<Value> absent = function.ours(Nullable<double>({1, 2}, {false, true}));
    ASSERT_TRUE(absent.ok());
    EXPECT_FALSE(absent->tensor()->is_valid(0)) << function.name;
    EXPECT_TRUE(absent->tensor()->is_valid(1)) << function.name;
  }
}

TEST(ElementaryFunctions, HalvesAreComputedAsFloats) {
  EXPECT_EQ(DTypeOfResult(Log2(Vector<Float16>({Float16(8.0f)}))), DType::kFloat16);
  EXPECT_EQ(Json(Log2(Vector<Float16>({Float16(8.0f)}))), "[3]");
  EXPECT_EQ(Json(Hypot(Vector<BFloat16>({BFloat16(3.0f)}), Vector<BFloat16>({BFloat16(4.0f)}))), "[5]");
}

TEST(ElementaryFunctions, SigmoidOfBigNumbers) { EXPECT_EQ(Json(Sigmoid(Vector<double>({1000, -1000, 0}))), "[1,0,0.5]"); }

TEST(ElementaryFunctions, NeedFractions) {
  for (const Function& function : kFunctions) {
    EXPECT_THAT(Message(function.ours(MakeTensor("[1]"))), HasSubstr(std::string(function.name) + " is not defined for int64"));
    EXPECT_THAT(Message(function.ours(MakeTensor(R"(["a"])"))), HasSubstr("is not defined for string"));
    EXPECT_FALSE(function.ours(Make(R"([{"a":1.5}])")).ok());
  }
}

TEST(Atan2, OfPairs) {
  EXPECT_EQ(Json(Atan2(MakeTensor("[0.0,0.0]"), MakeTensor("[1.0,1.0]"))), "[0,0]");
  EXPECT_DOUBLE_EQ(Atan2(MakeTensor("[1.0]"), MakeTensor("[-1.0]"))->tensor()->values<double>()[0], std::atan2(1.0, -1.0));
  EXPECT_EQ(Json(Hypot(Make("[[3.0,0.0],[],[6.0]]"), MakeTensor("[[4.0],[1.0],[8.0]]"))), "[[5,4],[],[10]]");
  EXPECT_EQ(Json(Hypot(Nullable<double>({3, 3}, {true, false}), Tensor::Scalar(4.0))), "[5,null]");
  EXPECT_THAT(Message(Atan2(MakeTensor("[1]"), MakeTensor("[1]"))), HasSubstr("Atan2 is not defined for int64"));
  EXPECT_FALSE(Hypot(MakeTensor("[1.5,2.5]"), MakeTensor("[1.5,2.5,3.5]")).ok());
}

}  // namespace
}  // namespace structtensor
