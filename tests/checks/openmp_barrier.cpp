// Each thread reads what another wrote before a barrier: ThreadSanitizer must be silent.
#include <omp.h>

int main() {
  constexpr int kThreads = 4;
  int written[kThreads] = {};
  int wrong = 0;
#pragma omp parallel num_threads(kThreads) reduction(+ : wrong)
  {
    const int self = omp_get_thread_num();
    for (int round = 1; round <= 1000; ++round) {
      written[self] = round;
#pragma omp barrier
      wrong += written[(self + 1) % omp_get_num_threads()] != round;
#pragma omp barrier
    }
  }
  return wrong;
}
