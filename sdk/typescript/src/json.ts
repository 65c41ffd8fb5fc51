import { isMessage, toJson } from "@bufbuild/protobuf";
import { TimestampSchema, type Timestamp } from "@bufbuild/protobuf/wkt";

/** The form that `JSON.stringify` asks a time for. */
const form: PropertyDescriptor & ThisType<Timestamp> = {
  value() {
    return toJson(TimestampSchema, this);
  },
};

/**
 * Lets `JSON.stringify` take a message: the times in it, which count seconds by a bigint, become
 * strings, as proto3 JSON has them (`2026-01-31T12:00:00Z`). Returns the same message.
 */
export function stringifiable<T extends object>(message: T): T {
  for (const inner of Object.values(message)) {
    if (isMessage(inner, TimestampSchema)) Object.defineProperty(inner, "toJSON", form);
    else if (typeof inner === "object") stringifiable(inner);
  }
  return message;
}
