#include <mass/io/schema.hpp>

#include <mass/model/model_settings.hpp>
#include <mass/program/balance_monitor.hpp>
#include <mass/program/predict_run.hpp>
#include <mass/program/simulation.hpp>

namespace mass {

Schema Schema::library() {
  Schema schema;
  detail::addModelKeys(schema);
  detail::BalanceMonitor::addKeys(schema);
  detail::addSimulationKeys(schema);
  detail::addPredictionKeys(schema);
  return schema;
}

}  // namespace mass
