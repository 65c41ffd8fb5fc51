/** Why an answer does not match what is expected of it, with the place; `undefined` if it does. */
export function mismatch(expected: any, actual: any, path = "answer"): string | undefined {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return `${path} is no list: ${JSON.stringify(actual)}`;
    if (expected.length !== actual.length) return `${path} has ${actual.length} elements, not ${expected.length}`;
    return first(expected.map((element, i) => mismatch(element, actual[i], `${path}.${i}`)));
  }
  if (expected !== null && typeof expected === "object") {
    if ("$set" in expected) {
      return expected.$set === isSet(actual) ? undefined : `${path} is ${JSON.stringify(actual)}`;
    }
    if ("$not" in expected) {
      return mismatch(expected.$not, actual, path) ? undefined : `${path} is ${JSON.stringify(actual)}`;
    }
    if (actual === null || typeof actual !== "object") return `${path} is ${JSON.stringify(actual)}`;
    return first(Object.entries(expected).map(([key, value]) => mismatch(value, actual[key], `${path}.${key}`)));
  }
  return expected === actual ? undefined : `${path} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`;
}

const first = (faults: (string | undefined)[]) => faults.find((fault) => fault !== undefined);

/** Whether a value differs from the default of its type. */
function isSet(value: any): boolean {
  if (value === undefined || value === null || value === "" || value === 0 || value === "0" || value === false) return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}
