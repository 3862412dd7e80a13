// The scales and axes of a chart.
import type uPlot from "uplot";
import type { ChartProps } from "./chart";

type Latest = { current: ChartProps };

export function css(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function scales(latest: Latest): uPlot.Scales {
  const { steps, logarithmic } = latest.current;
  if (steps) {
    return {
      x: { time: false, range: [-0.3, steps.length - 0.7] },
      y: logarithmic ? { distr: 3 } : { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] },
    };
  }
  return {
    x: { range: (_, min, max) => (min == null || max - min > 1e9 ? [latest.current.from, latest.current.to] : whole(latest.current, min, max)) },
    y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] },
  };
}

export function axes(latest: Latest): uPlot.Axis[] {
  const grid = { stroke: css("--line"), width: 1 };
  const axis = { stroke: css("--quiet"), grid, ticks: { ...grid, size: 4 }, font: "12px system-ui, sans-serif" };
  const { lines, steps } = latest.current;
  const show = lines[0]?.show ?? String;
  const y: uPlot.Axis = { ...axis, size: 56, space: 32, values: (_, ticks) => ticks.map((v) => (v === null ? "" : show(v))) };
  if (steps) {
    const places = steps.map((_, i) => i);
    return [{ ...axis, size: 28, splits: () => places, values: () => steps }, y];
  }
  return [{ ...axis, space: 64, size: 28, values: (_, ticks, __, ___, step) => ticks.map((at) => time(at, step, latest.current)) }, y];
}

// Days where the chart has many of them, seconds where it is zoomed far in.
function time(at: number, step: number, { from, to }: ChartProps): string {
  const date = new Date(at * 1000);
  if (to - from > 2 * 86_400 || date.getHours() + date.getMinutes() === 0)
    return date.toLocaleDateString([], { month: "short", day: "numeric" });
  const second = step < 60 ? "2-digit" : undefined;
  return date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second, hour12: false });
}

// All of the data is shown as all of the time span, also where nothing was seen.
function whole({ at, from, to }: ChartProps, min: number, max: number): [number, number] {
  return min <= (at[0] ?? min) && max >= (at.at(-1) ?? max) ? [from, to] : [min, max];
}
