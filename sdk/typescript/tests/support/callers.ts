import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { text } from "node:stream/consumers";
import { Riposte } from "riposte-sdk";

/** How long the server may take to start, in milliseconds. */
const STARTING = 60_000;

/** A `riposte dev` that knows the callers of the scenarios, whose tokens are their names. */
export class Callers {
  readonly #process: ChildProcess;
  readonly target: string;
  readonly #metrics: string;
  readonly #clients: Riposte[] = [];

  private constructor(process: ChildProcess, { grpc, metrics }: { grpc: string; metrics: string }) {
    [this.#process, this.target, this.#metrics] = [process, grpc, metrics];
  }

  /** Starts a server with the callers of `RIPOSTE_CONFORMANCE`, and with these arguments. */
  static async start(...more: string[]): Promise<Callers> {
    const folder = mkdtempSync(join(tmpdir(), "riposte-callers-"));
    const endpoints = join(folder, "endpoints.json");
    const file = join(process.env["RIPOSTE_CONFORMANCE"]!, "callers.toml");
    const server = ["dev", "--listen", "127.0.0.1:0", "--seed", "none", "--set", `auth.callers_file=${file}`, "--endpoint-file", endpoints, ...more];
    const child = spawn(process.env["RIPOSTE_DEV_BINARY"] || "riposte", server, { stdio: "ignore" });
    for (const end = Date.now() + STARTING; !existsSync(endpoints); await sleep(20)) {
      assert.ok(child.exitCode === null && Date.now() < end, "the server did not start");
    }
    const told = JSON.parse(readFileSync(endpoints, "utf8"));
    rmSync(folder, { recursive: true });
    return new Callers(child, told);
  }

  /** A client of one caller, by way of a gate if its address is named. */
  as(caller: string, target = this.target): Riposte {
    const client = Riposte.connect(target, { token: caller, insecureToken: true });
    this.#clients.push(client);
    return client;
  }

  /** How many watches are open at the server. */
  async streams(): Promise<number> {
    return Number(/^riposte_watch_streams(?:\{.*\})? (\d+)/m.exec(await this.#text())![1]);
  }

  /** How many connections the server closed for their control frames. */
  async closed(): Promise<number> {
    const found = /^riposte_connections_refused_total\{limit="control_frames"\} (\d+)/m.exec(await this.#text());
    return Number(found?.[1] ?? 0);
  }

  async #text(): Promise<string> {
    const [answer] = await once(get(`http://${this.#metrics}/metrics`), "response");
    return text(answer);
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.close();
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const gone = once(this.#process, "exit");
    this.#process.kill();
    await gone;
  }
}
