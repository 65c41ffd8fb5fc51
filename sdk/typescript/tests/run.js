// Installs the package that was built, as a user would, into a fresh folder, and there checks it, compiles the tests and the
// quick start against its types, and runs them. Usage: node tests/run.js SCRATCH PACKAGES
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const [scratch, packages] = process.argv.slice(2);
const app = join(scratch, "app");
const archive = readdirSync(packages).find((name) => name.endsWith(".tgz"));
const bin = (name) => join(app, "node_modules/.bin", name);
const run = (program, ...words) => execFileSync(program, words, { cwd: app, stdio: "inherit", timeout: 150_000 });

rmSync(app, { recursive: true, force: true });
mkdirSync(app, { recursive: true });
cpSync("tests", app, { recursive: true });
cpSync("examples", join(app, "examples"), { recursive: true });
run("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", join(packages, archive));
run(bin("publint"), "node_modules/riposte-sdk", "--strict");
run(bin("tsc"), "--project", ".");
const tests = readdirSync(join(app, "out")).filter((name) => /\.test\.c?js$/.test(name));
run(process.execPath, "--test", "--test-concurrency=2", "--test-reporter=spec", ...tests.map((name) => join("out", name)));
run(process.env.RIPOSTE_DEV_BINARY, "dev", "--listen", "127.0.0.1:0", "--exec", "--", process.execPath, "out/examples/quickstart.js");
