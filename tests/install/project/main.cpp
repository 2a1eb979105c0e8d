#include <mass/support/error.hpp>

#include <iostream>

int main() {
  try {
    throw mass::UsageError("thrown {} the project", "outside");
  } catch (const mass::Error& error) {
    std::cout << error.what() << '\n';
  }
}
