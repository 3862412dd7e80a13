// An io_context on a thread of its own.
#pragma once

#include <functional>
#include <future>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include "net/asio.hpp"

namespace lmw::app {

class Worker {
 public:
  Worker() : work_(net::asio::make_work_guard(context_)), thread_([this] { context_.run(); }) {}
  ~Worker() { join(); }

  // Ends the thread. What it was given must have been stopped, so that the io_context runs out of work.
  void join() {
    work_.reset();
    if (thread_.joinable()) thread_.join();
  }

  net::asio::io_context& context() { return context_; }

  // Runs `task` on the worker's thread and waits for its result.
  template <class Task>
  auto call(Task task) {
    std::packaged_task<decltype(task())()> packaged(std::move(task));
    auto result = packaged.get_future();
    net::asio::post(context_, [&packaged] { packaged(); });
    return result.get();
  }

 private:
  net::asio::io_context context_{1};
  net::asio::executor_work_guard<net::asio::io_context::executor_type> work_;
  std::thread thread_;
};

}  // namespace lmw::app
