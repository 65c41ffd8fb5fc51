import { isMessage, toJson, type JsonValue, type Message } from "@bufbuild/protobuf";
import { TimestampSchema, type Timestamp } from "@bufbuild/protobuf/wkt";
import { registry } from "./gen/registry.js";

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

/**
 * A message in the JSON form of proto3, for `JSON.stringify`: ids and revisions are strings, which
 * JavaScript does not round, enums are names, and times are RFC 3339. Fields with their default are
 * written too.
 */
export function jsonOf(message: Message): JsonValue {
  return toJson(registry.getMessage(message.$typeName)!, message, { alwaysEmitImplicit: true, registry });
}
