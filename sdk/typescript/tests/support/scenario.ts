import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { create, fromJson, toJson, type DescMethod, type DescService, type JsonValue, type Message } from "@bufbuild/protobuf";
import { Code, Riposte, RiposteError, type CallOptions, type CommentHandle, type Listener } from "riposte-sdk";
import * as v1 from "riposte-sdk/v1";
import { Callers } from "./callers.js";
import { Gate } from "./gate.js";
import { mismatch } from "./match.js";

/** What a step may say; see sdk/conformance/README.md. */
const KEYS = new Set(
  (
    "call list watch together request expect error save repeat at_once different fault fault_every deadline_ms " +
    "items count pages during events eventually outage late listeners caller unsent unmade page member made by_ids feed " +
    "heartbeat restored stream first last full_speed"
  ).split(" "),
);
/**
 * Stands for half of a pair of surrogates, which the JSON form of a message refuses.
 */
const LONE = "\uf8ff";
/** The time limit of a step that is repeated until it matches, in milliseconds. */
const STEP_TIMEOUT_MS = 10_000;

/** How a server is started whose tokens another server can open. */
const KEYED = ["--set", 'page_tokens.keys=["q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s="]'];

/** A scenario under way: what it has saved, and the client it goes through. */
export class Scenario {
  readonly #saved: Record<string, any> = { unique: randomBytes(8).toString("hex"), uuid: randomUUID(), lone: LONE };
  readonly #clients: Record<string, any>;
  readonly #client: Riposte;

  readonly #server: string;
  readonly #within: number;

  /**
   * A scenario through the client of a server, which is reached within so many milliseconds after
   * its return.
   */
  constructor(client: Riposte, admins: Record<string, unknown>, server: string, within: number) {
    [this.#client, this.#server, this.#within] = [client, server, within];
    const { comments, events, likes, replies, reports, subjects } = client;
    this.#clients = {
      CommentService: comments,
      EventService: events,
      LikeService: likes,
      ReplyService: replies,
      ReportService: reports,
      SubjectService: subjects,
      ...admins,
    };
  }

  async run(steps: any[]): Promise<void> {
    for (const step of steps) await this.#step(step);
  }

