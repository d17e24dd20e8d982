// Working without the interpreter's lock.
#ifndef STRUCTTENSOR_PYTHON_INTERPRETER_LOCK_H_
#define STRUCTTENSOR_PYTHON_INTERPRETER_LOCK_H_

#include <nanobind/nanobind.h>

namespace structtensor::python {

// Gives the interpreter's lock up for as long as it lives. As nanobind::gil_scoped_release, but for daemon threads that are
// still at work when the interpreter ends: before Python 3.14 it ends such a thread when it wants the lock back, by unwinding
// its stack, which C++ destructors do not allow (the process aborts). Here the thread waits for the process to end instead.
class WithoutInterpreterLock {
 public:
  WithoutInterpreterLock() : state_(PyEval_SaveThread()) {}
  WithoutInterpreterLock(const WithoutInterpreterLock&) = delete;
  WithoutInterpreterLock& operator=(const WithoutInterpreterLock&) = delete;
  ~WithoutInterpreterLock();

 private:
  PyThreadState* const state_;
};

// To be called once, when the interpreter is about to end, by the thread that ends it and with its lock.
void StopOtherThreads();

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_INTERPRETER_LOCK_H_
