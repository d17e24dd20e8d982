// The engine decodes real messages to the columns that generated code makes.
#include "structtensor/core/engine/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <span>

#include "batch_compare.h"
#include "real_data.h"

namespace structtensor::testing {
namespace {

class EngineTest : public RealDataTest {};

TEST_P(EngineTest, EqualsGeneratedCode) {
  const std::shared_ptr<const plan::MessagePlan> engine_plan = MakeEnginePlan(plan());
  for (const int recursion_depth : {0, 1}) {
    DecodeOptions options;
    options.unknown_fields = DecodeOptions::UnknownFields::kKeep;
    options.recursion_depth = recursion_depth;
    BatchDecoder generated = *BatchDecoder::Create(plan(), options);
    BatchDecoder engine = *BatchDecoder::Create(*engine_plan, options);
    for (const size_t size : {size_t{7}, size_t{1000}}) {
      for (size_t begin = 0; begin < messages().size(); begin += size) {
        const auto batch = std::span(messages()).subspan(begin, std::min(size, messages().size() - begin));
        ASSERT_EQ(DifferenceOfDecoders(generated, engine, batch), "") << "in the batch from " << begin;
      }
    }
  }
  std::cout << "compared: " << set().name() << ", " << messages().size() << " messages" << std::endl;
}

INSTANTIATE_TEST_SUITE_P(Sets, EngineTest, EachRealDataSet(), NameOfRealDataSet);

}  // namespace
}  // namespace structtensor::testing
