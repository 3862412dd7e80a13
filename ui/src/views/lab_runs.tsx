// A run of the lab: the form that starts one, and how far it is.
import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../api";
import { duration, percent, plural } from "../format";
import { Badge, Problem, Section } from "../parts";
import type { Lab, LabRun, Named } from "../report_types";
import { href } from "../route";

const usual = ["engine", "affinity", "places"];

export function LabRuns({ onEnd }: { onEnd: () => void }) {
  const [lab, set] = useState<Lab | null>(null);
  const [error, setError] = useState("");
  const running = lab?.run?.state === "running";
  const ask = async (method: string, path: string, body?: unknown) => {
    try {
      await call(method, path, body);
      setError("");
      set(await call<Lab>("GET", "/admin/api/lab"));
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
  };
  useEffect(() => {
    const load = () => call<Lab>("GET", "/admin/api/lab").then(set, () => {});
    load();
    // Another page may start one too.
    const timer = setInterval(load, running ? 500 : 5000);
    return () => clearInterval(timer);
  }, [running]);
  const was = useRef(false);
  useEffect(() => {
    if (was.current && !running) onEnd();
    was.current = running;
  }, [running]);
  return (
    <Section title="Run the lab">
      <p class="note first">
        The same agents under several policies, on a model of replicas in virtual time: seconds instead of hours, and
        no GPU. It runs beside the gateway at a low priority. A model ranks policies; it doesn’t predict your GPUs.
      </p>
      <Problem why={error} />
      {lab && <Form lab={lab} disabled={running} start={(body) => ask("POST", "/admin/api/lab", body)} />}
      {lab?.run && <Run run={lab.run} cancel={() => ask("POST", "/admin/api/lab/cancel", {})} />}
    </Section>
  );
}

function Form({ lab, disabled, start }: { lab: Lab; disabled: boolean; start: (body: object) => void }) {
  const [workload, setWorkload] = useState(lab.run?.workload ?? lab.workloads[0]!.name);
  const [arms, setArms] = useState<string[]>(lab.run?.arms ?? usual);
  const [seeds, setSeeds] = useState(lab.run?.seeds ?? 1);
  const [seed, setSeed] = useState(lab.run?.seed ?? 1);
  const submit = (event: Event) => {
    event.preventDefault();
    start({ workload, arms, seed, seeds });
  };
  const choose = (name: string, wanted: boolean) =>
    setArms(lab.arms.map((each) => each.name).filter((each) => (each === name ? wanted : arms.includes(each))));
  return (
    <form class="lab" onSubmit={submit}>
      <div class="filters">
        <label>
          Workload
          <select value={workload} onChange={(event) => setWorkload(event.currentTarget.value)}>
            {lab.workloads.map((each) => (
              <option value={each.name}>{each.name}</option>
            ))}
          </select>
        </label>
        <NumberField label="Runs of each arm" value={seeds} most={lab.most_seeds} set={setSeeds} />
        <NumberField label="First seed" value={seed} most={1_000_000_000} set={setSeed} />
      </div>
      <p class="note first">{what(lab.workloads, workload)}.</p>
      <fieldset>
        <legend>Arms</legend>
        {lab.arms.map((each) => (
          <label key={each.name} title={each.what}>
            <input
              type="checkbox"
              checked={arms.includes(each.name)}
              onChange={(event) => choose(each.name, event.currentTarget.checked)}
            />
            {each.name}
          </label>
        ))}
      </fieldset>
      <button type="submit" class="main" disabled={disabled || arms.length === 0}>
        Start
      </button>
    </form>
  );
}

function NumberField(props: { label: string; value: number; most: number; set: (value: number) => void }) {
  return (
    <label>
      {props.label}
      <input
        type="number"
        min={1}
        max={props.most}
        required
        value={props.value}
        onInput={(event) => props.set(event.currentTarget.valueAsNumber || 1)}
      />
    </label>
  );
}

function what(list: Named[], name: string): string {
  const text = list.find((each) => each.name === name)?.what ?? "";
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const tones = { running: "good", done: "good", cancelled: "quiet", failed: "bad" } as const;

function Run({ run, cancel }: { run: LabRun; cancel: () => void }) {
  const title = `${run.workload}, ${plural(run.arms.length, "arm")}, ${plural(run.seeds, "run")} each`;
  return (
    <div class="run" role="status">
      <Badge tone={tones[run.state]}>{run.state}</Badge>
      <span>{title}</span>
      {run.state === "running" && (
        <>
          <progress value={run.progress} max={1} aria-label="Progress of the lab run" />
          <span class="quiet">
            {percent(run.progress)} · {run.arm} · {duration(run.took_s)}
          </span>
          <button type="button" class="small" onClick={cancel}>
            Cancel
          </button>
        </>
      )}
      {run.state === "done" && run.report && (
        <>
          <span class="quiet">took {duration(run.took_s)}</span>
          <a href={href("bench", run.report)}>Open its report</a>
        </>
      )}
      {run.problem && <span class="error">{run.problem}</span>}
    </div>
  );
}
