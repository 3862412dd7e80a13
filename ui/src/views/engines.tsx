// The engines: what was discovered of each, and what is missing.
import { dash } from "../format";
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
        Everything here was discovered from /version, /v1/models and /metrics of the engine, and what the configuration
        says goes before it. <code>lmwarden doctor --engine URL</code> also asks the model two short questions, to see
        whether its answers report cached tokens.
      </p>
    </>
  );
}

function Facts({ engine }: { engine: Engine }) {
  return (
    <dl class="facts">
      <dt>URL</dt>
      <dd>
        <code>{engine.url}</code>
      </dd>
      <dt>Model</dt>
      <dd>{engine.model ?? dash}</dd>
      <dt>Version</dt>
      <dd>{engine.version || dash}</dd>
      <dt>Replicas</dt>
      <dd>{engine.ranks ?? dash}</dd>
    </dl>
  );
}

function Findings({ findings }: { findings: Finding[] }) {
  return (
    <ul class="findings">
      {findings.map((each) => (
        <li>
          <Badge tone={tones[each.severity]}>{each.severity}</Badge>
          <b>{each.topic}</b>
          <span>
            {each.text}
            {each.advice && <small>{each.advice}</small>}
          </span>
        </li>
      ))}
    </ul>
  );
}
