// Charts over time: prompt tokens cached and computed, completion tokens, time to first byte, turns in flight and held.
import { useMemo, useRef, useState } from "preact/hooks";
import { Chart } from "../chart";
import { count, duration, percent, plural, tokens } from "../format";
import { type History, type Span, spans, toCsv, useHistory } from "../history";
import { Empty, Section } from "../parts";
import { saveAs, savePng } from "../save";

export function Stats({ models }: { models: string[] }) {
  const [span, setSpan] = useState<Span>("1h");
  const [model, setModel] = useState<string>("");
  const history = useHistory(model || null, span);
  const charts = useRef<HTMLDivElement>(null);
  return (
    <Section
      title="Over time"
      aside={
        <div class="chart-controls">
          {models.length > 1 && (
            <select aria-label="Model" value={model} onChange={(event) => setModel(event.currentTarget.value)}>
              <option value="">all models</option>
              {models.map((name) => (
                <option value={name}>{name}</option>
              ))}
            </select>
          )}
          <div class="choice" role="group" aria-label="Time span">
            {(Object.keys(spans) as Span[]).map((each) => (
              <button type="button" class="small" aria-pressed={each === span} onClick={() => setSpan(each)}>
                {spans[each]}
              </button>
            ))}
          </div>
          <div class="choice" role="group" aria-label="Save the charts">
            <button type="button" class="small" disabled={!history} onClick={() => saveCsv(history!)}>
              CSV
            </button>
            <button
              type="button"
              class="small"
              disabled={!history?.points.at.length}
              onClick={() => savePicture(history!, charts.current!)}
            >
              PNG
            </button>
          </div>
        </div>
      }
    >
      {history && <Summary history={history} />}
      {history?.points.at.length ? (
        <div ref={charts}>
          <Charts history={history} />
        </div>
      ) : (
        <Empty>Nothing was counted in this time yet; the first point comes after ten seconds.</Empty>
      )}
      {history?.not_kept && (
        <p class="advice warn">This history does not outlive a restart of LM Warden: {history.not_kept}.</p>
      )}
    </Section>
  );
}

function Summary({ history: { total, span } }: { history: History }) {
  if (total.turns === 0) return null;
  return (
    <p class="summary">
      <b>{percent(total.cached_share)} cache hit</b> over the last {spans[span]}: {tokens(total.cached_tokens)} of{" "}
      {tokens(total.prompt_tokens)} prompt tokens were found cached in {plural(total.turns, "turn")}
      {total.unmeasured_turns > 0 && ` (${count(total.unmeasured_turns)} unmeasured, shown as computed)`}. First byte
      after {duration(total.ttfb_p50_s)} (p50), {duration(total.ttfb_p95_s)} (p95).
    </p>
  );
}

const turns = (value: number) => (Number.isInteger(value) ? String(value) : value.toFixed(1));
const rate = (value: number) => `${tokens(value)}/s`;

function Charts({ history }: { history: History }) {
  const { points, from, to } = history;
  const charts = useMemo(
    () => [
      {
        title: "Prompt tokens per second",
        stacked: true,
        lines: [
          { label: "cached (measured)", color: "--cached", values: points.cached_per_s, fill: true, show: rate },
          { label: "computed", color: "--computed", values: points.computed_per_s, fill: true, show: rate },
        ],
      },
      {
        title: "Completion tokens per second",
        lines: [{ label: "generated", color: "--accent", values: points.completion_per_s, fill: true, show: rate }],
      },
      {
        title: "Time to first byte",
        lines: [
          { label: "p95", color: "--computed", values: points.ttfb_p95_s, show: duration },
          { label: "p50", color: "--cached", values: points.ttfb_p50_s, show: duration },
        ],
      },
      {
        title: "Turns in flight and held",
        lines: [
          { label: "most", color: "--computed", values: points.in_flight_most, show: turns },
          { label: "mean", color: "--cached", values: points.in_flight, fill: true, show: turns },
          { label: "held, mean", color: "--bad", values: points.held, show: turns },
        ],
      },
    ],
    [points],
  );
  return (
    <div class="charts">
      {charts.map((chart) => (
        <Chart key={chart.title} {...chart} summary={describe(chart.lines)} at={points.at} from={from} to={to} />
      ))}
    </div>
  );
}

function describe(lines: { label: string; values: (number | null)[]; show: (value: number) => string }[]): string {
  return lines
    .map(({ label, values, show }) => {
      const known = values.filter((value) => value !== null);
      return known.length
        ? `${label}: last ${show(known.at(-1)!)}, at most ${show(Math.max(...known))}.`
        : `${label}: nothing.`;
    })
    .join(" ");
}

function fileName(history: History, ending: string): string {
  return `lmwarden-${history.model?.replace(/[^\w.-]+/g, "_") ?? "all"}-${history.span}.${ending}`;
}

function saveCsv(history: History) {
  saveAs(fileName(history, "csv"), new Blob([toCsv(history)], { type: "text/csv" }));
}

function savePicture(history: History, box: HTMLElement) {
  const title = `${history.model ?? "All models"}, the last ${spans[history.span]} to ${new Date(history.to * 1000).toLocaleString()}`;
  savePng(fileName(history, "png"), title, box);
}
