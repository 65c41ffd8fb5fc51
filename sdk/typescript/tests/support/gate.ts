import { once } from "node:events";
import { createServer, connect, type AddressInfo, type Server, type Socket } from "node:net";

/** Leads connections from a port of this machine to a server; shut, it ends them at once. */
export class Gate {
  /** Where it listens. */
  target = "";
  /** How many connections were ended at once. */
  ended = 0;
  /** What the clients have sent. */
  readonly sent: Buffer[] = [];
  readonly #server: Server;
  #leadsTo: string;
  readonly #live = new Set<Socket>();
  #shut = false;

  private constructor(target: string) {
    this.#leadsTo = target;
    this.#server = createServer((from) => {
      if (this.#shut) {
        this.ended++;
        from.destroy();
        return;
      }
      const [host, port] = this.#leadsTo.split(":");
      const to = connect(Number(port), host);
      from.on("data", (data) => this.sent.push(data));
      for (const [side, other] of [[from, to], [to, from]] as const) {
        this.#live.add(side);
        side.on("error", () => {}).once("close", () => {
          this.#live.delete(side);
          other.destroy();
        });
      }
      from.pipe(to).pipe(from);
    });
  }

  static async before(target: string): Promise<Gate> {
    const gate = new Gate(target);
    await once(gate.#server.listen(0, "127.0.0.1"), "listening");
    gate.target = `127.0.0.1:${(gate.#server.address() as AddressInfo).port}`;
    return gate;
  }

  /** Ends all connections, and each new one at once. */
  shut(): void {
    this.#shut = true;
    for (const side of this.#live) side.destroy();
  }

  /** Leads connections again, to another server if one is named. */
  open(target = this.#leadsTo): void {
    [this.#leadsTo, this.#shut] = [target, false];
  }

  close(): void {
    this.#server.close();
    this.shut();
  }
}

/** A proxy that keeps what it was asked for, and ends each connection. */
export async function nowhere(): Promise<{ url: string; asked: string[]; close: () => void }> {
  const asked: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {}).once("data", (data) => {
      asked.push(data.toString());
      socket.destroy();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close: () => server.close() };
}

/** Names a proxy in every variable of this process. */
export function proxied(url: string): void {
  for (const name of ["http_proxy", "https_proxy", "grpc_proxy", "all_proxy"]) {
    process.env[name] = process.env[name.toUpperCase()] = url;
  }
  for (const name of ["no_proxy", "NO_PROXY", "no_grpc_proxy"]) delete process.env[name];
}
