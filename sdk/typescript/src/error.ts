import { Metadata, status as Code, type ServiceError } from "@grpc/grpc-js";
import { detailsOf } from "./details.js";
import type { ErrorReason } from "./gen/riposte/v1/error_reason_pb.js";

/** The canonical gRPC codes, by name and by number. */
export { Code };

/**
 * A reason, by its name without prefix. Autocompletes those that this version knows; newer servers
 * may send others.
 */
export type Reason = Exclude<keyof typeof ErrorReason, "UNSPECIFIED"> | (string & {});

/** One field at fault. */
export interface Violation {
  /** The path of the field from the request on, for example `content.text`. */
  readonly field: string;
  /** What is wrong with it, for a person to read; never stable. */
  readonly description: string;
}

/** Why a call failed. */
export class RiposteError extends Error {
  override readonly name = "RiposteError";
  /** The gRPC code. */
  readonly code: Code;
  /**
   * The reason, also of a field that the client refuses; empty for all else that is no answer of
   * the service, as a connection that cannot be made.
   */
  readonly reason: Reason;
  /** The facts of the reason; see the comment of each `ErrorReason`. */
  readonly metadata: Readonly<Record<string, string>>;
  /** All fields at fault, for a request that is. */
  readonly violations: readonly Violation[];
  /** How many milliseconds to wait before a repeat can succeed, where the service says so. */
  readonly retryAfterMs: number | undefined;
  /** The id by which the service logged the call, to report with a fault. */
  readonly requestId: string | undefined;

  private constructor(code: Code, message: string, trailers: Metadata, cause: unknown, found?: Pick<RiposteError, "reason" | "violations">) {
    const told = detailsOf(trailers.get("grpc-status-details-bin")[0]);
    const details = { ...told, ...found };
    const requestId = trailers.get("riposte-request-id")[0]?.toString();
    // The service's own message names them already.
    const unsaid = details.violations.filter(({ description }) => !message.includes(description));
    const fields = unsaid.map(({ field, description }) => `; ${field}: ${description}`).join("");
    const request = requestId === undefined ? "" : ` (request ${requestId})`;
    // All violations are told, so the message need not count them.
    const counted = ` (and ${details.violations.length - 1} more)`;
    const said = message.endsWith(counted) ? message.slice(0, -counted.length) : message;
    super(`${details.reason || Code[code]}: ${said}${fields}${request}`, { cause });
    this.code = code;
    this.reason = details.reason;
    this.metadata = details.metadata;
    this.violations = details.violations;
    this.retryAfterMs = details.retryAfterMs;
    this.requestId = requestId;
  }

  /**
   * Whether the same call may succeed later, with nothing changed. The client has then repeated it
   * in vain already.
   */
  get retryable(): boolean {
    const exhausted = this.code === Code.RESOURCE_EXHAUSTED && this.retryAfterMs !== undefined;
    return this.code === Code.UNAVAILABLE || exhausted;
  }

  /**
   * What a call of gRPC failed with, as an error of this kind; UNKNOWN for what gRPC did not make.
   */
  static from(error: unknown): RiposteError {
    if (error instanceof RiposteError) return error;
    const { code, details, metadata } = error as Partial<ServiceError>;
    if (code !== undefined && metadata instanceof Metadata) return new RiposteError(code, details ?? "", metadata, error);
    return RiposteError.local(Code.UNKNOWN, String(error), error);
  }

  /** @internal An error that never left this process. */
  static local(code: Code, message: string, cause?: unknown, found?: Pick<RiposteError, "reason" | "violations">): RiposteError {
    return new RiposteError(code, message, new Metadata(), cause, found);
  }
}

/** An argument that cannot be used. */
export function invalid(message: string, cause?: unknown): RiposteError {
  return RiposteError.local(Code.INVALID_ARGUMENT, message, cause);
}

/** A request with fields that cannot be sent. */
export function refused(violations: readonly Violation[], reason: Reason = "FIELD_INVALID"): RiposteError {
  return RiposteError.local(Code.INVALID_ARGUMENT, "the request cannot be sent", undefined, { reason, violations });
}
