#include <apps/rdme/model.hpp>

namespace rdme {

mass::Schema schema() {
  return mass::Schema::library();
}

}  // namespace rdme
