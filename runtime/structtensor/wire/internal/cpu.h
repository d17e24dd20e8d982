// What machines differ in and the wire format's readers care for.
#ifndef STRUCTTENSOR_WIRE_INTERNAL_CPU_H_
#define STRUCTTENSOR_WIRE_INTERNAL_CPU_H_

namespace structtensor::wire_internal {

// Whether this machine has PEXT and PDEP that are not made of microcode, as those with AVX-512 do.
bool HasFastPext();

}  // namespace structtensor::wire_internal

#endif  // STRUCTTENSOR_WIRE_INTERNAL_CPU_H_
