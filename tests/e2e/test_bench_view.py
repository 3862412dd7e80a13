"""What the page's Bench view asks for: stored reports, and lab runs on the replica model."""

import json
import tempfile
from pathlib import Path

from harness.case import GatewayCase, SESSION

REPORTS = "/admin/api/reports"
LAB = "/admin/api/lab"
REPORT = {"title": "Mine", "provenance": {"seed": "1"},
          "arms": [{"name": "off", "what": "<b>the</b> engine", "steps": [{"sessions": 4, "turns": 7}]}]}
SHORT = {"workload": "published", "arms": ["engine", "affinity"]}
LONG = {"workload": "think", "arms": ["places", "affinity", "engine", "hash", "round-robin"], "seeds": 20}


class BenchCase(GatewayCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def started(self, *flags):
        return self.gateway(flags=("--engine", "http://127.0.0.1:1", "--data-dir", str(self.folder), *flags), wait=False)

    def ended(self, gateway):
        gateway.poll(lambda: gateway.admin("GET", LAB).json()["run"]["state"] != "running", 60, "the run's end")
        return gateway.admin("GET", LAB).json()["run"]


class Reports(BenchCase):
    def test_a_report_is_uploaded_listed_opened_and_deleted(self):
        gateway = self.started()
        empty = gateway.admin("GET", REPORTS).json()
        self.assertEqual((empty["reports"], empty["problem"]), ([], None))
        answer = gateway.admin("POST", REPORTS, REPORT)
        self.assertEqual(answer.status, 201, answer)
        name = answer.json()["id"]
        listed, = gateway.admin("GET", REPORTS).json()["reports"]
        self.assertEqual((listed["id"], listed["title"], listed["arms"], listed["problem"]), (name, "Mine", ["off"], None))
        opened = gateway.admin("GET", f"{REPORTS}/{name}").json()
        self.assertEqual(opened["report"]["arms"][0]["steps"][0]["turns"], 7)
        self.assertIn("turns", [column["field"] for column in opened["columns"]])
        self.assertIn("hits_pct", [figure["field"] for figure in opened["figures"]])
        self.assertEqual(gateway.admin("DELETE", f"{REPORTS}/{name}", {}).status, 200)
        self.assertEqual(gateway.admin("DELETE", f"{REPORTS}/{name}", {}).status, 404)
        self.assertEqual(gateway.admin("GET", f"{REPORTS}/{name}").status, 404)

    def test_it_outlives_a_restart_and_what_is_put_into_the_folder_is_listed(self):
        gateway = self.started()
        gateway.admin("POST", REPORTS, REPORT)
        gateway.stop()
        (self.folder / "reports/by-hand.json").write_text(json.dumps(REPORT | {"title": "By hand"}))
        (self.folder / "reports/broken.json").write_text("{")
        titles = {each["title"]: each["problem"] for each in self.started().admin("GET", REPORTS).json()["reports"]}
        self.assertEqual(set(titles), {"Mine", "By hand", ""})
        self.assertIn("no report of lmwarden", titles[""])

    def test_it_is_saved_in_each_form_and_never_shown_as_a_page_of_ours(self):
        gateway = self.started()
        name = gateway.admin("POST", REPORTS, REPORT).json()["id"]
        for form, kind, ending in (("json", "application/json", "json"), ("html", "text/html; charset=utf-8", "html"),
                                   ("csv", "text/csv", "csv"), ("markdown", "text/markdown; charset=utf-8", "md")):
            answer = gateway.admin("GET", f"{REPORTS}/{name}?as={form}")
            self.assertEqual((answer.status, answer.headers.get("Content-Type")), (200, kind))
            self.assertEqual(answer.headers.get("Content-Disposition"), f'attachment; filename="{name}.{ending}"')
            self.assertNotIn(b"<b>the</b>", answer.body) if form == "html" else None
        self.assertEqual(gateway.admin("GET", f"{REPORTS}/{name}?as=exe").status, 400)
        again = gateway.admin("POST", REPORTS, gateway.admin("GET", f"{REPORTS}/{name}?as=json").body)
        self.assertEqual(again.status, 201)

    def test_what_is_no_report_is_refused(self):
        gateway = self.started()
        for body in (b"", b"{", b"[]", b"{}", b'{"arms":1}', b'{"arms":[{}]}', b'{"arms":[{"name":"\xff","steps":[]}]}'):
            self.assertEqual(gateway.admin("POST", REPORTS, body).status, 400, body)
        large = json.dumps(REPORT | {"title": "x" * 600_000}).encode()
        self.assertEqual(gateway.admin("POST", REPORTS, large).status, 413)
        for name in ("%2e%2e%2fhistory", "..", "a%2Fb", "x" * 200, "%00"):
            self.assertEqual(gateway.admin("GET", f"{REPORTS}/{name}").status, 404, name)
        self.assertEqual(gateway.admin("PUT", REPORTS, REPORT).status, 405)
        self.assertEqual(gateway.admin("GET", REPORTS).json()["reports"], [])

    def test_their_number_is_bounded(self):
        gateway = self.started()
        (self.folder / "reports").mkdir()
        for number in range(100):
            (self.folder / f"reports/{number}.json").write_text(json.dumps(REPORT))
        self.assertIn("delete one", gateway.admin("GET", REPORTS).json()["problem"])
        self.assertEqual(gateway.admin("POST", REPORTS, REPORT).status, 409)
        self.assertEqual(gateway.admin("POST", LAB, SHORT).status, 409)
        gateway.admin("DELETE", f"{REPORTS}/7", {})
        self.assertEqual(gateway.admin("POST", REPORTS, REPORT).status, 201)

    def test_where_nothing_can_be_stored_it_is_said(self):
        gateway = self.started("--data-dir", "none")
        self.assertEqual(gateway.admin("GET", REPORTS).json()["problem"], "no data directory is set")
        self.assertEqual(gateway.admin("POST", REPORTS, REPORT).status, 409)
        (self.folder / "file").write_text("")
        blocked = self.started("--data-dir", str(self.folder / "file"))
        self.assertEqual(blocked.admin("POST", REPORTS, REPORT).status, 507)

    def test_it_needs_the_token_and_no_other_site_can_change_it(self):
        gateway = self.started("--admin-token", "correct-horse-battery")
        for method, target, body in (("GET", REPORTS, None), ("POST", REPORTS, REPORT), ("DELETE", f"{REPORTS}/x", {}),
                                     ("GET", f"{REPORTS}/x?as=html", None), ("GET", LAB, None), ("POST", LAB, SHORT),
                                     ("POST", f"{LAB}/cancel", {})):
            self.assertEqual(gateway.admin(method, target, body).status, 401, (method, target))
        open_to_all = self.started()
        name = open_to_all.admin("POST", REPORTS, REPORT).json()["id"]
        evil = [("Origin", "http://evil.example")]
        for method, target, body in (("POST", REPORTS, REPORT), ("DELETE", f"{REPORTS}/{name}", {}), ("POST", LAB, SHORT)):
            self.assertEqual(open_to_all.admin(method, target, body, evil).status, 403, (method, target))
        self.assertEqual(len(open_to_all.admin("GET", REPORTS).json()["reports"]), 1)


class Lab(BenchCase):
    def test_a_run_ends_in_a_stored_report(self):
        gateway = self.started()
        known = gateway.admin("GET", LAB).json()
        self.assertIsNone(known["run"])
        self.assertIn("published", [each["name"] for each in known["workloads"]])
        self.assertNotIn("weka", [each["name"] for each in known["workloads"]], "it needs a trace")
        started = gateway.admin("POST", LAB, SHORT | {"seed": 3, "seeds": 2})
        self.assertEqual((started.status, started.json()["run"]["workload"]), (202, "published"))
        run = self.ended(gateway)
        self.assertEqual((run["state"], run["progress"], run["problem"]), ("done", 1, None))
        report = gateway.admin("GET", f"{REPORTS}/{run['report']}").json()["report"]
        self.assertEqual([arm["name"] for arm in report["arms"]], ["engine", "affinity"])
        self.assertIn("spread", report["arms"][0])
        self.assertEqual(report["provenance"]["seeds"], "3 to 4; means")

    def test_one_runs_at_a_time_and_can_be_cancelled(self):
        gateway = self.started()
        self.assertEqual(gateway.admin("POST", f"{LAB}/cancel", {}).status, 409)
        self.assertEqual(gateway.admin("POST", LAB, LONG).status, 202)
        self.assertEqual(gateway.admin("POST", LAB, SHORT).status, 409)
        gateway.poll(lambda: gateway.admin("GET", LAB).json()["run"]["progress"] > 0, what="progress")
        self.assertEqual(gateway.admin("POST", f"{LAB}/cancel", {}).status, 200)
        self.assertEqual(self.ended(gateway)["state"], "cancelled")
        self.assertEqual(gateway.admin("GET", REPORTS).json()["reports"], [])
        self.assertEqual(gateway.admin("POST", LAB, SHORT).status, 202)

    def test_what_cant_be_run_is_refused(self):
        gateway = self.started()
        for change in ({"workload": "weka"}, {"workload": "x"}, {"arms": []}, {"arms": ["x"]}, {"arms": ["hash", "hash"]},
                       {"seeds": 21}, {"seeds": 0}, {"seed": "1"}, {"sessions": [4]}):
            self.assertEqual(gateway.admin("POST", LAB, SHORT | change).status, 400, change)
        self.assertEqual(gateway.admin("POST", LAB, b"{").status, 400)
        self.assertIsNone(gateway.admin("GET", LAB).json()["run"])

    def test_a_gateway_that_stops_does_not_wait_for_it(self):
        gateway = self.started()
        self.assertEqual(gateway.admin("POST", LAB, LONG).status, 202)
        gateway.terminate()
        gateway.wait(5)
        self.assertFalse((self.folder / "reports").exists())

    def test_turns_go_on_beside_it(self):
        upstream = self.upstream()
        gateway = self.gateway(upstream, flags=("--data-dir", str(self.folder)))
        self.assertEqual(gateway.admin("POST", LAB, LONG).status, 202)
        for _ in range(20):
            self.assertEqual(gateway.messages([(SESSION, "11111111-1111-4111-8111-111111111111")]).status, 200)
        self.assertEqual(gateway.admin("GET", LAB).json()["run"]["state"], "running")
        self.assertEqual(gateway.admin("POST", f"{LAB}/cancel", {}).status, 200)


class Why(GatewayCase):
    def test_each_turn_says_why_it_went_there_and_what_the_engine_would_have_come_to(self):
        _, gateway = self.pair(ranks=2, flags=("--admission", "off"))
        session = [(SESSION, "11111111-1111-4111-8111-111111111111")]
        for _ in range(2):
            self.assertEqual(gateway.messages(session).status, 200)
        listed, = gateway.conversations()
        self.assertEqual(len(listed["cached_percents"]), 2)
        turns = gateway.admin("GET", f"/admin/api/models/tiny/conversations/{listed['key']}").json()["turns"]
        first, second = turns
        self.assertEqual((first["why"]["source"], first["why"]["home"], first["why"]["rule"]), ("claude-code", None, "affinity"))
        self.assertEqual([load["load"] for load in first["why"]["loads"]], [0, 0])
        self.assertIsNone(first["counterfactual"])
        self.assertEqual(second["why"]["home"], second["replica"])
        self.assertEqual([load["recent_conversations"] for load in second["why"]["loads"]], [1, 0])
        self.assertTrue(second["counterfactual"]["estimate"])
        total = gateway.totals()["counterfactual"]
        self.assertEqual((total["turns"], total["saved_tokens"]), (1, second["counterfactual"]["saved_tokens"]))
        self.assertEqual(total["own_cached_tokens"] - total["cached_tokens"], total["saved_tokens"])
