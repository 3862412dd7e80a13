// The engines: what was discovered of each, and what is missing.
import { dash, duration } from "../format";
import { Badge, Empty, Section, type Tone } from "../parts";
import type { ViewProps } from "../shell";
import type { Engine, Finding } from "../types";

const tones: Record<Finding["severity"], Tone> = { ok: "good", note: "quiet", warning: "warn", problem: "bad" };

export function Engines({ state }: ViewProps) {
  if (state.engines.length === 0) return <Empty>No engine is configured.</Empty>;
  return (
    <>
      {state.engines.map((engine) => (
        <Section
          key={engine.url}
          title={engine.name}
          aside={engine.up ? <Badge tone="good">up</Badge> : <Badge tone="bad">down</Badge>}
        >
          <Facts engine={engine} />
          {engine.last_error && <p class="error">{engine.last_error}</p>}
          {engine.findings.length > 0 && <Findings findings={engine.findings} />}
        </Section>
      ))}
      <p class="note">
        What the configuration says goes before what an engine tells. <code>lmwarden doctor --engine URL</code> also asks the model two short questions, to see
        whether its answers report cached tokens.
      </p>
    </>
  );
}

function Facts({ engine }: { engine: Engine }) {
  const sourceOf = (topic: string) => engine.findings.find((each) => each.topic === topic)?.source;
  return (
    <dl class="facts">
      <dt>URL</dt>
      <dd>
        <code>{engine.url}</code> <From source="configured" />
      </dd>
      <dt>Model</dt>
      <dd>
        {engine.model ?? dash} <From source={engine.model_source} />
      </dd>
      <dt>Version</dt>
      <dd>
        {engine.version || dash} <From source={sourceOf("version")} />
      </dd>
      <dt>Replicas</dt>
      <dd>
        {engine.ranks ?? dash} <From source={sourceOf("replicas")} />
      </dd>
      <dt>Last scrape</dt>
      <dd>
        {engine.scrape_age_s === null ? "none yet" : `${duration(engine.scrape_age_s)} ago`} <From source="/metrics" />
      </dd>
    </dl>
  );
}

// Where something is known from.
function From({ source }: { source: string | null | undefined }) {
  if (!source || source === "unknown") return null;
  return <small class="from">{source.startsWith("/") ? `from ${source}` : source}</small>;
}

function Findings({ findings }: { findings: Finding[] }) {
  return (
    <ul class="findings">
      {findings.map((each) => (
        <li>
          <Badge tone={tones[each.severity]}>{each.severity}</Badge>
          <b>{each.topic}</b>
          <span>
            {each.text} <From source={each.source} />
            {each.advice && <small>{each.advice}</small>}
          </span>
        </li>
      ))}
    </ul>
  );
}
