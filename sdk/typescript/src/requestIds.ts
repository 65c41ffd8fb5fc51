import { randomBytes } from "node:crypto";

/**
 * Makes the request ids of one client: UUIDv7 in strictly rising order, whose last 48 bits are
 * random once per client. By them the service knows the client, and by the rest it orders what one
 * client asked.
 */
export class RequestIds {
  readonly #tail = randomBytes(6).toString("hex");
  /**
   * The milliseconds of the last id, and how many ids before it had the same: a count of 16 bits.
   */
  #ms = 0;
  #count = 0;

  /** A new id, in the usual text form; greater than every one before it. */
  next(): string {
    const now = Date.now();
    if (now > this.#ms) {
      [this.#ms, this.#count] = [now, 0];
    } else if (++this.#count > 0xffff) {
      // The count runs over into the milliseconds, so that ids rise also under a clock that stands
      // or goes back.
      [this.#ms, this.#count] = [this.#ms + 1, 0];
    }
    // The layout of RFC 9562: milliseconds, version 7, twelve bits, variant 2, and 62 bits, here 14
    // and the tail.
    const ms = hex(this.#ms, 12);
    const [high, low] = [this.#count >> 4, this.#count & 0xf];
    return `${ms.slice(0, 8)}-${ms.slice(8)}-7${hex(high, 3)}-${hex(0x8000 | (low << 10), 4)}-${this.#tail}`;
  }
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, "0");
}
