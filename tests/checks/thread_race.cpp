// Two threads of a team write one variable: ThreadSanitizer must say so.
#include <mass/backend/thread_team.hpp>

int main() {
  int shared = 0;
  mass::detail::ThreadTeam team(2);
  team.run([&](int rank) {
    for (int i = 0; i < 100000; ++i) shared += rank;
  });
  return shared == -1;
}
