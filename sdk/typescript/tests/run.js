// Installs the package that was built, as a user would; there checks it, compiles the tests and the
// quick start against its types, and runs them. Only what others made stays installed from run to
// run. Usage: node tests/run.js SCRATCH PACKAGES
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const [scratch, packages] = process.argv.slice(2);
const app = join(scratch, "app");
const archive = readdirSync(packages).find((name) => name.endsWith(".tgz"));
const bin = (name) => join(app, "node_modules/.bin", name);

/** Runs a program in the fresh folder, for ten minutes at most, and ends with it if it fails. */
function run(program, ...words) {
  const { status, error } = spawnSync(program, words, { cwd: app, stdio: "inherit", timeout: 600_000 });
  if (error) console.error(`${program}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

mkdirSync(app, { recursive: true });
for (const name of readdirSync(app)) if (name !== "node_modules") rmSync(join(app, name), { recursive: true });
cpSync("tests", app, { recursive: true });
cpSync("examples", join(app, "examples"), { recursive: true });
const quietly = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"];
run("npm", "install", ...quietly);
run("npm", "install", "--no-save", ...quietly, join(packages, archive));
run(bin("publint"), "node_modules/riposte-sdk", "--strict");
// The oldest compiler that the README promises, which checks all declarations too, and the one of
// today.
for (const compiler of ["typescript-oldest", "typescript"]) run(process.execPath, `node_modules/${compiler}/bin/tsc`, "--project", ".");
const tests = readdirSync(join(app, "out")).filter((name) => /\.test\.c?js$/.test(name));
run(process.execPath, "--test", "--test-concurrency=2", "--test-reporter=spec", ...tests.map((name) => join("out", name)));
run(process.env.RIPOSTE_DEV_BINARY, "dev", "--listen", "127.0.0.1:0", "--exec", "--", process.execPath, "out/examples/quickstart.js");
