#include "runner.h"

namespace structtensor::vectors {

Registry AllOps() {
  Registry registry;
  RegisterConstructOps(registry);
  RegisterIndexOps(registry);
  RegisterSpecOps(registry);
  RegisterArrayOps(registry);
  RegisterMathOps(registry);
  RegisterPathOps(registry);
  return registry;
}

}  // namespace structtensor::vectors
