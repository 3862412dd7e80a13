// One chart, drawn by uPlot: lines or stacked bars over time, or lines over steps. It redraws in place when its data
// change, and keeps a zoom until it is double-clicked. Charts over time point at the same moment and zoom together.
// `summary` says the same in words.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { axes, css, scales } from "./chart_axes";

export interface Line {
  label: string;
  color: string; // a custom property of style/base.css
  values: (number | null)[];
  dash?: number[];
  fill?: boolean;
  show: (value: number) => string;
}

export interface ChartProps {
  title: string;
  summary: string; // what the chart shows, for those who don't see it
  at: number[]; // unix seconds, or with `steps` their numbers
  from: number;
  to: number;
  steps?: string[]; // names of places on the x axis, instead of time
  logarithmic?: boolean; // values up to 0 are left out
  lines: Line[];
  stacked?: boolean; // each line stands on the one after it
}

const height = 170;

export function Chart(props: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const whole = useRef([props.from, props.to] as const); // of the data that are drawn
  const labels = [props.logarithmic, ...props.lines.map((line) => line.label)].join();

  useEffect(() => {
    const target = box.current!;
    const make = () => {
      plot.current?.destroy();
      plot.current = new uPlot(options(latest, target), data(latest.current), target);
      showLast(plot.current);
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
    const [from, to] = whole.current;
    const zoomed = min != null && max != null && (min > from + 1 || max < to - 1);
    drawn.setData(data(props), !zoomed);
    whole.current = [props.from, props.to];
    showLast(drawn);
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

// While nobody points at a place the legend tells the last one that has a value.
function showLast(plot: uPlot) {
  if ((plot.cursor.left ?? -1) >= 0) return;
  let last = plot.data[0].length - 1;
  while (last > 0 && plot.data.slice(1).every((values) => values[last] == null)) --last;
  plot.setLegend({ idx: last }, false);
}

// uPlot draws lines over each other: of stacked ones it gets the sums.
function data({ at, lines, stacked, logarithmic }: ChartProps): uPlot.AlignedData {
  if (logarithmic) return [at, ...lines.map((line) => line.values.map((v) => (v !== null && v > 0 ? v : null)))];
  if (!stacked) return [at, ...lines.map((line) => line.values)];
  const sums: (number | null)[][] = [];
  for (const [i, line] of [...lines.entries()].reverse()) {
    const below = sums[0];
    sums.unshift(line.values.map((v, x) => (v === null ? null : v + (i < lines.length - 1 ? (below?.[x] ?? 0) : 0))));
  }
  return [at, ...sums];
}

function options(latest: { current: ChartProps }, box: HTMLElement): uPlot.Options {
  const { lines, stacked, steps } = latest.current;
  const drag = { x: !steps, y: false };
  return {
    width: box.clientWidth,
    height,
    padding: [8, 8, 0, 0],
    cursor: { y: false, drag, points: { size: 6 }, sync: steps ? undefined : { key: "time" } },
    hooks: { setCursor: [showLast] },
    scales: scales(latest),
    axes: axes(latest),
    legend: { live: true },
    series: [
      { label: steps ? "sessions" : "at", value: (_, at) => (at == null ? "–" : place(at, latest.current)) },
      ...lines.map((line, i) => ({
        label: line.label,
        stroke: css(line.color),
        width: stacked ? 0 : 1.75,
        dash: line.dash,
        paths: stacked ? uPlot.paths.bars!({ size: [0.85, 28, 1] }) : undefined,
        fill: line.fill ? `${css(line.color)}${stacked ? "" : "26"}` : undefined,
        points: stacked ? { show: false } : { show: true, size: 5, fill: css(line.color), filter: steps ? undefined : alone },
        value: (_: uPlot, __: number, ___: number, at: number | null) => {
          const value = at == null ? null : latest.current.lines[i]?.values[at];
          return value == null ? "–" : line.show(value);
        },
      })),
    ] as uPlot.Series[],
  };
}

// The places between two gaps, where no line shows.
function alone(plot: uPlot, series: number): number[] {
  const values = plot.data[series]!;
  const found: number[] = [];
  for (let i = 0; i < values.length; ++i)
    if (values[i] != null && values[i - 1] == null && values[i + 1] == null) found.push(i);
  return found;
}

const moment = { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hour12: false } as const;

function place(at: number, { steps }: ChartProps): string {
  return steps ? (steps[at] ?? "–") : new Date(at * 1000).toLocaleString([], moment);
}
