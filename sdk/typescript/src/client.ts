import { Connection } from "./connection.js";
import { invalid } from "./error.js";
import { Handles } from "./gen/handles.js";
import { administration, DEFAULT_TARGET, environment, OPTION_NAMES, type Options } from "./gen/options.js";
import { AdminClient, ModerationClient, PolicyClient } from "./gen/services.js";
import type { RequestIds } from "./requestIds.js";

/**
 * A client for all services of one address.
 *
 * Every call has a deadline and is repeated on UNAVAILABLE, as the service configuration says;
 * every write gets a request id if it has none, so that repeating it is safe. Calls reject with
 * [[RiposteError]].
 */
export class Riposte extends Handles {
  readonly #connection: Connection;
  readonly #target: string;
  readonly #options: Options;
  readonly #admins = new Map<string, Connection>();

  private constructor(target: string, options: Options) {
    const connection = new Connection(target, options);
    super(connection);
    [this.#connection, this.#target, this.#options] = [connection, target, options];
    // An address that is named is checked here, and not when it is first asked for.
    if (options.adminTarget !== undefined) this.admin();
  }

  /**
   * A client for one address: `http://host:port` or `host:port`, plaintext, or `https://host:port`,
   * TLS; all addresses of the host take turns. Nothing is dialled before the first call. Throws
   * INVALID_ARGUMENT for what cannot be used, and for an option of an unknown name.
   */
  static connect(target: string = DEFAULT_TARGET, options: Options = {}): Riposte {
    const unknown = Object.keys(options).find((name) => !OPTION_NAMES.includes(name));
    if (unknown !== undefined) throw invalid(`${unknown}: not an option of a client`);
    return new Riposte(target, options);
  }

  /**
   * A client by `RIPOSTE_TARGET` (default `http://127.0.0.1:7171`) and the variables of the
   * [[Options]]: `RIPOSTE_TOKEN` for `token`, and so on; those of certificates are the paths of PEM
   * files. Throws INVALID_ARGUMENT for what cannot be used.
   */
  static fromEnv(): Riposte {
    const { target, ...options } = environment();
    return new Riposte(target, options);
  }

  /**
   * The administration, which listens at an address of its own (default: `adminTarget` of the
   * options); with this client's token and trust. Throws INVALID_ARGUMENT for what cannot be used.
   */
  override admin(target: string = administration(this.#target, this.#options)): AdminClient {
    return new AdminClient(this.#adminConnection(target));
  }

  /** The work of moderators, at the address of `admin` and by its rules. */
  override moderation(target: string = administration(this.#target, this.#options)): ModerationClient {
    return new ModerationClient(this.#adminConnection(target));
  }

  /** Trials of the policy and the standings of members, as `moderation`. */
  override policy(target: string = administration(this.#target, this.#options)): PolicyClient {
    return new PolicyClient(this.#adminConnection(target));
  }

  #adminConnection(target: string): Connection {
    const connection = this.#admins.get(target) ?? new Connection(target, this.#options);
    this.#admins.set(target, connection);
    return connection;
  }

  /** The request ids of this client, for a caller that keeps the id of a write itself. */
  get requestIds(): RequestIds {
    return this.#connection.requestIds;
  }

  /**
   * Resolves once connected; rejects with UNAVAILABLE if that takes longer than the given
   * milliseconds, with CANCELLED if closed.
   */
  waitReady(timeoutMs: number): Promise<void> {
    return this.#connection.ready(timeoutMs);
  }

  /**
   * Ends the connections, with the streams and watches over them. Other calls under way go on;
   * later ones fail with CANCELLED.
   */
  close(): void {
    for (const connection of [this.#connection, ...this.#admins.values()]) connection.close();
  }
}
