// Measures the client against `riposte dev` beside the bare stub of gRPC: GetSubject one after the other and 64 at a time, in
// rounds by turns, medians, with the processor time of this process, which other programs disturb less; and how long a new process takes to its first answer. Run it in the folder of the SDK, after
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
  client: () => client.subjects.getSubject({ key }, { timeoutMs: 30_000 }),
  stub: () =>
    new Promise((resolve, reject) => {
      const options = { deadline: Date.now() + 30_000 };
      const end = (error, answer) => (error ? reject(error) : resolve(answer));
      stub.getSubject(create(getSubject.input, { key }), options, end);
    }),
};

/** Calls per second with so many in flight, and the microseconds of processor time that each took. */
async function measure(call, inFlight) {
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
const title = "| GetSubject | client, calls/s | stub, calls/s | client : stub | client, µs CPU | stub, µs CPU |";
console.log(`${title}\n|---|--:|--:|--:|--:|--:|`);
for (const inFlight of [1, 64]) {
  const found = { client: [], stub: [] };
  for (let round = -1; round < rounds; round++) {
    for (const [name, call] of Object.entries(sides)) {
      const one = await measure(call, inFlight);
      // The round before the first warms both up.
      if (round >= 0) found[name].push(one);
    }
  }
  const of = (name, key) => median(found[name].map((one) => one[key])).toFixed(0);
  const ratio = median(found.client.map(({ rate }, round) => rate / found.stub[round].rate)).toFixed(2);
  const costs = `${of("client", "cost")} | ${of("stub", "cost")}`;
  console.log(`| ${inFlight} in flight | ${of("client", "rate")} | ${of("stub", "rate")} | ${ratio} | ${costs} |`);
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
