// Small things that several views show.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { href } from "./route";
import type { Model } from "./types";

export type Tone = "good" | "warn" | "bad" | "quiet";

export function Badge(props: { tone?: Tone; children: ComponentChildren; title?: string }) {
  return (
    <span class={`badge ${props.tone ?? "quiet"}`} title={props.title}>
      {props.children}
    </span>
  );
}

export function Figure(props: { label: string; value: ComponentChildren; note?: ComponentChildren; wide?: boolean }) {
  return (
    <div class={props.wide ? "figure wide" : "figure"}>
      <dt>{props.label}</dt>
      <dd>
        {props.value}
        {props.note && <small>{props.note}</small>}
      </dd>
    </div>
  );
}

// Why something could not be done; nothing while `why` is "".
export function Problem(props: { why: string; what?: string }) {
  if (!props.why) return null;
  return (
    <p class="error" role="alert">
      {props.what && `${props.what}: `}
      {props.why}
    </p>
  );
}

// A bar with its number as text: the bar alone tells a screen reader nothing.
export function Meter(props: { share: number | null; label: string; tone?: Tone; children: ComponentChildren }) {
  const width = Math.max(0, Math.min(1, props.share ?? 0)) * 100;
  return (
    <div class="meter" title={props.label}>
      <span class="track" aria-hidden="true">
        <span class={`fill ${props.tone ?? ""}`} style={{ width: `${width}%` }} />
      </span>
      <span class="meter-text">{props.children}</span>
    </div>
  );
}

// Prompt tokens as one bar: found in the cache, and computed.
export function Split(props: { cached: number; computed: number }) {
  const all = props.cached + props.computed;
  const part = (n: number) => ({ width: `${all ? (100 * n) / all : 0}%` });
  return (
    <span class="split" aria-hidden="true">
      <span class="cached" style={part(props.cached)} />
      <span class="computed" style={part(props.computed)} />
    </span>
  );
}

// The cached shares of the last turns, in percent, as a small line. Unmeasured ones are gaps.
export function Spark({ percents }: { percents: (number | null)[] }) {
  if (percents.length === 0) return null;
  const x = (i: number) => 3 + (i * 54) / Math.max(1, percents.length - 1);
  const y = (share: number) => 15 - (share * 12) / 100;
  const runs: string[] = [];
  percents.forEach((share, i) => {
    if (share === null) return;
    const go = i > 0 && percents[i - 1] !== null ? "L" : "M";
    runs.push(`${go}${x(i).toFixed(1)} ${y(share).toFixed(1)}`);
  });
  const last = percents.at(-1);
  return (
    <svg class="spark" width={60} height={18} role="img" aria-label={`Cached of the last turns: ${spoken(percents)}`}>
      <path d={runs.join("")} />
      {last != null && <circle cx={x(percents.length - 1)} cy={y(last)} r={2.2} />}
    </svg>
  );
}

function spoken(percents: (number | null)[]): string {
  return percents.map((share) => (share === null ? "unmeasured" : `${share} %`)).join(", ");
}

export function Section(props: { title: string; aside?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section>
      <header class="section-head">
        <h2>{props.title}</h2>
        {props.aside}
      </header>
      {props.children}
    </section>
  );
}

// A table that scrolls sideways on narrow screens, and can be scrolled by keyboard.
// `rows`: how many there are, when only some are drawn.
export function Table(props: { label: string; children: ComponentChildren; class?: string; rows?: number }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={props.label}>
      <table class={props.class} aria-rowcount={props.rows}>
        {props.children}
      </table>
    </div>
  );
}

export function ModelTabs(props: { models: Model[]; view: string; current: string }) {
  if (props.models.length < 2) return null;
  return (
    <nav class="tabs" aria-label="Model">
      {props.models.map((model) => (
        <a href={href(props.view, model.name)} aria-current={model.name === props.current ? "page" : undefined}>
          {model.name}
        </a>
      ))}
    </nav>
  );
}

export function Empty(props: { children: ComponentChildren }) {
  return <p class="empty">{props.children}</p>;
}

export function Copy(props: { text: string; label: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await copyText(props.text);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return (
    <button type="button" class="small" onClick={copy} aria-label={`Copy ${props.label}`}>
      {done ? "Copied" : "Copy"}
    </button>
  );
}

// The clipboard API needs https or localhost; on a plain address a selection must do.
async function copyText(text: string) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
