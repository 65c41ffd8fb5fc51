// [quickstart]
import { Riposte } from "riposte-sdk";

const c = Riposte.fromEnv();
const s = c.subject("article", "42");
const p = await s.comment("m7", "Hi");
await p.like("m9");
for await (const x of s.comments({ sort: "hot" })) console.log(x.comment?.content?.text);
c.close();
// [quickstart]
