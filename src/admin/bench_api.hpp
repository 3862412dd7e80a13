// The requests of the page's Bench view: stored reports, and lab runs.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <boost/asio/thread_pool.hpp>

#include "admin/lab_runs.hpp"
#include "admin/reports.hpp"
#include "admin/response.hpp"
#include "admin/target.hpp"
#include "net/asio.hpp"

namespace lmw::admin {

class BenchApi {
 public:
  explicit BenchApi(std::string folder) : reports_(std::move(folder)), runs_(reports_) {}

  static bool takes(const Path& path);
  // Turns never wait for the disk: what needs it is done on a thread of its own.
  net::awaitable<Response> get(Path path, std::string target);
  net::awaitable<Response> change(Path path, std::string method, std::string body);
  // The run under way is given up.
  void stop() { runs_.cancel(); }

 private:
  net::awaitable<Response> on_disk(std::function<Response()> task);
  Response list() const;
  Response report(std::string_view id, std::string_view form) const;
  Response add(std::string_view body);
  Response remove(std::string_view id);
  Response lab() const;
  Response start(std::string_view body);
  Response cancel();

  Reports reports_;
  LabRuns runs_;
  net::asio::thread_pool disk_{1};
};

}  // namespace lmw::admin
