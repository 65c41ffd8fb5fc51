import { fromBinary } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { AnySchema, DurationSchema, durationMs } from "@bufbuild/protobuf/wkt";

const DOMAIN = "riposte";
const text = (bytes: Uint8Array = new Uint8Array()) => new TextDecoder().decode(bytes);

/**
 * What the details of a status tell: those of google.rpc that the service sends; nothing of what
 * cannot be read. They are taken apart by field number, because no package brings these few
 * messages alone.
 */
export function detailsOf(status: Buffer | string = "") {
  try {
    return told(parts(Buffer.from(status as Buffer)));
  } catch {
    return told([]);
  }
}

function told(status: Uint8Array[][]) {
  const found = status[3]?.map((any) => fromBinary(AnySchema, any)) ?? [];
  const find = (name: string) => {
    const any = found.find(({ typeUrl }) => typeUrl.endsWith(`/google.rpc.${name}`));
    return any && parts(any.value);
  };
  const info = find("ErrorInfo");
  const ours = text(info?.[2]?.[0]) === DOMAIN;
  const delay = find("RetryInfo")?.[1]?.[0];
  return {
    reason: ours ? text(info?.[1]?.[0]) : "",
    metadata: Object.fromEntries(pairs(ours ? info?.[3] : undefined)),
    violations: pairs(find("BadRequest")?.[1]).map(([field, description]) => ({ field, description })),
    retryAfterMs: delay && durationMs(fromBinary(DurationSchema, delay)),
  };
}

/** The first two texts of each message; an entry of a map is a message, too. */
function pairs(messages: Uint8Array[] = []): [string, string][] {
  return messages.map(parts).map(([, first, second]) => [text(first?.[0]), text(second?.[0])]);
}

/** The texts and messages within a message, as bytes, by field number. */
function parts(message: Uint8Array): Uint8Array[][] {
  const reader = new BinaryReader(message);
  const found: Uint8Array[][] = [];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (type === WireType.LengthDelimited) (found[field] ??= []).push(reader.bytes());
    else reader.skip(type);
  }
  return found;
}
