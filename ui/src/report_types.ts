// The values of the admin API's reports and lab runs, as docs/admin-api.md documents them.

export interface Listed {
  id: string;
  title: string;
  made: string;
  bytes: number;
  arms: string[];
  problem: string | null;
}

export interface ReportList {
  reports: Listed[];
  most: number;
  most_bytes: number;
  problem: string | null;
}

export type Step = { sessions: number } & Record<string, number | null>;

export interface Arm {
  name: string;
  what: string;
  steps: Step[];
  spread?: Step[];
}

export interface Column {
  field: string;
  title: string;
  what: string;
  decimals: number;
}

export interface Opened {
  id: string;
  report: { title: string; provenance: Record<string, string>; arms: Arm[] };
  columns: Column[];
  figures: { field: string; title: string; logarithmic: boolean }[];
}

export interface LabRun {
  workload: string;
  arms: string[];
  seed: number;
  seeds: number;
  state: "running" | "done" | "cancelled" | "failed";
  progress: number;
  arm: string;
  started: string;
  took_s: number;
  report: string | null;
  problem: string | null;
}

export interface Named {
  name: string;
  what: string;
}

export interface Lab {
  workloads: Named[];
  arms: Named[];
  most_seeds: number;
  run: LabRun | null;
}
