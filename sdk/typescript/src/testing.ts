import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import { checkOptions } from "./callOptions.js";
import { Riposte } from "./client.js";

/** How to start a server. */
export interface DevServerOptions {
  /** The `riposte` program. Default: `RIPOSTE_DEV_BINARY`, or `riposte` on the path. */
  readonly binary?: string | undefined;
  /** Further arguments of `riposte dev`, as `["--set", "limits.…=…"]`. */
  readonly args?: readonly string[] | undefined;
  /** How long the start may take, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
}

/** How much of the log an error shows, in characters. */
const TAIL = 4_000;
/** How long a server may take to stop before it is killed, in milliseconds. */
const STOPPING = 5_000;

/**
 * A server of its own for tests: the real `riposte dev`, empty, on free ports of this machine, its
 * data gone at the end. It ends with the process that started it, however that ends.
 */
export class DevServer {
  /** Where the services listen: `host:port`. */
  readonly target: string;
  /** Where AdminService listens: `host:port`. */
  readonly adminTarget: string;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, target: string, adminTarget: string) {
    [this.#process, this.target, this.adminTarget] = [process, target, adminTarget];
  }

  /** Starts a server and resolves once it answers. Rejects with the end of the server's log. */
  static async start({ binary, args = [], timeoutMs = 10_000, ...others }: DevServerOptions = {}): Promise<DevServer> {
    checkOptions(others, []);
    const program = binary ?? (process.env["RIPOSTE_DEV_BINARY"] || "riposte");
    // The server runs the command once it answers, and stops with it: here a command that tells the
    // addresses and lasts as long as its input, which this process holds open to its own end.
    const command = 'echo "$RIPOSTE_TARGET $RIPOSTE_ADMIN_TARGET"; exec cat';
    const server = ["dev", "--listen", "127.0.0.1:0", "--seed", "none", ...args, "--exec", "--", "sh", "-c", command];
    const child = spawn(program, server, { stdio: "pipe" });
    let log = "";
    child.stderr.on("data", (text) => (log = (log + text).slice(-TAIL)));
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const ended = once(child, "close", { signal }).then(([code]) => Promise.reject(new Error(`it ended with ${code}`)));
      const [line] = await Promise.race([once(createInterface(child.stdout), "line", { signal }), ended]);
      const [target, adminTarget] = line.split(" ");
      // A program that forgets to stop the server must not wait for it.
      for (const handle of [child, ...child.stdio]) (handle as Socket).unref();
      return new DevServer(child, target, adminTarget);
    } catch (error) {
      child.kill("SIGKILL");
      const why = signal.aborted ? `no answer within ${timeoutMs} ms` : (error as Error).message;
      throw new Error(`${program} dev did not start: ${why}\n${log}`, { cause: error });
    }
  }

  /** A client of this server. */
  connect(): Riposte {
    return Riposte.connect(this.target, { adminTarget: this.adminTarget });
  }

  /** Stops the server and resolves once it is gone. */
  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const gone = once(this.#process, "exit");
    this.#process.stdin!.end();
    const killTimer = setTimeout(() => this.#process.kill("SIGKILL"), STOPPING);
    await gone;
    clearTimeout(killTimer);
  }
}

/** The hooks of a test runner, by whose names they go. */
export type Hook = (run: () => Promise<void>) => unknown;

/**
 * Starts a server before the tests of a file or suite and stops it behind them, with the hooks of
 * any runner:
 *
 * ```ts
 * const dev = useDevServer(before, after); // node:test
 * const dev = useDevServer(beforeAll, afterAll); // vitest, jest
 * test("…", async () => { await dev.client.subject("article", "42").comment("m7", "Hi"); });
 * ```
 */
export function useDevServer(before: Hook, after: Hook, options?: DevServerOptions) {
  const dev = {} as { readonly server: DevServer; readonly client: Riposte };
  before(async () => {
    const server = await DevServer.start(options);
    Object.assign(dev, { server, client: server.connect() });
  });
  after(async () => {
    dev.client?.close();
    await dev.server?.stop();
  });
  return dev;
}
