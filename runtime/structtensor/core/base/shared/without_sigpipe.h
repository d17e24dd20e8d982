// Network libraries raise SIGPIPE when they write to a connection that the other side has closed. SIGPIPE ends the process.
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_WITHOUT_SIGPIPE_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_WITHOUT_SIGPIPE_H_

#include <pthread.h>
#include <signal.h>

#include <cerrno>
#include <ctime>

namespace structtensor::base_internal {

// Blocks SIGPIPE in this thread while the object lives, and for good in threads that are started meanwhile. Other threads
// handle closed pipes as before: the signal always goes to the thread that writes.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    sigemptyset(&sigpipe_);
    sigaddset(&sigpipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &sigpipe_, &mask_);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;
  ~WithoutSigpipe() {
    constexpr timespec kNow = {0, 0};
    while (!was_pending_ && sigtimedwait(&sigpipe_, nullptr, &kNow) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  }

 private:
  sigset_t sigpipe_;
  sigset_t mask_;
  bool was_pending_;
};

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_WITHOUT_SIGPIPE_H_
