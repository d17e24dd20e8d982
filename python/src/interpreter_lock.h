// Work without the interpreter's lock.
#ifndef STRUCTTENSOR_PYTHON_INTERPRETER_LOCK_H_
#define STRUCTTENSOR_PYTHON_INTERPRETER_LOCK_H_

#include <nanobind/nanobind.h>

namespace structtensor::python {

// Releases the interpreter's lock for as long as this object lives. Like nanobind::gil_scoped_release, except for daemon
// threads that are still working when the interpreter ends. Before Python 3.14, the interpreter ends such a thread when the
// thread wants the lock back. It unwinds the thread's stack, which C++ destructors do not allow, so the process aborts. With
// this class, the thread waits for the process to end.
class WithoutInterpreterLock {
 public:
  WithoutInterpreterLock() : state_(PyEval_SaveThread()) {}
  WithoutInterpreterLock(const WithoutInterpreterLock&) = delete;
  WithoutInterpreterLock& operator=(const WithoutInterpreterLock&) = delete;
  ~WithoutInterpreterLock();

 private:
  PyThreadState* const state_;
};

// Call this once, when the interpreter is about to end, in the thread that ends it and with its lock.
void StopOtherThreads();

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_INTERPRETER_LOCK_H_
