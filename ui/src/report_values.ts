// The numbers of a report as people read them.
import { dash } from "./format";
import type { Tone } from "./parts";
import type { Arm, Column } from "./report_types";

export function showAs(column: Column, value: number | null | undefined): string {
  if (value == null) return dash;
  const digits = { minimumFractionDigits: column.decimals, maximumFractionDigits: column.decimals };
  return value.toLocaleString("en", digits) + unit(column);
}

function unit({ field }: Column): string {
  return field.endsWith("_pct") ? "\u00a0%" : field.endsWith("_s") ? "\u00a0s" : "";
}

// The number of sessions of each step, of the arm that has the most.
export function stepNames(arms: Arm[]): string[] {
  const most = arms.reduce((longest, arm) => (arm.steps.length > longest.length ? arm.steps : longest), [] as Arm["steps"]);
  return most.map((step) => (step.sessions > 0 ? String(step.sessions) : "open"));
}

// What says nothing is left out: not measured, or 0 throughout.
export function isShown(column: Column, arms: Arm[]): boolean {
  return arms.some((arm) => arm.steps.some((step) => !!step[column.field]));
}

const moreIsBetter = new Set(["turns", "sessions_per_hour", "tokens_per_min", "replicas_busy", "hits_pct", "cached_pct", "stayed_pct", "fairness"]);
const lessIsBetter = new Set(["ttfb_mean_s", "ttfb_p50_s", "ttfb_p95_s", "ttfb_p99_s", "turn_p50_s", "turn_p95_s", "computed_tokens", "failures", "worst_wait_s"]);

// From `from` to `value`: shares in points, the rest in percent.
export function change(column: Column, value: number | null, from: number | null): { text: string; tone: Tone } | null {
  if (value == null || from == null) return null;
  const isShare = column.field.endsWith("_pct");
  if (!isShare && from === 0) return null;
  const moved = isShare ? value - from : (100 * (value - from)) / from;
  const rounded = isShare ? moved.toFixed(1) : moved.toFixed(0);
  if (Number(rounded) === 0) return { text: "±0", tone: "quiet" };
  const good = moreIsBetter.has(column.field) ? moved > 0 : lessIsBetter.has(column.field) ? moved < 0 : null;
  const text = `${moved > 0 ? "+" : "−"}${rounded.replace("-", "")}${isShare ? "\u00a0pt" : "\u00a0%"}`;
  return { text, tone: good === null ? "quiet" : good ? "good" : "bad" };
}
