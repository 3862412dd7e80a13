#include "app/demo.hpp"

#include <array>
#include <cstdio>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include "app/banner.hpp"
#include "app/gateway_service.hpp"
#include "app/progress_line.hpp"
#include "app/run_to_end.hpp"
#include "app/worker.hpp"
#include "base/version.hpp"
#include "bench/experiment.hpp"
#include "report/file.hpp"
#include "report/json.hpp"
#include "report/tables.hpp"
#include "simulator/simulator.hpp"

namespace lmw::app {

namespace {

constexpr std::string_view model = "demo-model";

struct ArmPlan {
  std::string name;
  std::string what;
  replica::Balancer balancer;
  bool affinity;
  std::string admission;
};

const auto plans = std::to_array<ArmPlan>({
    {"engine-0.26", "the engine's balancer, vLLM 0.26: blind round robin", replica::Balancer::engine_0_26,
     false, "off"},
    {"engine", "the engine's balancer, vLLM 0.27 and later: least loaded", replica::Balancer::engine, false,
     "off"},
    {"affinity", "LM Warden: every turn goes home", replica::Balancer::engine, true, "off"},
    {"places", "LM Warden as it comes: the same, and turns wait for room in the caches",
     replica::Balancer::engine, true, "auto"},
});

// A simulated engine with a gateway before it, each on a thread of its own.
class Box {
 public:
  static Result<std::unique_ptr<Box>> start(const DemoOptions& options, const ArmPlan& plan) {
    std::unique_ptr<Box> box(new Box);
    simulator::SimulatorOptions engine{.listen = "127.0.0.1:0",
                                       .profile = *replica::find_profile(options.profile),
                                       .replicas = options.replicas,
                                       .balancer = plan.balancer,
                                       .api_servers = options.replicas,
                                       .model = std::string(model),
                                       .engine_version = "0.33.0",  // the first that heeds every rank
                                       .seed = options.seed};
    auto simulated = box->engine_thread_.call([&] {
      return simulator::Simulator::start(box->engine_thread_.context(), engine, EngineClock(options.speed));
    });
    if (!simulated) return std::unexpected(simulated.error());
    box->engine_ = std::move(*simulated);

    config::Config config{.listen = options.listen,
                          .admin_listen = options.admin_listen,
                          .time_scale = options.speed,
                          .affinity = plan.affinity,
                          .admission = plan.admission};
    config.engines.push_back({.name = "demo", .url = box->engine_->url()});
    auto service = box->gateway_thread_.call([&] {
      auto started = GatewayService::start(box->gateway_thread_.context(), config);
      if (started) (*started)->directory().start();
      return started;
    });
    if (!service) return std::unexpected(service.error());
    box->gateway_ = std::move(*service);
    return box;
  }

  ~Box() {
    if (gateway_) gateway_thread_.call([&] { gateway_->stop(); });
    if (engine_) engine_thread_.call([&] { engine_->stop(); });
    gateway_thread_.join();
    engine_thread_.join();
  }

  const GatewayService& gateway() const { return *gateway_; }
  const simulator::Simulator& engine() const { return *engine_; }

 private:
  Box() = default;

