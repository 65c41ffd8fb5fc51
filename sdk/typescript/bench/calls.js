// Measures the client against `riposte dev` beside the bare stub of gRPC: GetSubject one after the other and 64 at a time, in
// rounds by turns, medians; and how long a new process takes to its first answer. Run it in the folder of the SDK, after
// `npm run build`, with RIPOSTE_DEV_BINARY set: node bench/calls.js [ROUNDS] [SECONDS]
import { execFileSync } from "node:child_process";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { credentials, makeGenericClientConstructor } from "@grpc/grpc-js";
import { DevServer } from "riposte-sdk/testing";
import { SubjectService } from "riposte-sdk/v1";

const [rounds = 7, seconds = 1] = process.argv.slice(2).map(Number);
const key = { objectType: "article", objectId: "42" };
const dev = await DevServer.start();
const client = dev.connect();
await client.subject("article", "42").comment("m7", "Hi");

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
const stub = new Stub(dev.target, credentials.createInsecure());
const sides = {
  client: () => client.subjects.getSubject({ key }),
  stub: () =>
    new Promise((resolve, reject) => {
      const options = { deadline: Date.now() + 1_500 };
      const end = (error, answer) => (error ? reject(error) : resolve(answer));
      stub.getSubject(create(getSubject.input, { key }), options, end);
    }),
};

/** Calls per second with so many in flight. */
async function rate(call, inFlight) {
  const started = performance.now();
  let calls = 0;
  const worker = async () => {
    for (; performance.now() - started < seconds * 1_000; calls++) await call();
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return (calls * 1_000) / (performance.now() - started);
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
console.log("| GetSubject | client, calls/s | stub, calls/s | client : stub |\n|---|--:|--:|--:|");
for (const inFlight of [1, 64]) {
  const rates = { client: [], stub: [] };
  for (let round = -1; round < rounds; round++) {
    for (const [name, call] of Object.entries(sides)) {
      const found = await rate(call, inFlight);
      // The round before the first warms both up.
      if (round >= 0) rates[name].push(found);
    }
  }
  const ratio = median(rates.client.map((rate, round) => rate / rates.stub[round]));
  const [ours, bare] = [median(rates.client), median(rates.stub)].map(Math.round);
  console.log(`| ${inFlight} in flight | ${ours} | ${bare} | ${ratio.toFixed(2)} |`);
}

const program = `import("riposte-sdk").then(({ Riposte }) => Riposte.fromEnv().subject("article", "42").comment("m7", "Hi"))
  .then(() => process.exit(0))`;
const env = { ...process.env, RIPOSTE_TARGET: dev.target };
const starts = Array.from({ length: rounds }, () => {
  const started = performance.now();
  execFileSync(process.execPath, ["--eval", program], { env });
  return performance.now() - started;
});
console.log(`\nA new process to its first written comment: ${Math.round(median(starts))} ms, median of ${rounds}`);
client.close();
stub.close();
await dev.stop();
