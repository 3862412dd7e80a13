#include "admin/bench_api.hpp"

#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <nlohmann/json.hpp>

#include "admin/bench_json.hpp"
#include "base/utc.hpp"
#include "report/html.hpp"
#include "report/json.hpp"
#include "report/tables.hpp"

namespace lmw::admin {

namespace {

using nlohmann::json;

struct Form {
  std::string_view name, type;
  std::string (*make)(const report::Report&);
};

constexpr std::array forms{Form{"json", "application/json", report::to_json},
                           Form{"html", "text/html; charset=utf-8", report::to_html},
                           Form{"csv", "text/csv", report::to_csv},
                           Form{"markdown", "text/markdown; charset=utf-8", report::to_markdown}};

// To be saved, not shown: what is in a report is not the page's.
Response download(std::string_view id, const Form& form, const report::Report& report) {
  Response response{.body = form.make(report), .type = form.type};
  const auto ending = form.name == "markdown" ? "md" : form.name;
  response.headers.add("Content-Disposition", fmt::format("attachment; filename=\"{}.{}\"", id, ending));
  return response;
}

Response created(int status, const json& value) {
  auto response = Response::of(value);
  response.status = status;
  return response;
}

net::awaitable<Response> run(std::function<Response()> task) { co_return task(); }

}  // namespace

bool BenchApi::takes(const Path& path) {
  return matches(path, "admin/api/reports") || matches(path, "admin/api/reports/*") ||
         matches(path, "admin/api/lab") || matches(path, "admin/api/lab/cancel");
}

net::awaitable<Response> BenchApi::on_disk(std::function<Response()> task) {
  co_return co_await net::asio::co_spawn(disk_, run(std::move(task)), net::asio::use_awaitable);
}

net::awaitable<Response> BenchApi::get(Path path, std::string target) {
  if (matches(path, "admin/api/lab")) co_return lab();
  if (matches(path, "admin/api/reports")) co_return co_await on_disk([this] { return list(); });
  const auto form = std::string(query_value(target, "as").value_or(""));
  co_return co_await on_disk([this, id = path.back(), form] { return report(id, form); });
}

net::awaitable<Response> BenchApi::change(Path path, std::string method, std::string body) {
  if (matches(path, "admin/api/lab/cancel")) co_return cancel();
  if (matches(path, "admin/api/lab")) co_return co_await on_disk([this, body] { return start(body); });
  if (method == "DELETE") co_return co_await on_disk([this, id = path.back()] { return remove(id); });
  co_return co_await on_disk([this, body] { return add(body); });
}

Response BenchApi::list() const { return Response::of(reports_json(reports_.list(), reports_.problem())); }

Response BenchApi::report(std::string_view id, std::string_view form) const {
  const auto found = reports_.read(id);
  if (!found) return Response::error(404, found.error().message);
  if (form.empty()) return Response::of(report_json(id, *found));
  const auto known = std::ranges::find(forms, form, &Form::name);
  if (known == forms.end()) return Response::error(400, "as is json, html, csv or markdown");
  return download(id, *known, *found);
}

Response BenchApi::add(std::string_view body) {
  if (body.size() > Reports::most_bytes)
    return Response::error(413, fmt::format("a report has at most {} bytes", Reports::most_bytes));
  const auto report = report::from_json(body);
  if (!report) return Response::error(400, report.error().message);
  if (const auto problem = reports_.problem(); !problem.empty()) return Response::error(409, problem);
  const auto id = reports_.add(*report, unix_now());
  return id ? created(201, {{"id", *id}}) : Response::error(507, id.error().message);
}

Response BenchApi::remove(std::string_view id) {
  const auto removed = reports_.remove(id);
  if (!removed) return Response::error(500, removed.error().message);
  return *removed ? Response::ok() : Response::error(404, "there is no such report");
}

Response BenchApi::lab() const { return Response::of(lab_json(runs_.status())); }

Response BenchApi::start(std::string_view body) {
  const auto request = lab_request(body);
  if (!request) return Response::error(400, request.error().message);
  const auto refused = runs_.start(*request);
  if (!refused) return created(202, lab_json(runs_.status()));
  return Response::error(refused->why == LabRuns::Refusal::bad_request ? 400 : 409, refused->message);
}

Response BenchApi::cancel() {
  return runs_.cancel() ? Response::ok() : Response::error(409, "no run is under way");
}

}  // namespace lmw::admin
