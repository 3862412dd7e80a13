// A report as `lmwarden lab` writes one, with what tables and figures must bear: a zero, and what was not measured.
const step = (sessions, change) => ({
  sessions,
  turns: 100 * change,
  tokens_per_min: 9000 * change,
  ttfb_p50_s: 2 / change,
  ttfb_p95_s: sessions > 4 ? null : 6 / change,
  replicas_busy: 3.5,
  hits_pct: 50 * change,
  failures: 0,
});
const steps = (change) => [4, 8, 16].map((sessions) => step(sessions, change));

export const report = {
  title: "Before and after",
  provenance: { version: "lmwarden test", seed: "1" },
  arms: [
    { name: "off", what: "the engine's balancer", steps: steps(1), spread: steps(0.1) },
    { name: "on", what: "every turn goes home", steps: steps(1.5), spread: steps(0.1) },
  ],
};
