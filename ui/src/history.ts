// The history behind the charts, fetched anew as often as its points come.
import { useEffect, useState } from "preact/hooks";
import { call, modelPath } from "./api";

export const spans = { "15m": "15 min", "1h": "1 h", "24h": "24 h", "7d": "7 d" };
export type Span = keyof typeof spans;

export type Column = (number | null)[];

export interface History {
  model: string | null;
  span: Span;
  from: number;
  to: number;
  step_s: number;
  not_kept: string | null;
  total: {
    prompt_tokens: number;
    cached_tokens: number;
    completion_tokens: number;
    turns: number;
    unmeasured_turns: number;
    failed: number;
    cached_share: number | null;
    ttfb_p50_s: number | null;
    ttfb_p95_s: number | null;
  };
  points: {
    at: number[];
    cached_per_s: Column;
    computed_per_s: Column;
    completion_per_s: Column;
    in_flight: Column;
    in_flight_most: Column;
    held: Column;
    held_most: Column;
    ttfb_p50_s: Column;
    ttfb_p95_s: Column;
  };
}

export function useHistory(model: string | null, span: Span): History | null {
  const [history, set] = useState<History | null>(null);
  useEffect(() => {
    let wanted = true;
    const path = model === null ? "/admin/api/history" : modelPath(model, "history");
    const load = () =>
      call<History>("GET", `${path}?span=${span}`).then(
        (answer) => wanted && set(answer),
        () => {}, // the header says that nothing comes
      );
    load();
    const timer = setInterval(load, 10_000);
    return () => {
      wanted = false;
      clearInterval(timer);
    };
  }, [model, span]);
  return history;
}

export function toCsv(history: History): string {
  const columns = Object.entries(history.points) as [string, Column][];
  const names = columns.map(([name]) => (name === "at" ? "time" : name));
  const rows = history.points.at.map((at, row) =>
    columns.map(([name, values]) => (name === "at" ? new Date(at * 1000).toISOString() : (values[row] ?? ""))).join(),
  );
  return [names.join(), ...rows, ""].join("\n");
}
