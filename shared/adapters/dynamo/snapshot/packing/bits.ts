import { NotifierError } from '#shared/core/errors.ts';

/** Bits of the groups in which a count is written; each group is led by a bit that says whether another follows. */
const GROUP_BITS = 3;
const GROUP = 2 ** GROUP_BITS;
/** Whole numbers of more bits are not exact. */
const MAX_BITS = 53;

/** Writes whole numbers bit after bit, the highest first. */
export class BitWriter {
  readonly #bytes: number[] = [];
  #pending = 0;
  #pendingBits = 0;

  /** A number of at most 53 bits in exactly that many. */
  write(width: number, value: number): void {
    let left = width;
    while (left > 0) {
      const taken = Math.min(8 - this.#pendingBits, left);
      left -= taken;
      this.#pending = (this.#pending << taken) + (Math.floor(value / 2 ** left) % (1 << taken));
      this.#pendingBits += taken;
      if (this.#pendingBits === 8) this.#flush();
    }
  }

  /** A number that is likely small. */
  writeCount(count: number): void {
    let highest = 1;
    while (count >= highest * GROUP) highest *= GROUP;
    for (let unit = highest; unit >= 1; unit /= GROUP) {
      this.write(1, unit > 1 ? 1 : 0);
      this.write(GROUP_BITS, Math.floor(count / unit) % GROUP);
    }
  }

  finish(): Uint8Array {
    if (this.#pendingBits > 0) this.write(8 - this.#pendingBits, 0);
    return Uint8Array.from(this.#bytes);
  }

  #flush(): void {
    this.#bytes.push(this.#pending);
    this.#pending = 0;
    this.#pendingBits = 0;
  }
}

/** Bits that a count takes. */
export function countBits(count: number): number {
  return Math.max(1, Math.ceil(bitLengthOf(count) / GROUP_BITS)) * (GROUP_BITS + 1);
}

/** Length of a whole number in bits. */
export function bitLengthOf(value: number): number {
  let length = 0;
  for (let rest = value; rest >= 1; rest = Math.floor(rest / 2 ** 31)) {
    length += rest < 2 ** 31 ? 32 - Math.clz32(rest) : 31;
  }
  return length;
}

/** Reads what a `BitWriter` wrote. Throws `NotifierError` `store_item_unreadable` when there is no more. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #position = 0;
  #left = 8;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  read(width: number): number {
    let value = 0;
    let missing = width;
    while (missing > 0) {
      const byte = this.#bytes[this.#position];
      if (byte === undefined || width > MAX_BITS) {
        throw new NotifierError('store_item_unreadable', 'packed bytes end before what they announce');
      }
      const taken = Math.min(this.#left, missing);
      missing -= taken;
      this.#left -= taken;
      value = value * (1 << taken) + ((byte >> this.#left) & ((1 << taken) - 1));
      if (this.#left > 0) continue;
      this.#left = 8;
      this.#position += 1;
    }
    return value;
  }

  readCount(): number {
    let count = 0;
    for (;;) {
      const more = this.read(1) === 1;
      count = count * GROUP + this.read(GROUP_BITS);
      if (!more) return count;
      if (count > Number.MAX_SAFE_INTEGER / GROUP) {
        throw new NotifierError('store_item_unreadable', 'packed bytes hold a count without an end');
      }
    }
  }
}
