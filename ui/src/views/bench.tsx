// Stored reports of benchmarks and lab runs; one of them opened; a run of the lab.
import { useCallback, useEffect, useState } from "preact/hooks";
import { call } from "../api";
import { Empty, Problem, Section, Table } from "../parts";
import type { Listed, ReportList } from "../report_types";
import { href } from "../route";
import type { ViewProps } from "../shell";
import { LabRuns } from "./lab_runs";
import { Report } from "./report";

export function Bench({ name }: ViewProps) {
  return name === null ? <Overview /> : <Report key={name} id={name} />;
}

function Overview() {
  const [list, set] = useState<ReportList | null>(null);
  const [error, setError] = useState("");
  const load = useCallback(
    () => call<ReportList>("GET", "/admin/api/reports").then(set, (failure: Error) => setError(failure.message)),
    [],
  );
  useEffect(() => void load(), []);
  return (
    <>
      <LabRuns onEnd={load} />
      <Section title="Reports" aside={list && !list.problem && <Upload most={list.most_bytes} onError={setError} />}>
        <Problem why={error} />
        {list?.problem && <p class="advice warn">Nothing can be stored: {list.problem}.</p>}
        {list && (list.reports.length ? <Reports list={list.reports} /> : <Empty>No report is stored yet.</Empty>)}
        <p class="note">
          A report is what <code>lmwarden lab</code>, <code>bench</code> and <code>demo</code> write with{" "}
          <code>--json FILE</code>. They are kept in the folder <code>reports</code> of the data directory
          {list && `, at most ${list.most}`}.
        </p>
      </Section>
    </>
  );
}

function Reports({ list }: { list: Listed[] }) {
  return (
    <Table label="Reports" class="cards">
      <thead>
        <tr>
          <th scope="col">Report</th>
          <th scope="col">Arms</th>
          <th scope="col">Stored</th>
          <th scope="col" class="num">
            Size
          </th>
        </tr>
      </thead>
      <tbody>
        {list.map((each) => (
          <tr key={each.id}>
            <th scope="row">
              <a href={href("bench", each.id)}>{each.title || each.id}</a>
            </th>
            <td class="text">{each.problem ? <span class="quiet">{each.problem}</span> : each.arms.join(", ")}</td>
            <td data-label="Stored">{new Date(each.made).toLocaleString()}</td>
            <td data-label="Size" class="num">
              {Math.ceil(each.bytes / 1024)} kB
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

// The file is read here and sent as JSON; what it must hold is judged by LM Warden.
function Upload(props: { most: number; onError: (text: string) => void }) {
  const take = async (input: HTMLInputElement) => {
    const file = input.files?.[0];
    input.value = "";
    if (!file) return;
    try {
      if (file.size > props.most) throw new Error(`it is larger than ${Math.floor(props.most / 1024)} kB`);
      const { id } = await call<{ id: string }>("POST", "/admin/api/reports", parse(await file.text()));
      location.hash = href("bench", id);
    } catch (failure) {
      props.onError(`${file.name} was not stored: ${failure instanceof Error ? failure.message : failure}`);
    }
  };
  return (
    <label class="button">
      Upload a report
      <input
        class="hidden"
        type="file"
        accept=".json,application/json"
        onChange={(event) => void take(event.currentTarget)}
      />
    </label>
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("it is not JSON");
  }
}
