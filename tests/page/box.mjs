// A simulated engine with a gateway before it, and what sends turns to them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const binary = process.env.LMWARDEN;

// A child process that has said what `wanted` matches.
class Process {
  // `shell`: what a shell does before it becomes the process.
  constructor(args, environment = {}, shell = "") {
    const command = shell ? ["bash", "-c", `${shell}; exec "$0" "$@"`, binary, ...args] : [binary, ...args];
    this.child = spawn(command[0], command.slice(1), { env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "inherit"] });
    this.lines = [];
    this.said = createInterface({ input: this.child.stdout });
    this.said.on("line", (line) => this.lines.push(line));
  }

  async says(wanted) {
    while (true) {
      const found = this.lines.map((line) => line.match(wanted)).find(Boolean);
      if (found) return found[1];
      if (this.child.exitCode !== null) throw new Error(`it ended: ${this.lines.join("\n")}`);
      await Promise.race([once(this.said, "line"), once(this.child, "exit")]);
    }
  }

  async end(signal = "SIGTERM") {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, "exit");
    this.child.kill(signal);
    await ended;
  }
}

export class Box {
  static async start({ model = "demo-model", replicas = 4, flags = [], speed = 20, shell = "" } = {}) {
    const box = new Box();
    box.model = model;
    box.speed = speed;
    box.flags = flags;
    box.shell = shell;
    box.replicas = replicas;
    box.state = mkdtempSync(join(tmpdir(), "lmwarden-page-"));
    await box.startEngine("127.0.0.1:0");
    await box.startGateway("127.0.0.1:0", "127.0.0.1:0");
    return box;
  }

  async startEngine(listen) {
    this.engine = new Process(["simulate", "--listen", listen, "--replicas", `${this.replicas}`, "--speed", `${this.speed}`, "--model", this.model]);
    this.engineUrl = await this.engine.says(/^Engine (\S+)/);
  }
  async killEngine() {
    await this.engine.end("SIGKILL");
  }
  async restartEngine() {
    await this.startEngine(new URL(this.engineUrl).host);
  }

  async startGateway(listen, adminListen) {
    this.gateway = new Process(
      ["serve", "--engine", this.engineUrl, "--listen", listen, "--admin-listen", adminListen, "--time-scale", `${this.speed}`, "--scrape-interval", "500ms", ...this.flags],
      { XDG_STATE_HOME: this.state },
      this.shell,
    );
    this.url = await this.gateway.says(/^API\s+(\S+)/);
    this.admin = await this.gateway.says(/^Admin\s+(\S+)/);
    await this.gateway.says(/^Engine (.*replica)/);
  }

  // Killed as by kill -9, and started again on the same ports.
  async killGateway() {
    await this.gateway.end("SIGKILL");
  }
  async restartGateway() {
    await this.startGateway(new URL(this.url).host, new URL(this.admin).host);
  }

  async end() {
    await this.gateway.end();
    await this.engine.end();
    rmSync(this.state, { recursive: true, force: true });
  }

  // One turn of a conversation: its messages so far, and a new one.
  async turn(session, messages, { agent, parent, userAgent = "agent/1.0", system = "You are a coding agent.", max_tokens = 40 } = {}) {
    const headers = { "Content-Type": "application/json", "User-Agent": userAgent, "X-Claude-Code-Session-Id": session };
    if (agent) headers["X-Claude-Code-Agent-Id"] = agent;
    if (parent) headers["X-Claude-Code-Parent-Agent-Id"] = parent;
    const body = {
      model: this.model,
      max_tokens,
      system,
      tools: [{ name: "Read", description: "Reads a file", input_schema: { type: "object" } }],
      messages,
    };
    const answer = await fetch(`${this.url}/v1/messages`, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
    const { content } = await answer.json();
    return [...messages, { role: "assistant", content }];
  }

  // A few conversations of several turns, one with a sub-agent, one whose prompt breaks.
  async work({ sessions = 5, turns = 3, words = 600, round = 0 } = {}) {
    const all = Array.from({ length: sessions }, async (_, i) => {
      const session = `0000000${i}-aaaa-4bbb-8ccc-${String(round).padStart(12, "0")}`;
      let messages = [];
      for (let turn = 0; turn < turns; ++turn) {
        messages.push({ role: "user", content: `task ${round}.${i}.${turn} ${"word ".repeat(words * (i + 1))}` });
        messages = await this.turn(session, messages, { userAgent: "claude-cli/2.1.332 (external, cli)" });
      }
      if (i === 0) await this.turn(session, [{ role: "user", content: `look ${"here ".repeat(900)}` }], { agent: "a0123456789abcdef", userAgent: "claude-cli/2.1.332" });
      if (i === 1) {
        messages.push({ role: "user", content: "go on" });
        await this.turn(session, messages, { system: "You are another agent.", userAgent: "claude-cli/2.1.332" });
      }
    });
    await Promise.all(all);
  }

  async post(path, body) {
    const headers = { "Content-Type": "application/json" };
    return fetch(this.admin + path, { method: "POST", headers, body: JSON.stringify(body) });
  }

  async get(path) {
    return (await fetch(this.admin + path)).json();
  }

  routing() {
    return this.get(`/admin/api/models/${encodeURIComponent(this.model)}/routing`);
  }
}