  async #step(step: any): Promise<void> {
    const strange = Object.keys(step).filter((key) => !KEYS.has(key));
    assert.deepEqual(strange, [], "keys that this runner does not know");
    const end = Date.now() + STEP_TIMEOUT_MS;
    for (;;) {
      try {
        return await this.#once(step);
      } catch (error) {
        if (!step.eventually || Date.now() > end) throw error;
        await sleep(50);
      }
    }
  }

  async #once(step: any): Promise<void> {
    if (step.outage) await this.#outage(step.outage);
    else if (step.late) await this.#late(step.late);
    else if (step.feed) await this.#feed(step.feed);
    else if (step.heartbeat) await this.#heartbeat();
    else if (step.restored) await this.#restored();
    else if (step.full_speed) await this.#fullSpeed(step.full_speed);
    else if (step.stream) await this.#stream(step);
    else if (step.listeners) await this.#listeners(step.listeners);
    else if (step.by_ids) await this.#byIds(step.by_ids);
    else if (step.caller) await this.#as(step);
    else if (step.together) await Promise.all(step.together.map((each: any) => this.#step(each)));
    else if (step.call) await this.#call(step);
    else if (step.list) await this.#list(step);
    else if (step.watch) await this.#watch(step);
    else if (step.page) await this.#page(step);
    else assert.fail(`a step of no known shape: ${JSON.stringify(step)}`);
  }

  /**
   * Takes the server away until the client has tried to connect so often, and waits for its return.
   */
  async #outage(attempts: number): Promise<void> {
    const gate = await Gate.before(this.#server);
    const client = Riposte.connect(gate.target);
    const look = () => client.subject("article", this.#saved["unique"]).get({ timeoutMs: 1_000 }).then(() => undefined, (error: RiposteError) => error);
    try {
      assert.equal(await look(), undefined);
      gate.shut();
      for (const end = Date.now() + 6 * STEP_TIMEOUT_MS; gate.ended < attempts; await sleep(20)) {
        const failure = await look();
        assert.ok(failure?.code === Code.UNAVAILABLE || failure?.code === Code.DEADLINE_EXCEEDED, `without a server: ${failure}`);
        assert.ok(Date.now() < end, `the client has tried to connect only ${gate.ended} times`);
      }
      gate.open();
      for (const end = Date.now() + this.#within; ; await sleep(20)) {
        const failure = await look();
        if (!failure) break;
        assert.ok(Date.now() < end, String(failure));
      }
    } finally {
      client.close();
      gate.close();
    }
  }

  /**
   * Watches through a gate that leads to the server only after so many attempts, and that loses it
   * while the subject comes into being.
   */
  async #late(attempts: number): Promise<void> {
    const gate = await Gate.before(this.#server);
    gate.shut();
    const [client, lost, direct] = [gate.target, gate.target, this.#server].map((target) => Riposte.connect(target));
    const subject = (through: Riposte) => through.subject("article", this.#saved["unique"]);
    const lead = async () => {
      while (gate.ended < attempts) await sleep(20);
      gate.open();
    };
    try {
      const [watch] = await Promise.all([subject(client!).watch(), lead()]);
      const next = async () => (await watch.next()).value?.event;
      const opened = await next();
      assert.ok(opened?.case === "opened" && opened.value.revision === "0", String(opened?.case));
      gate.shut();
      await subject(direct!).comment("m1", "Hi");
      const { revision } = (await subject(direct!).get()).subject!;
      gate.open();
      const again = await next();
      assert.ok(again?.case === "opened" && again.value.revision === revision, String(again?.case));
      const gap = await next();
      assert.ok(gap?.case === "gap" && gap.value.firstRevision === "1" && gap.value.lastRevision === revision, String(gap?.case));
      watch.close();
      gate.shut();
      await assert.rejects(subject(lost!).watch(), (error) => error instanceof RiposteError && error.code === Code.UNAVAILABLE);
    } finally {
      for (const one of [client, lost, direct]) one!.close();
      gate.close();
    }
  }

  /**
   * Follows the events of an object type through a gate that loses the server so often: each
   * comment is told once.
   */
  async #feed(breaks: number): Promise<void> {
    const gate = await Gate.before(this.#server);
    const [client, direct] = [Riposte.connect(gate.target), Riposte.connect(this.#server)];
    const objectTypes = [`f${this.#saved["unique"]}`];
    const written: string[] = [];
    const told: string[] = [];
    let [opened, token] = [0, ""];
    try {
      const feed = await client.events.subscribe({ filter: { objectTypes, kinds: [v1.EventKind.COMMENT_PUBLISHED] } });
      for (let at = 0; at < breaks; at++) {
        for (const way of [() => gate.shut(), () => gate.open()]) {
          way();
          written.push((await direct.subject(objectTypes[0]!, "1").comment("m1", "Hi")).id);
        }
        while (told.length < written.length) {
          const { value } = await feed.next();
          token = value?.token ?? "";
          if (value?.item.case === "event") told.push(value.item.value.commentId);
          if (value?.item.case === "opened") opened++;
        }
      }
      feed.close();
      assert.deepEqual(told, written);
      assert.ok(opened > 1, `opened ${opened} times`);
      const other = client.events.subscribe({ filter: { objectTypes }, token });
      await assert.rejects(other, (error) => error instanceof RiposteError && error.reason === "PAGE_TOKEN_MISMATCH");
    } finally {
      for (const one of [client, direct]) one.close();
      gate.close();
    }
  }

  /** Follows events that do not come, and resumes from where a heartbeat has come to. */
  async #heartbeat(): Promise<void> {
    const gate = await Gate.before(this.#server);
    const [client, direct] = [Riposte.connect(gate.target), Riposte.connect(this.#server)];
    const [type, other] = [`f${this.#saved["unique"]}`, `g${this.#saved["unique"]}`];
    try {
      const feed = await client.events.subscribe({ filter: { objectTypes: [type], kinds: [v1.EventKind.COMMENT_PUBLISHED] } });
      const opened = (await feed.next()).value!;
      assert.equal(opened.item.case, "opened");
      await direct.subject(other, "1").comment("m1", "Hi");
      let last = opened;
      for (let at = 0; at < 3 && last.token === opened.token; at++) {
        last = (await feed.next()).value!;
        assert.ok(last.item.case === "heartbeat" && last.item.value.time && last.token);
      }
      assert.notEqual(last.token, opened.token);
      gate.shut();
      const { id } = await direct.subject(type, "1").comment("m1", "Hi");
      gate.open();
      const items = await busy(feed, 2);
      assert.deepEqual(items.map(({ item }) => item.case), ["opened", "event"]);
      assert.equal((items[1]!.item.value as v1.CommentEvent).commentId, id);
      assert.ok(Buffer.concat(gate.sent).includes(last.token), "the token of the heartbeat was not sent");
      feed.close();
    } finally {
      for (const one of [client, direct]) one.close();
      gate.close();
    }
  }

  /** Follows events while the data of the server is restored. */
  async #restored(): Promise<void> {
    const data = mkdtempSync(join(tmpdir(), "riposte-data-"));
    let server = await Callers.start("--data", data, ...KEYED);
    const gate = await Gate.before(server.target);
    const type = `f${this.#saved["unique"]}`;
    const filter = { objectTypes: [type], kinds: [v1.EventKind.COMMENT_PUBLISHED] };
    try {
      const client = Riposte.connect(gate.target, { token: "writer", insecureToken: true });
      const feed = await client.events.subscribe({ filter });
      const before = await server.as("writer").subject(type, "1").comment("m1", "Hi");
      const first = await busy(feed, 2);
      assert.deepEqual(first.map(({ item }) => item.case), ["opened", "event"]);
      assert.equal((first[1]!.item.value as v1.CommentEvent).commentId, before.id);
      gate.shut();
      await server.stop();
      server = await Callers.start("--data", data, ...KEYED, "--set", "store.timeline=1");
      gate.open(server.target);
      const again = await busy(feed, 2);
      assert.deepEqual(again.map(({ item }) => item.case), ["opened", "gap"]);
      assert.equal((again[1]!.item.value as v1.EventGap).reason, v1.EventGapReason.RESTORED);
      const after = await server.as("writer").subject(type, "1").comment("m1", "Hi");
      const [event] = await busy(feed, 1);
      assert.ok(event!.item.case === "event" && event!.item.value.commentId === after.id);
      const page = await server.as("writer").events.listEvents({ filter, token: first[1]!.token });
      assert.deepEqual([page.events.length, page.gap?.reason], [0, v1.EventGapReason.RESTORED]);
      assert.notEqual(page.nextToken, "");
      feed.close();
      client.close();
    } finally {
      gate.close();
      await server.stop();
      rmSync(data, { recursive: true });
    }
  }

  /** Makes as many calls as it can beside a stream, without a connection that the server closes. */
  async #fullSpeed(count: number): Promise<void> {
    const server = await Callers.start();
    try {
      const client = server.as("writer");
      const subject = client.subject("article", this.#saved["unique"]);
      const long = "long ".repeat(900);
      for (let at = 0; at < 10; at++) await subject.comment("m1", long);
      const filter = { objectTypes: ["article"], kinds: [v1.EventKind.COMMENT_PUBLISHED] };
      const feed = await client.events.subscribe({ filter });
      await inParallel(2 * count, 64, async (at) => {
        if (at % 2 === 0) await subject.get({ timeoutMs: 60_000 });
        else assert.equal((await subject.page({ pageSize: 10, timeoutMs: 60_000 })).threads.length, 10);
      });
      await inParallel(200, 32, () => subject.comment("m1", "Hi", { timeoutMs: 60_000 }));
      const items = await busy(feed, 201);
      assert.deepEqual(items.map(({ item }) => item.case), ["opened", ...items.slice(1).map(() => "event")]);
      feed.close();
      assert.equal(await server.closed(), 0, "connections were closed for their control frames");
    } finally {
      await server.stop();
    }
  }

  async #stream(step: any): Promise<void> {
    const { method, invoke } = this.#target(step.stream);
    const [request, options] = this.#terms(method, step);
    const read = (async () => collect<Message>(invoke(request, options)))();
    if (step.error) return await this.#failure(step, read);
    const answers = (await read).map((answer) => json(method, answer));
    assert.ok(answers.length > 1, `${answers.length} answers`);
    assert.equal(mismatch(this.#filled(step.first), answers[0], "first"), undefined);
    assert.equal(mismatch(this.#filled(step.last), answers.at(-1), "last"), undefined);
  }

  /** Runs the step as a caller that a server knows. */
  async #as({ caller, ...step }: any): Promise<void> {
    const server = await Callers.start();
    const through = new Scenario(server.as(caller), {}, "", this.#within);
    Object.assign(through.#saved, this.#saved);
    await through.run([step]).finally(() => server.stop());
  }

  /** Reads so many comments by their ids. */
  async #byIds(count: number): Promise<void> {
    const subject = this.#client.subject("article", this.#saved["unique"]);
    const ids: string[] = [];
    for (let at = 0; at < count; at++) ids.unshift((await subject.comment("m1", String(at))).id);
    const found = await this.#client.commentsById([...ids, "0", "1", ids[count - 1]!]);
    assert.deepEqual(found.map(({ id }) => id), ids);
    assert.deepEqual(await this.#client.commentsById([]), []);
    await assert.rejects(this.#client.commentsById(["-1"]), (error) => error instanceof RiposteError && error.reason === "FIELD_INVALID");
  }

  /** Shares one stream among so many listeners, one of which falls behind. */
  async #listeners(count: number): Promise<void> {
    const server = await Callers.start();
    const client = server.as("writer");
    const subject = client.subject("article", this.#saved["unique"]);
    const hears = async (listener: Listener<v1.WatchSubjectResponse>, ...wanted: unknown[]) => {
      const { value, done } = await listener.next();
      const event = value?.event;
      const told = event?.case === "gap" ? [event.value.firstRevision, event.value.lastRevision] : [event?.value?.revision];
      assert.deepEqual(done ? [] : [event?.case, ...told], wanted);
    };
    const streams = async (wanted: number) => {
      for (const end = Date.now() + STEP_TIMEOUT_MS; (await server.streams()) !== wanted; await sleep(20)) {
        assert.ok(Date.now() < end, `not ${wanted} streams`);
      }
    };
    try {
      const all = await Promise.all(Array.from({ length: count }, () => subject.listen()));
      const slow = await subject.listen({ buffer: 2 });
      await streams(1);
      const revisions: string[] = [];
      for (const text of ["1", "2", "3", "4"]) {
        await subject.comment("m1", text);
        revisions.push((await subject.get()).subject!.revision);
      }
      for (const listener of all) {
        await hears(listener, "opened", "0");
        for (const revision of revisions) await hears(listener, "change", revision);
      }
      await hears(slow, "opened", "0");
      await hears(slow, "change", revisions[0]);
      await hears(slow, "gap", revisions[1], revisions[1]);
      await hears(slow);
      assert.deepEqual([slow.dropped, all[0]!.dropped], [true, false]);
      all[0]!.close();
      const late = await subject.listen();
      await hears(late, "opened", revisions[3]);
      await streams(1);
      for (const listener of [...all, late]) listener.close();
      await streams(0);
      await client.subjects.deleteSubject({ key: subject.key });
      await assert.rejects(subject.listen(), (error) => error instanceof RiposteError && error.reason === "SUBJECT_NOT_FOUND");
      await assert.rejects(subject.listen({ buffer: 0 }), (error) => error instanceof RiposteError && error.code === Code.INVALID_ARGUMENT);
      await streams(0);
    } finally {
      await server.stop();
    }
  }

  async #call(step: any): Promise<void> {
    const { method, invoke } = this.#target(step.call);
    const answers: any[] = [];
    let begun = 0;
    const worker = async () => {
      while (begun < (step.repeat ?? 1)) {
        const [request, options] = this.#terms(method, step, ++begun);
        const answered = (async () => invoke(request, options))();
        // A page of a list is asked for by the method that makes its walk, so the client refuses
        // the request as well.
        const walks = method.output.fields.some(({ name }) => name === "next_page_token");
        if (step.error) await this.#failure(step, answered, walks);
        else answers.push(json(method, await answered));
      }
    };
    await Promise.all(Array.from({ length: step.at_once ?? 1 }, worker));
    if (step.error) return;
    this.#answer(step, answers.at(-1));
    if (step.different === undefined) return;
    const told = new Set(answers.map((answer) => at(answer, step.different)));
    assert.equal(told.size, answers.length, "some answers are the same");
  }

  #answer(step: any, answer: any): void {
    assert.equal(mismatch(this.#filled(step.expect ?? {}), answer), undefined);
    for (const [name, path] of Object.entries<string>(step.save ?? {})) {
      const value = at(answer, path);
      assert.notEqual(value, undefined, `nothing stands at ${path}`);
      this.#saved[name] = value;
    }
  }

  async #list(step: any): Promise<void> {
    const { method, invoke } = this.#target(step.list);
    const [request, options] = this.#terms(method, step);
    const made = async () => void invoke(request, options);
    if (step.unmade) return await this.#failure(step, made());
    const list = invoke(request, options);
    if (step.error) return await this.#failure(step, collect(list));
    const items = await collect<Message>(list);
    const pages = await collect<Message>(list.pages());
    // An item has its JSON form where it stands: in its page.
    const told = pages.flatMap((page) => Object.values(json(method, page)).find(Array.isArray) ?? []);
    assert.equal(told.length, items.length);
    if (step.items) assert.equal(mismatch(this.#filled(step.items), told, "items"), undefined);
    if (step.count !== undefined) {
      assert.equal(told.length, step.count);
      assert.equal(new Set(told.map((item) => JSON.stringify(item))).size, step.count, "some items are the same");
    }
    if (step.pages !== undefined) assert.equal(pages.length, step.pages);
  }

  /** Reads a page with its reader's own comments, each in the form of an UnlistedComment. */
  async #page(step: any): Promise<void> {
    const { objectType, objectId } = this.#filled(step.page);
    const subject = this.#client.subject(objectType, objectId);
    const viewer = step.made ? this.#filled(step.member) : undefined;
    const made = await this.#client.commentsById(this.#filled(step.made ?? []), { viewer });
    const page = await subject.page({ sort: "oldest", viewer, ...this.#filled(step.request ?? {}) });
    const own = await collect(subject.unlisted(this.#filled(step.member)));
    const shown = ({ message: comment, proposedEdit, ownLike }: CommentHandle) => {
      const one = create(v1.UnlistedCommentSchema, { comment, ...(proposedEdit && { proposedEdit }) });
      const told = toJson(v1.UnlistedCommentSchema, one, { alwaysEmitImplicit: true }) as object;
      return { ...told, ownLike: `LIKE_VALUE_${v1.LikeValue[ownLike]}` };
    };
    const told = page.withJustMade([...own, ...made]).map(({ comment, replies }) => ({ ...shown(comment), replies: replies.map(shown) }));
    assert.equal(mismatch(this.#filled(step.items), told, "items"), undefined);
    this.#answer(step, toJson(v1.ListCommentsResponseSchema, page.response, { alwaysEmitImplicit: true }));
  }

  async #watch(step: any): Promise<void> {
    const { method, invoke } = this.#target(step.watch);
    const [request, options] = this.#terms(method, step);
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), STEP_TIMEOUT_MS);
    const opening = invoke(request, { ...options, signal: abort.signal });
    if (step.error) return await this.#failure(step, opening).finally(() => clearTimeout(timer));
    const stream = await opening;
    await this.run(step.during ?? []);
    const told = (await collect<Message>(stream, step.events.length)).map((event) => json(method, event));
    clearTimeout(timer);
    assert.equal(mismatch(this.#filled(step.events), told, "events"), undefined);
  }

  async #failure({ error: expected, deadline_ms, unsent, unmade }: any, call: Promise<unknown>, walks = false): Promise<void> {
    const error = await call.then(() => assert.fail("it succeeded"), (error: unknown) => error);
    assert.ok(error instanceof RiposteError, String(error));
    const { code, reason, retryable, retryAfterMs, violations, metadata, requestId } = error;
    const told = { code: Code[code], reason, retryable, retry_after: retryAfterMs !== undefined, metadata };
    const fields = violations.map(({ field }) => field);
    assert.equal(mismatch(this.#filled(expected), { ...told, violations: fields }, "error"), undefined);
    if (unsent || unmade || (walks && ["FIELD_INVALID", "LIKE_INVALID"].includes(reason) && requestId === undefined)) return assert.equal(requestId, undefined);
    // Where the client's own clock ended the call there was no answer to bear an id.
    if (deadline_ms === undefined && code !== Code.DEADLINE_EXCEEDED) assert.match(requestId ?? "", /^[0-9a-f-]{36}$/);
  }

  /** A method and how it is called. */
  #target(name: string): { method: DescMethod; invoke: (request: Message, options: CallOptions) => any } {
    const [service, verb] = name.split(".") as [keyof typeof v1, string];
    const found = (v1[service] as unknown as DescService).methods.find((method) => method.name === verb);
    assert.ok(found, `the contract has no ${name}`);
    return { method: found, invoke: (request, options) => this.#clients[service][found.localName](request, options) };
  }

  /** The request and the options of a step. */
  #terms(method: DescMethod, step: any, i = 1): [Message, CallOptions] {
    const request = spoiled(fromJson(method.input, this.#filled(step.request ?? {}, i)));
    const faulty = step.fault && i % (step.fault_every ?? 1) === 0;
    const headers = faulty ? { "riposte-fault": `${step.fault};key=${randomUUID()}` } : undefined;
    // On a machine that is busy with other tests only a call that is to be late may have the short
    // deadlines of real use.
    const timeoutMs = step.error?.code === "DEADLINE_EXCEEDED" || step.watch ? undefined : 3 * STEP_TIMEOUT_MS;
    return [request, { timeoutMs: step.deadline_ms ?? timeoutMs, headers }];
  }

  /** A value with its placeholders filled in. */
  #filled(value: any, i = 1): any {
    if (typeof value === "string") {
      return value.replace(/\$\{(\w+)\}/g, (_, name: string) => {
        const found = name === "i" ? i : this.#saved[name];
        assert.notEqual(found, undefined, `nothing was saved as ${name}`);
        return String(found);
      });
    }
    if (Array.isArray(value)) return value.map((element) => this.#filled(element, i));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#filled(inner, i)]));
  }
}

/** The same message, with a lone surrogate where its sign stands in a text. */
function spoiled<T>(message: T): T {
  for (const [name, value] of Object.entries(message as object)) {
    if (typeof value === "string") (message as any)[name] = value.replaceAll(LONE, "\ud83d");
    else if (value !== null && typeof value === "object") spoiled(value);
  }
  return message;
}

/** What stands at a dotted path. */
function at(answer: any, path: string): any {
  return path.split(".").reduce((inner, key) => inner?.[key], answer);
}

function json(method: DescMethod, answer: any): any {
  return toJson(method.output, answer, { alwaysEmitImplicit: true }) as JsonValue;
}

async function collect<T>(from: AsyncIterable<T>, most = Infinity): Promise<T[]> {
  const items: T[] = [];
  for await (const item of from) {
    items.push(item);
    if (items.length >= most) break;
  }
  return items;
}

/** The next items of a feed that are no heartbeats. */
async function busy(feed: AsyncIterator<v1.SubscribeResponse>, count: number): Promise<v1.SubscribeResponse[]> {
  const items: v1.SubscribeResponse[] = [];
  while (items.length < count) {
    const { value, done } = await feed.next();
    assert.ok(!done, "the feed ended");
    if (value.item.case !== "heartbeat") items.push(value);
  }
  return items;
}

/** Runs so many tasks, up to a number of them at once. */
async function inParallel(count: number, atOnce: number, task: (at: number) => Promise<unknown>): Promise<void> {
  let begun = 0;
  const worker = async () => {
    while (begun < count) await task(begun++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
