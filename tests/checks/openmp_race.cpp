// Two threads write one variable: ThreadSanitizer must say so.
int main() {
  int shared = 0;
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 100000; ++i) shared += i;
  return shared == -1;
}
