// One chart over time. Drag to zoom in, double-click to see everything again.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";

export interface Line {
  label: string;
  color: string; // a custom property of style.css
  values: (number | null)[];
  fill?: boolean;
  show: (value: number) => string;
}

export interface ChartProps {
  title: string;
  summary: string; // what the chart shows, for those who don't see it
  at: number[];
  from: number;
  to: number;
  lines: Line[];
  stacked?: boolean; // each line stands on the one after it
}

const height = 170;

export function Chart(props: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const labels = props.lines.map((line) => line.label).join();

  useEffect(() => {
    const target = box.current!;
    const make = () => {
      plot.current?.destroy();
      plot.current = new uPlot(options(latest, target), data(latest.current), target);
    };
    make();
    const size = new ResizeObserver(([seen]) => plot.current?.setSize({ width: seen!.contentRect.width, height }));
    size.observe(target);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", make);
    addEventListener("theme", make);
    return () => {
      size.disconnect();
      scheme.removeEventListener("change", make);
      removeEventListener("theme", make);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [labels]);

  useEffect(() => {
    const drawn = plot.current;
    if (!drawn) return;
    const { min, max } = drawn.scales["x"]!;
    const zoomed = drawn.data[0].length > 1 && (drawn as any).zoomed && min != null && max != null;
    drawn.setData(data(props), !zoomed);
  }, [props.at, props.lines]);

  return (
    <figure class="chart">
      <figcaption>
        {props.title} <span class="hidden">{props.summary}</span>
      </figcaption>
      <div ref={box} aria-hidden="true" />
    </figure>
  );
}

// uPlot draws lines over each other: of stacked ones it gets the sums.
function data({ at, lines, stacked }: ChartProps): uPlot.AlignedData {
  if (!stacked) return [at, ...lines.map((line) => line.values)];
  const sums: (number | null)[][] = [];
  for (const [i, line] of [...lines.entries()].reverse()) {
    const below = sums[0];
    sums.unshift(line.values.map((v, x) => (v === null ? null : v + (i < lines.length - 1 ? (below?.[x] ?? 0) : 0))));
  }
  return [at, ...sums];
}

function css(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function options(latest: { current: ChartProps }, box: HTMLElement): uPlot.Options {
  const grid = { stroke: css("--line"), width: 1 };
  const axis = { stroke: css("--quiet"), grid, ticks: { ...grid, size: 4 }, font: "12px system-ui, sans-serif" };
  const { lines } = latest.current;
  return {
    width: box.clientWidth,
    height,
    padding: [8, 8, 0, 0],
    cursor: { y: false, drag: { x: true, y: false }, points: { size: 6 } },
    hooks: {
      setSelect: [(u) => void ((u as any).zoomed = u.select.width > 0)],
      ready: [(u) => u.over.addEventListener("dblclick", () => void ((u as any).zoomed = false))],
    },
    scales: {
      x: { range: (_, min, max) => (min == null || max - min > 1e9 ? [latest.current.from, latest.current.to] : whole(latest.current, min, max)) },
      y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    axes: [
      { ...axis, space: 64, size: 28, values: (_, ticks) => ticks.map((at) => time(at, latest.current)) },
      { ...axis, size: 56, space: 32, values: (_, ticks) => ticks.map((v) => lines[0]!.show(v)) },
    ],
    legend: { live: true },
    series: [
      { label: "at", value: (_, at) => (at == null ? "–" : new Date(at * 1000).toLocaleString([], moment)) },
      ...lines.map((line, i) => ({
        label: line.label,
        stroke: css(line.color),
        width: 1.5,
        fill: line.fill ? `${css(line.color)}${latest.current.stacked ? "" : "33"}` : undefined,
        points: { show: false },
        value: (_: uPlot, __: number, ___: number, at: number | null) => {
          const value = at == null ? null : latest.current.lines[i]?.values[at];
          return value == null ? "–" : line.show(value);
        },
      })),
    ] as uPlot.Series[],
  };
}

const moment = { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hour12: false } as const;

// Days where the chart has many of them.
function time(at: number, { from, to }: ChartProps): string {
  const date = new Date(at * 1000);
  if (to - from > 2 * 86_400 || date.getHours() + date.getMinutes() === 0)
    return date.toLocaleDateString([], { month: "short", day: "numeric" });
  return date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
}

// All of the data is shown as all of the time span, also where nothing was seen.
function whole({ at, from, to }: ChartProps, min: number, max: number): [number, number] {
  return min <= (at[0] ?? min) && max >= (at.at(-1) ?? max) ? [from, to] : [min, max];
}