  // What runs on an io_context is destroyed before it, and after its thread has ended.
  Worker engine_thread_;
  Worker gateway_thread_;
  std::unique_ptr<simulator::Simulator> engine_;
  std::unique_ptr<GatewayService> gateway_;
};

net::awaitable<void> wait_until_ready(net::asio::io_context& context, Origin target) {
  while (true) {
    const auto health = co_await net::fetch(target, "/health", {});
    if (health && health->head.status == 200) co_return;
    net::asio::steady_timer timer(context, std::chrono::milliseconds(10));
    co_await timer.async_wait(net::asio::as_tuple(net::asio::use_awaitable));
  }
}

// The published sessions, by so many agents for so long, with the box as it is.
bench::ExperimentOptions experiment_of(const DemoOptions& options, const Box& box, const std::string& arm) {
  auto workload = *lab::find_workload("published");
  workload.sessions = {options.agents};
  workload.step = from_seconds(options.seconds);
  return {.workload = std::move(workload),
          .target = parse_origin(box.gateway().api_url()).value(),
          .dialect = {.ids = bench::Ids::claude_code, .model = std::string(model)},
          .arms = {bench::find_arm("as-is")},
          .seed = options.seed,
          .salt = arm,
          .engines = {{parse_origin(box.engine().url()).value(), ""}}};
}

Result<report::Step> run_arm(const DemoOptions& options, std::size_t arm, const Box& box) {
  net::asio::io_context context(1);
  const EngineClock clock(options.speed);
  bench::Gateway gateway({parse_origin(box.gateway().admin_url()).value(), ""}, std::string(model));
  bench::Experiment experiment(context, experiment_of(options, box, plans[arm].name), &gateway, clock);
  ProgressLine line;
  const auto result = run_to_end(context, [&]() -> net::awaitable<Result<void>> {
    co_await wait_until_ready(context, parse_origin(box.gateway().api_url()).value());
    co_return co_await experiment.run(
        [&](const bench::Progress& progress) {
          const double arms_left = static_cast<double>(plans.size() - arm) - progress.share;
          line.show(plans[arm].name, progress.share, progress.step,
                    arms_left * options.seconds / options.speed);
        },
        [] {});
  });
  line.end();
  if (!result) return std::unexpected(result.error());
  return experiment.report().arms.front().steps.front();
}

report::Report describe(const DemoOptions& options) {
  return {.title = "Demo",
          .provenance = {{"version", std::string(version)},
                         {"engine", "replica model behind HTTP"},
                         {"profile", options.profile},
                         {"replicas", std::to_string(options.replicas)},
                         {"seed", std::to_string(options.seed)},
                         {"clock", fmt::format("{:g} × the wall clock", options.speed)}}};
}

void print_results(const report::Report& report, const DemoOptions& options) {
  fmt::print("\n{}\n", report::to_table(report));
  for (const auto& plan : plans) fmt::print("{:<12} {}\n", plan.name, plan.what);
  fmt::print("\nTimes are engine seconds of the model '{}': a model, not a measurement of your GPUs.\n",
             options.profile);
  std::fflush(stdout);
}

void keep_serving(const Box& box) {
  fmt::print("\nStill serving the replica model.\nAPI    {}\nAdmin  {}\n{}\nCtrl-C ends it.\n",
             box.gateway().api_url(), box.gateway().admin_url(),
             settings_banner(box.gateway().api_url(),
                             {std::string(model), box.engine().options().profile.max_model_len}));
  std::fflush(stdout);
  net::asio::io_context context;
  net::asio::signal_set signals(context, SIGINT, SIGTERM);
  signals.async_wait([](boost::system::error_code, int) {});
  context.run();
}

}  // namespace

int run_demo(const DemoOptions& options) {
  const auto fail = [](const std::string& why) {
    fmt::print(stderr, "lmwarden: {}\n", why);
    return 1;
  };
  if (!replica::find_profile(options.profile))
    return fail(fmt::format("there is no profile '{}'", options.profile));
  fmt::print("{} agents on {} replicas ({}), {:.0f} engine seconds an arm at {:g} times the wall clock\n\n",
             options.agents, options.replicas, options.profile, options.seconds, options.speed);
  report::Report report = describe(options);
  std::unique_ptr<Box> box;
  for (std::size_t arm = 0; arm < plans.size(); ++arm) {
    box.reset();
    auto started = Box::start(options, plans[arm]);
    if (!started) return fail(started.error().message);
    box = std::move(*started);
    const auto step = run_arm(options, arm, *box);
    if (!step) return fail(step.error().message);
    report.arms.push_back({plans[arm].name, plans[arm].what, {*step}, {}});
  }
  print_results(report, options);
  if (!options.json_file.empty()) {
    if (const auto written = report::write_file(options.json_file, report::to_json(report)); !written)
      return fail(written.error().message);
  }
  if (!options.exit) keep_serving(*box);
  return 0;
}

}  // namespace lmw::app
