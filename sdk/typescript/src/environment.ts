import { readFileSync } from "node:fs";
import { invalid } from "./error.js";

/** A variable; one that is empty is as good as absent. */
export function text(name: string): string | undefined {
  return process.env[name] || undefined;
}

/** A switch; false unless said. */
export function flag(name: string): boolean {
  const value = text(name)?.toLowerCase() ?? "false";
  if (!["true", "1", "false", "0"].includes(value)) throw invalid(`${name}: ${value} is neither true nor false`);
  return value === "true" || value === "1";
}

/** One of the values; undefined unless said. */
export function choice<const V extends string>(name: string, values: readonly V[]): V | undefined {
  const value = text(name);
  const found = values.find((one) => one === value);
  if (value !== undefined && found === undefined) throw invalid(`${name}: ${value} is none of ${values.join(", ")}`);
  return found;
}

/** What stands in the file that a variable names. */
export function pem(name: string): string | undefined {
  const path = text(name);
  try {
    return path && readFileSync(path, "utf8");
  } catch (error) {
    throw invalid(`${name}, ${path}: ${(error as Error).message}`, error);
  }
}
