// Comments of videos as JSON, in Fastify. README.md says how to start it.
import { Riposte } from "riposte-sdk";
import { app } from "./app.js";

const riposte = Riposte.fromEnv();
const server = app(riposte);
server.addHook("onClose", () => riposte.close());
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void server.close());
console.log(await server.listen({ port: Number(process.env["PORT"] ?? 8000) }));
