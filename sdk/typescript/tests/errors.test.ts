import assert from "node:assert/strict";
import test from "node:test";
import { create, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { AnySchema, durationFromMs, DurationSchema } from "@bufbuild/protobuf/wkt";
import { Metadata } from "@grpc/grpc-js";
import { Code, RiposteError } from "riposte-sdk";

type Field = [number, string | Uint8Array];

/** A message of texts and messages, by their numbers. */
function message(...fields: Field[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const [number, value] of fields) writer.tag(number, 2).bytes(typeof value === "string" ? new TextEncoder().encode(value) : value);
  return writer.finish();
}

const detail = (name: string, value: Uint8Array): Field => {
  return [3, toBinary(AnySchema, create(AnySchema, { typeUrl: `type.googleapis.com/google.rpc.${name}`, value }))];
};
const info = (reason: string, domain: string) => detail("ErrorInfo", message([1, reason], [2, domain], [3, message([1, "limit"], [2, "64"])]));

function failed(code: Code, details: string, status?: Uint8Array): RiposteError {
  const metadata = new Metadata();
  metadata.set("riposte-request-id", "r-1");
  if (status) metadata.set("grpc-status-details-bin", Buffer.from(status));
  return RiposteError.from(Object.assign(new Error(), { code, details, metadata }));
}

test("everything an answer tells can be read", () => {
  const violation = (field: string) => [1, message([1, field], [2, "is empty"])] as Field;
  const delay: Field = [1, toBinary(DurationSchema, durationFromMs(200))];
  const status = message(
    [2, "2 fields"],
    info("FIELD_INVALID", "riposte"),
    detail("BadRequest", message(violation("member_id"), violation("content.text"))),
    detail("RetryInfo", message(delay)),
  );
  const error = failed(Code.INVALID_ARGUMENT, "2 fields", status);
  assert.equal(error.reason, "FIELD_INVALID");
  assert.deepEqual(error.metadata, { limit: "64" });
  assert.deepEqual(error.violations[1], { field: "content.text", description: "is empty" });
  assert.deepEqual([error.retryAfterMs, error.retryable, error.requestId], [200, false, "r-1"]);
  assert.equal(error.message, "FIELD_INVALID: 2 fields; member_id: is empty; content.text: is empty (request r-1)");
});

test("an answer of somebody else has no reason", () => {
  const error = failed(Code.NOT_FOUND, "no", message(info("SUBJECT_NOT_FOUND", "elsewhere")));
  assert.deepEqual([error.reason, error.metadata], ["", {}]);
  assert.equal(error.message, "NOT_FOUND: no (request r-1)");
  assert.equal(failed(Code.UNAVAILABLE, "gone", Uint8Array.of(0xff)).reason, "");
});

test("what may be repeated says so", () => {
  const wait = message(detail("RetryInfo", message([1, toBinary(DurationSchema, durationFromMs(50))])));
  assert.equal(failed(Code.UNAVAILABLE, "gone").retryable, true);
  assert.equal(failed(Code.RESOURCE_EXHAUSTED, "full").retryable, false);
  assert.equal(failed(Code.RESOURCE_EXHAUSTED, "full", wait).retryable, true);
  assert.equal(failed(Code.DEADLINE_EXCEEDED, "late", wait).retryable, false);
});

test("what the message tells is not told again", () => {
  const field = detail("BadRequest", message([1, message([1, "member_id"], [2, "is empty"])]));
  const error = failed(Code.INVALID_ARGUMENT, "invalid request: member_id: is empty", message(field));
  assert.equal(error.message, "INVALID_ARGUMENT: invalid request: member_id: is empty (request r-1)");
});

test("what gRPC did not make is UNKNOWN, and an error stays itself", () => {
  const error = RiposteError.from(new TypeError("odd"));
  assert.deepEqual([error.code, error.message], [Code.UNKNOWN, "UNKNOWN: TypeError: odd"]);
  assert.equal(RiposteError.from(error), error);
});
