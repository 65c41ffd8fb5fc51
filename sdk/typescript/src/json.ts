import { toJson, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";

/** A message as a bag of its fields. */
type Fields = Record<string, unknown>;

const known = new Map<DescMessage, PropertyDescriptor>();
const paths = new Map<DescMessage, readonly DescField[]>();

/**
 * Lets `JSON.stringify` take a message: the times in it, which count seconds by a bigint, become strings as proto3 JSON
 * has them (`2026-01-31T12:00:00Z`). Returns the same message.
 */
export function stringifiable<T extends Message>(type: DescMessage, message: T): T {
  for (const field of pathsToKnown(type)) {
    for (const inner of values(field, message as unknown as Fields)) stringifiable(field.message!, inner);
  }
  return isKnown(type) ? Object.defineProperty(message, "toJSON", jsonOf(type)) : message;
}

function isKnown(type: DescMessage): boolean {
  return type.file.proto.package === "google.protobuf";
}

/** The property by which `JSON.stringify` asks a well-known message for its form; it does not count as a field. */
function jsonOf(type: DescMessage): PropertyDescriptor {
  let property = known.get(type);
  if (property === undefined) {
    property = { value(this: Message) { return toJson(type, this); } };
    known.set(type, property);
  }
  return property;
}

/** The fields of a message behind which well-known messages stand, at any depth. */
function pathsToKnown(type: DescMessage): readonly DescField[] {
  let fields = paths.get(type);
  if (fields === undefined) {
    // What is being looked at counts as no path, so that a message within itself ends the search.
    paths.set(type, []);
    fields = type.fields.filter(({ message }) => message && (isKnown(message) || pathsToKnown(message).length > 0));
    paths.set(type, fields);
  }
  return fields;
}

/** The messages that a field holds: none, one, or those of a list or map. */
function values(field: DescField, message: Fields): Message[] {
  const choice = field.oneof && (message[field.oneof.localName] as { case?: string; value?: unknown });
  const value = choice ? (choice.case === field.localName ? choice.value : undefined) : message[field.localName];
  if (value === undefined) return [];
  return field.fieldKind === "message" ? [value as Message] : Object.values(value as object);
}
