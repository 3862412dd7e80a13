// One report: its arms side by side against one of them, figures over the steps, and how it was measured.
import { useEffect, useMemo, useState } from "preact/hooks";
import { call } from "../api";
import { Chart } from "../chart";
import { Empty, Problem, Section, Table } from "../parts";
import type { Arm, Column, Opened } from "../report_types";
import { href } from "../route";
import { change, isShown, showAs, stepNames } from "../report_values";

export function Report({ id }: { id: string }) {
  const [opened, set] = useState<Opened | null>(null);
  const [error, setError] = useState("");
  const path = `/admin/api/reports/${encodeURIComponent(id)}`;
  useEffect(() => void call<Opened>("GET", path).then(set, (failure: Error) => setError(failure.message)), [path]);
  const remove = async () => {
    if (!confirm("Delete this report? Its file is gone then.")) return;
    await call("DELETE", path, {}).then(
      () => (location.hash = href("bench")),
      (failure: Error) => setError(failure.message),
    );
  };
  return (
    <>
      <p>
        <a href={href("bench")}>All reports</a>
      </p>
      <Problem why={error} />
      {!opened ? (
        <Section title={error ? id : "Opening…"} aside={error && <Delete remove={remove} />}>
          {!error && <Empty>Reading it.</Empty>}
        </Section>
      ) : (
        <Content opened={opened} path={path} remove={remove} />
      )}
    </>
  );
}

function Delete({ remove }: { remove: () => void }) {
  return (
    <button type="button" class="small" onClick={remove}>
      Delete
    </button>
  );
}

function Content({ opened, path, remove }: { opened: Opened; path: string; remove: () => void }) {
  const { report, columns, figures } = opened;
  return (
    <>
      <Section
        title={report.title || opened.id}
        aside={
          <div class="chart-controls">
            {["html", "csv", "json"].map((form) => (
              <a class="button small" href={`${path}?as=${form}`} download>
                {form.toUpperCase()}
              </a>
            ))}
            <Delete remove={remove} />
          </div>
        }
      >
        {report.arms.length ? <Compared arms={report.arms} columns={columns} /> : <Empty>It has no arms.</Empty>}
      </Section>
      <Section title="Figures">
        <div class="charts">
          {figures.map((figure) => (
            <Figure key={figure.field} arms={report.arms} figure={figure} columns={columns} />
          ))}
        </div>
      </Section>
      <Section title="How it was measured">
        <dl class="facts">
          {Object.entries(report.provenance).map(([name, text]) => (
            <>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </>
          ))}
        </dl>
      </Section>
    </>
  );
}

function Compared({ arms, columns }: { arms: Arm[]; columns: Column[] }) {
  const steps = stepNames(arms);
  const [step, setStep] = useState(Math.floor((steps.length - 1) / 2));
  const [base, setBase] = useState(0);
  const shown = columns.filter((column) => isShown(column, arms));
  const from = arms[base] ?? arms[0]!;
  return (
    <>
      <div class="filters">
        {steps.length > 1 && (
          <div class="field">
            <span id="sessions-label">Sessions at work</span>
            <div class="choice" role="group" aria-labelledby="sessions-label">
              {steps.map((name, i) => (
                <button type="button" class="small" aria-pressed={i === step} onClick={() => setStep(i)}>
                  {name}
                </button>
              ))}
            </div>
          </div>
        )}
        {arms.length > 1 && (
          <label>
            Changes against
            <select value={String(base)} onChange={(event) => setBase(Number(event.currentTarget.value))}>
              {arms.map((arm, i) => (
                <option value={String(i)}>{arm.name}</option>
              ))}
            </select>
          </label>
        )}
      </div>
      <Table label="Arms side by side" class="compared">
        <thead>
          <tr>
            <th scope="col">Measured</th>
            {arms.map((arm) => (
              <th scope="col" class="num" title={arm.what}>
                {arm.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((column) => (
            <tr key={column.field}>
              <th scope="row">
                {column.what}
              </th>
              {arms.map((arm) => (
                <Cell column={column} arm={arm} from={from} step={step} />
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
      <ul class="arms">
        {arms.map((arm) => (
          <li>
            <b>{arm.name}</b> {arm.what}
          </li>
        ))}
      </ul>
    </>
  );
}

function Cell({ column, arm, from, step }: { column: Column; arm: Arm; from: Arm; step: number }) {
  const value = arm.steps[step]?.[column.field] ?? null;
  const spread = arm.spread?.[step]?.[column.field];
  const moved = arm === from ? null : change(column, value, from.steps[step]?.[column.field] ?? null);
  return (
    <td class="num">
      {showAs(column, value)}
      {spread ? <small> ± {showAs(column, spread)}</small> : null}
      {moved && <small class={`moved ${moved.tone}`}>{moved.text}</small>}
    </td>
  );
}

const dashes = [[], [7, 3], [2, 3], [9, 3, 2, 3], [4, 4], [12, 4]];

function Figure(props: { arms: Arm[]; figure: Opened["figures"][number]; columns: Column[] }) {
  const { arms, figure } = props;
  const column = props.columns.find((each) => each.field === figure.field)!;
  const steps = useMemo(() => stepNames(arms), [arms]);
  const at = useMemo(() => steps.map((_, i) => i), [steps]);
  const lines = useMemo(
    () =>
      arms.map((arm, i) => ({
        label: arm.name,
        color: `--arm-${i % dashes.length}`,
        dash: dashes[i % dashes.length]!,
        values: steps.map((_, step) => arm.steps[step]?.[figure.field] ?? null),
        show: (value: number) => showAs(column, value),
      })),
    [arms, steps],
  );
  const summary = lines.map((line) => `${line.label}: ${line.values.map((v) => showAs(column, v)).join(", ")}.`).join(" ");
  return (
    <Chart
      title={`${figure.title}, by sessions at work`}
      summary={summary}
      at={at}
      from={0}
      to={steps.length - 1}
      steps={steps}
      logarithmic={figure.logarithmic}
      lines={lines}
    />
  );
}
