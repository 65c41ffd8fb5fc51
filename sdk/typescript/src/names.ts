import { invalid } from "./error.js";

/** The values of an enum as options name them: `hot` for `HOT`. */
export type NameOf<E> = Lowercase<Exclude<keyof E & string, "UNSPECIFIED">>;

/** The value that an option names. Throws INVALID_ARGUMENT for a name that is none. */
export function valueOf<E extends Record<string, string | number>, V extends number>(
  option: string,
  values: E & Record<string, string | V>,
  name: NameOf<E> | undefined,
  only = Object.keys(values),
): V | undefined {
  if (name === undefined) return undefined;
  const value = values[String(name).toUpperCase()];
  if (typeof value === "number" && value !== 0 && only.includes(String(name).toUpperCase())) return value;
  const names = only.filter((key) => typeof values[key] === "number" && values[key] !== 0);
  throw invalid(`${option}: ${name} is none of ${names.join(", ").toLowerCase()}`);
}
