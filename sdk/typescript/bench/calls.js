// Calls per second of one client beside those of the bare stub of gRPC, at the server that
// RIPOSTE_TARGET names. `cargo xtask bench sdk` runs it; docs/benchmarks/sdk.md says what the
// figures mean.
//
//   node bench/calls.js first            one call, from nothing
//   node bench/calls.js ROUNDS SECONDS   both by turns; a line of JSON for each way to call
import { Riposte } from "riposte-sdk";

const key = { objectType: "article", objectId: "42" };
const client = Riposte.fromEnv();

/**
 * Calls per second with so many in flight, and the microseconds of this process's processor time
 * for each.
 */
async function measure(call, inFlight, seconds) {
  const [started, before] = [performance.now(), process.cpuUsage()];
  let calls = 0;
  const worker = async () => {
    for (; performance.now() - started < seconds * 1_000; calls++) await call();
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  const { user, system } = process.cpuUsage(before);
  return { rate: (calls * 1_000) / (performance.now() - started), cost: (user + system) / calls };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Lets the sides take turns and changes who begins; the first round warms both up. */
async function compare(sides, inFlight, rounds, seconds) {
  const found = { client: [], stub: [] };
  for (let round = 0; round <= rounds; round++) {
    const order = round % 2 === 0 ? ["client", "stub"] : ["stub", "client"];
    for (const name of order) found[name].push(await measure(sides[name], inFlight, seconds));
  }
  for (const all of Object.values(found)) all.shift();
  const of = (name, figure) => median(found[name].map((one) => one[figure]));
  const figures = { how: `${inFlight} in flight`, client: of("client", "rate"), client_us: of("client", "cost") };
  const ratio = median(found.client.map(({ rate }, round) => rate / found.stub[round].rate));
  console.log(JSON.stringify({ ...figures, stub: of("stub", "rate"), stub_us: of("stub", "cost"), ratio }));
}

/** Calls the bare stub; imported late, so that a first call does not pay for it. */
async function bare() {
  const { create, fromBinary, toBinary } = await import("@bufbuild/protobuf");
  const { credentials, makeGenericClientConstructor } = await import("@grpc/grpc-js");
  const { SubjectService } = await import("riposte-sdk/v1");
  const { getSubject } = SubjectService.method;
  const Stub = makeGenericClientConstructor({
    getSubject: {
      path: "/riposte.v1.SubjectService/GetSubject",
      requestStream: false,
      responseStream: false,
      requestSerialize: (request) => Buffer.from(toBinary(getSubject.input, request)),
      requestDeserialize: (bytes) => fromBinary(getSubject.input, bytes),
      responseSerialize: (answer) => Buffer.from(toBinary(getSubject.output, answer)),
      responseDeserialize: (bytes) => fromBinary(getSubject.output, bytes),
    },
  });
  const stub = new Stub(process.env.RIPOSTE_TARGET, credentials.createInsecure());
  return () =>
    new Promise((resolve, reject) => {
      const end = (error, answer) => (error ? reject(error) : resolve(answer));
      stub.getSubject(create(getSubject.input, { key }), { deadline: Date.now() + 30_000 }, end);
    });
}

const [rounds, seconds] = process.argv.slice(2);
if (rounds === "first") {
  await client.subject(key.objectType, key.objectId).get();
  console.log("answered");
} else {
  const sides = { client: () => client.subjects.getSubject({ key }, { timeoutMs: 30_000 }), stub: await bare() };
  for (const inFlight of [1, 64]) await compare(sides, inFlight, Number(rounds), Number(seconds));
}
process.exit(0);
