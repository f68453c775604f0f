import { NotifierError } from '#shared/core/errors.ts';
import type { Json } from '#shared/core/records/fields.ts';
import { BitReader, bitLengthOf } from './bits.ts';
import { readNumbers } from './numbers.ts';
import { VALUE_KIND_BITS, VALUE_KINDS, type ValueKind } from './scalars.ts';
import { computeOrigin, countSlots, KNOWN_PATTERNS, patternWriter } from './texts.ts';

/** No item holds more values than this; bytes that announce more are not ours. */
const MAX_VALUES = 2 ** 20;

/** How values of several kinds follow each other in the bytes; the first three take none. */
const READING_ORDER = ['null', 'true', 'false', 'whole', 'hundredths', 'text', 'number', 'object'] as const;

/**
 * The rows that `packRows` packed, with the same `origin`. Throws `NotifierError` `store_item_unreadable` when the
 * bytes end early or announce more than an item can hold.
 */
export function unpackRows(bytes: Uint8Array, origin: number): Json[] {
  const reader = new ColumnReader(bytes, origin);
  return reader.column(reader.count());
}

class ColumnReader {
  readonly #bits: BitReader;
  readonly #origin: number;

  constructor(bytes: Uint8Array, origin: number) {
    this.#bits = new BitReader(bytes);
    this.#origin = origin;
  }

  count(): number {
    const count = this.#bits.readCount();
    if (count <= MAX_VALUES) return count;
    throw new NotifierError('store_item_unreadable', `packed bytes announce ${count} values`);
  }

  column(length: number): Json[] {
    if (length === 0) return [];
    if (this.#bits.read(1) === 0) return this.#scalars(length);
    const marks = this.#scalars(length).map(Number);
    const others = this.#scalars(marks.filter((mark) => mark === 0).length);
    const lists = this.#members(marks.filter((mark) => mark > 0).map((mark) => mark - 1));
    let usedLists = 0;
    let usedOthers = 0;
    return marks.map((mark) => {
      if (mark === 0) {
        usedOthers += 1;
        return others[usedOthers - 1];
      }
      usedLists += 1;
      return lists[usedLists - 1];
    });
  }

  #members(lengths: readonly number[]): Json[][] {
    const alike = this.#bits.read(1) === 1;
    const length = lengths[0] ?? 0;
    if (alike) {
      const columns = Array.from({ length }, () => this.column(lengths.length));
      return lengths.map((_, row) => columns.map((column) => column[row]));
    }
    const total = lengths.reduce((sum, each) => sum + each, 0);
    if (total > MAX_VALUES)
      throw new NotifierError('store_item_unreadable', `packed bytes announce ${total} values`);
    const members = this.column(total);
    let used = 0;
    return lengths.map((each) => {
      used += each;
      return members.slice(used - each, used);
    });
  }

  #scalars(length: number): Json[] {
    if (length === 0) return [];
    if (this.#bits.read(1) === 0) return this.#literals(length);
    const values = this.#literals(this.count());
    const width = bitLengthOf(values.length - 1);
    return Array.from({ length }, () => values[this.#bits.read(width)]);
  }

  #literals(length: number): Json[] {
    if (this.#bits.read(1) === 1) return this.#alike(this.#kind(), length);
    const kinds = Array.from({ length }, () => this.#kind());
    const queues = new Map<ValueKind, Iterator<Json>>();
    for (const kind of READING_ORDER) {
      const count = kinds.filter((each) => each === kind).length;
      queues.set(kind, this.#alike(kind, count).values());
    }
    return kinds.map((kind) => queues.get(kind)?.next().value);
  }

  #kind(): ValueKind {
    return VALUE_KINDS[this.#bits.read(VALUE_KIND_BITS)] ?? 'null';
  }

  #alike(kind: ValueKind, length: number): Json[] {
    switch (kind) {
      case 'whole':
        return readNumbers(this.#bits, length);
      case 'hundredths':
        return readNumbers(this.#bits, length).map((value) => value / 100);
      case 'text':
        return this.#texts(length);
      case 'number':
        return this.#texts(length).map(Number);
      case 'object':
        return Array.from({ length }, () => JSON.parse(this.#plain()) as Json);
      default:
        return new Array<Json>(length).fill(kind === 'null' ? null : kind === 'true');
    }
  }

  #texts(length: number): string[] {
    if (length === 0) return [];
    const patterns = Array.from({ length: this.count() + 1 }, () => this.#pattern());
    const width = bitLengthOf(patterns.length - 1);
    const choices = Array.from({ length }, () => this.#bits.read(width));
    const groups = patterns.map((pattern, choice) => {
      const size = choices.filter((each) => each === choice).length;
      const origin = computeOrigin(pattern, this.#origin);
      return Array.from({ length: countSlots(pattern) }, () =>
        readNumbers(this.#bits, size).map((number) => number + origin),
      );
    });
    const used = patterns.map(() => 0);
    const writers = patterns.map(patternWriter);
    return choices.map((choice) => {
      const place = used[choice] ?? 0;
      used[choice] = place + 1;
      const numbers = (groups[choice] ?? []).map((column) => column[place] ?? 0);
      return writers[choice]?.(numbers) ?? '';
    });
  }

  #pattern(): string {
    const known = this.#bits.readCount();
    return known === 0 ? this.#plain() : (KNOWN_PATTERNS[known - 1] ?? '');
  }

  #plain(): string {
    return Buffer.from(Array.from({ length: this.count() }, () => this.#bits.read(8))).toString();
  }
}
