import { fromBinary } from "@bufbuild/protobuf";
import { anyUnpack, durationMs } from "@bufbuild/protobuf/wkt";
import { Metadata, status as Code, type ServiceError } from "@grpc/grpc-js";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "./gen/google/rpc/error_details_pb.js";
import { StatusSchema, type Status } from "./gen/google/rpc/status_pb.js";
import type { ErrorReason } from "./gen/riposte/v1/error_reason_pb.js";

const DOMAIN = "riposte";

/** The canonical gRPC codes, by name and by number. */
export { Code };

/** The reasons that this version knows; newer servers may send others. */
export type Reason = Exclude<keyof typeof ErrorReason, "UNSPECIFIED"> | (string & {});

/** One field at fault. */
export interface Violation {
  /** The path of the field from the request on, for example `content.text`. */
  readonly field: string;
  /** What is wrong with it, for a person to read; never stable. */
  readonly description: string;
}

/** Why a call failed. The only error that the calls of this package reject with. */
export class RiposteError extends Error {
  override readonly name = "RiposteError";
  /** The gRPC code. */
  readonly code: Code;
  /** The reason; empty for what is no answer of the service, as a connection that cannot be made. */
  readonly reason: Reason;
  /** The facts of the reason; see the comment of each reason in `ErrorReason`. */
  readonly metadata: Readonly<Record<string, string>>;
  /** All fields at fault, for a request that is. */
  readonly violations: readonly Violation[];
  /** How many milliseconds to wait before a repeat can succeed, where the service says so. */
  readonly retryAfterMs: number | undefined;
  /** The id by which the service logged the call, to report with a fault. */
  readonly requestId: string | undefined;

  private constructor(code: Code, message: string, trailers: Metadata, cause?: unknown) {
    const details = detailsOf(trailers);
    const requestId = trailers.get("riposte-request-id")[0]?.toString();
    const violations = details.bad?.fieldViolations.map(({ field, description }) => ({ field, description })) ?? [];
    const fields = violations.map(({ field, description }) => `; ${field}: ${description}`).join("");
    const request = requestId === undefined ? "" : ` (request ${requestId})`;
    super(`${details.info?.reason ?? Code[code]}: ${message}${fields}${request}`, { cause });
    this.code = code;
    this.reason = details.info?.reason ?? "";
    this.metadata = details.info?.metadata ?? {};
    this.violations = violations;
    this.retryAfterMs = details.retryAfterMs;
    this.requestId = requestId;
  }

  /** Whether the same call may succeed later, with nothing changed. The client has then repeated it in vain already. */
  get retryable(): boolean {
    const exhausted = this.code === Code.RESOURCE_EXHAUSTED && this.retryAfterMs !== undefined;
    return this.code === Code.UNAVAILABLE || exhausted;
  }

  /** What a call of gRPC rejected with, as an error of this kind; UNKNOWN for what is no such error. */
  static from(error: unknown): RiposteError {
    if (error instanceof RiposteError) return error;
    if (isServiceError(error)) return new RiposteError(error.code, error.details, error.metadata, error);
    const message = error instanceof Error ? error.message : String(error);
    return RiposteError.local(Code.UNKNOWN, message, error);
  }

  /** @internal An error that never left this process. */
  static local(code: Code, message: string, cause?: unknown): RiposteError {
    return new RiposteError(code, message, new Metadata(), cause);
  }

  /** @internal An argument that cannot be used. */
  static invalid(message: string, cause?: unknown): RiposteError {
    return RiposteError.local(Code.INVALID_ARGUMENT, message, cause);
  }
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && "details" in error && "metadata" in error;
}

/** What the details of a status tell: each only if the service sent it. */
function detailsOf(trailers: Metadata) {
  const details = statusOf(trailers)?.details ?? [];
  const find = <T>(unpack: (any: Status["details"][number]) => T | undefined) =>
    details.map(unpack).find((detail) => detail !== undefined);
  const info = find((any) => anyUnpack(any, ErrorInfoSchema));
  const delay = find((any) => anyUnpack(any, RetryInfoSchema))?.retryDelay;
  return {
    info: info?.domain === DOMAIN ? info : undefined,
    bad: find((any) => anyUnpack(any, BadRequestSchema)),
    retryAfterMs: delay && durationMs(delay),
  };
}

/** The status with its details; none if there is none, or none that can be read. */
function statusOf(trailers: Metadata): Status | undefined {
  const bytes = trailers.get("grpc-status-details-bin")[0];
  if (!(bytes instanceof Uint8Array)) return undefined;
  try {
    return fromBinary(StatusSchema, bytes);
  } catch {
    return undefined;
  }
}
