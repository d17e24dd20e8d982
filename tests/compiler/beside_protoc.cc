// Generated headers of ours and of protoc's own C++ in one translation unit: that it compiles is the test.
#include <type_traits>

#include "naming_no_package.pb.h"
#include "naming_no_package.structtensor.h"
#include "proto2.pb.h"
#include "proto2.structtensor.h"
#include "proto2_extensions.pb.h"
#include "proto2_extensions.structtensor.h"
#include "recipe.pb.h"
#include "recipe.structtensor.h"

namespace structtensor {

static_assert(!std::is_same_v<cookbook::Recipe, cookbook::RecipeColumns>);
static_assert(std::is_same_v<golden::Level, decltype(golden::Measurement().level())>);
static_assert(std::is_same_v<golden::LevelEnum, decltype(golden::MeasurementRow().level())>);
static_assert(!std::is_same_v<NoPackageColumns, NoPackageColumns_>);
static_assert(NoPackageDecoder == 0 && std::is_class_v<NoPackageDecoder_>);

}  // namespace structtensor
