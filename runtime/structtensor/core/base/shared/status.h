// Two macros for absl::Status.
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_STATUS_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_STATUS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Returns from the enclosing function if `expr` is a status that is not OK.
#define STRUCTTENSOR_RETURN_IF_ERROR(expr)                    \
  do {                                                        \
    if (absl::Status st_status_ = (expr); !st_status_.ok()) { \
      return st_status_;                                      \
    }                                                         \
  } while (false)

// Declares or assigns `lhs` from the value of `expr`, an absl::StatusOr, or returns its error.
#define STRUCTTENSOR_ASSIGN_OR_RETURN(lhs, expr) \
  STRUCTTENSOR_ASSIGN_OR_RETURN_IMPL_(STRUCTTENSOR_CONCAT_(st_status_or_, __LINE__), lhs, expr)

#define STRUCTTENSOR_CONCAT_INNER_(a, b) a##b
#define STRUCTTENSOR_CONCAT_(a, b) STRUCTTENSOR_CONCAT_INNER_(a, b)
#define STRUCTTENSOR_ASSIGN_OR_RETURN_IMPL_(status_or, lhs, expr) \
  auto status_or = (expr);                                        \
  if (!status_or.ok()) return status_or.status();                 \
  lhs = *std::move(status_or)

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_STATUS_H_
