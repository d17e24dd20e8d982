// The fields that the messages of everything.proto and everything2.proto have of each kind, for tests that treat them alike.
#ifndef STRUCTTENSOR_TESTS_ORACLE_EACH_KIND_H_
#define STRUCTTENSOR_TESTS_ORACLE_EACH_KIND_H_

// APPLY(field) for each singular field of a kind other than enum and message.
#define EACH_KIND(APPLY) \
  APPLY(int32_value)     \
  APPLY(uint64_value)    \
  APPLY(fixed32_value)   \
  APPLY(sfixed64_value)  \
  APPLY(bytes_value)     \
  APPLY(double_value)    \
  APPLY(int64_value)     \
  APPLY(sint32_value)    \
  APPLY(fixed64_value)   \
  APPLY(bool_value)      \
  APPLY(float_value)     \
  APPLY(uint32_value)    \
  APPLY(sint64_value)    \
  APPLY(sfixed32_value)  \
  APPLY(string_value)
// The same for repeated fields: numbers and bools, then bytes and strings.
#define EACH_REPEATED_NUMBER(APPLY) \
  APPLY(int32_values)               \
  APPLY(uint64_values)              \
  APPLY(fixed32_values)             \
  APPLY(sfixed64_values)            \
  APPLY(double_values)              \
  APPLY(int64_values)               \
  APPLY(sint32_values)              \
  APPLY(fixed64_values)             \
  APPLY(bool_values)                \
  APPLY(float_values)               \
  APPLY(uint32_values)              \
  APPLY(sint64_values)              \
  APPLY(sfixed32_values)
#define EACH_REPEATED_TEXT(APPLY) \
  APPLY(bytes_values)             \
  APPLY(string_values)
#define EACH_REPEATED_KIND(APPLY) \
  EACH_REPEATED_NUMBER(APPLY)     \
  EACH_REPEATED_TEXT(APPLY)

#endif  // STRUCTTENSOR_TESTS_ORACLE_EACH_KIND_H_
