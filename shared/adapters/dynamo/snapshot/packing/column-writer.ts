import type { Json } from '#shared/core/records/fields.ts';
import { BitWriter, bitLengthOf } from './bits.ts';
import { writeNumbers } from './numbers.ts';
import {
  type ObjectText,
  ObjectTexts,
  type Scalar,
  VALUE_KIND_BITS,
  VALUE_KINDS,
  type ValueKind,
  valueKindOf,
} from './scalars.ts';
import { computeOrigin, KNOWN_PATTERNS, splitText, type TextParts } from './texts.ts';

/** Distinct values are listed once when they are at most this share of all. */
const REPETITIVE_SHARE = 0.75;

/**
 * Writes values in columns, as column stores do: what stands in the same place of every row lies together, and
 * repeats, follows a pattern, or stays in a narrow range. `origin` is an instant (ms) near the moments in the values.
 */
export function packRows(rows: readonly Json[], origin: number): Uint8Array {
  const writer = new ColumnWriter(origin);
  writer.count(rows.length);
  writer.column(rows);
  return writer.finish();
}

class ColumnWriter {
  readonly #bits = new BitWriter();
  readonly #objects = new ObjectTexts();
  readonly #origin: number;

  constructor(origin: number) {
    this.#origin = origin;
  }

  count(count: number): void {
    this.#bits.writeCount(count);
  }

  finish(): Uint8Array {
    return this.#bits.finish();
  }

  /** Values of one place: scalars, or lists of which the members are columns again. */
  column(values: readonly Json[]): void {
    if (values.length === 0) return;
    const lists = values.filter((value) => Array.isArray(value)) as (readonly Json[])[];
    this.#bits.write(1, lists.length > 0 ? 1 : 0);
    if (lists.length === 0) {
      this.#scalars(values.map((value) => this.#scalarOf(value)));
      return;
    }
    // A list by its length plus one, and anything else by 0.
    this.#scalars(values.map((value) => (Array.isArray(value) ? value.length + 1 : 0)));
    this.#scalars(values.filter((value) => !Array.isArray(value)).map((value) => this.#scalarOf(value)));
    this.#members(lists);
  }

  /** Lists of one length hold one kind of value in each position; others hold any number of the same kind. */
  #members(lists: readonly (readonly Json[])[]): void {
    const length = lists[0]?.length ?? 0;
    const alike =
      lists.every((list) => list.length === length) && !lists.some((list) => Array.isArray(list[0]));
    this.#bits.write(1, alike ? 1 : 0);
    const columns = alike
      ? Array.from({ length }, (_, position) => lists.map((list) => list[position]))
      : [lists.flat()];
    for (const column of columns) this.column(column);
  }

  #scalars(values: readonly Scalar[]): void {
    if (values.length === 0) return;
    const places = new Map<Scalar, number>();
    for (const value of values) if (!places.has(value)) places.set(value, places.size);
    const repetitive = places.size <= values.length * REPETITIVE_SHARE;
    this.#bits.write(1, repetitive ? 1 : 0);
    if (!repetitive) {
      this.#literals(values);
      return;
    }
    this.#bits.writeCount(places.size);
    this.#literals([...places.keys()]);
    const width = bitLengthOf(places.size - 1);
    for (const value of values) this.#bits.write(width, places.get(value) ?? 0);
  }

  #literals(values: readonly Scalar[]): void {
    const kinds = values.map((value) => VALUE_KINDS.indexOf(valueKindOf(value)));
    const uniform = new Set(kinds).size === 1;
    this.#bits.write(1, uniform ? 1 : 0);
    for (const kind of uniform ? kinds.slice(0, 1) : kinds) this.#bits.write(VALUE_KIND_BITS, kind);
    const of = (kind: ValueKind) => values.filter((_, index) => VALUE_KINDS[kinds[index] ?? 0] === kind);
    writeNumbers(this.#bits, of('whole') as number[]);
    writeNumbers(
      this.#bits,
      (of('hundredths') as number[]).map((value) => Math.round(value * 100)),
    );
    this.#texts(of('text') as string[]);
    this.#texts(of('number').map(String));
    for (const value of of('object')) this.#plain((value as ObjectText).json);
  }

  #texts(texts: readonly string[]): void {
    if (texts.length === 0) return;
    const groups = new Map<string, TextParts[]>();
    const parts = texts.map(splitText);
    for (const each of parts) {
      const group = groups.get(each.pattern);
      if (group === undefined) groups.set(each.pattern, [each]);
      else group.push(each);
    }
    const patterns = [...groups.keys()];
    this.#bits.writeCount(patterns.length - 1);
    for (const pattern of patterns) this.#pattern(pattern);
    const width = bitLengthOf(patterns.length - 1);
    for (const { pattern } of parts) this.#bits.write(width, patterns.indexOf(pattern));
    for (const [pattern, group] of groups) {
      const origin = computeOrigin(pattern, this.#origin);
      for (let slot = 0; slot < (group[0]?.numbers.length ?? 0); slot += 1) {
        writeNumbers(
          this.#bits,
          group.map(({ numbers }) => (numbers[slot] ?? 0) - origin),
        );
      }
    }
  }

  #pattern(pattern: string): void {
    const known = KNOWN_PATTERNS.indexOf(pattern);
    this.#bits.writeCount(known + 1);
    if (known < 0) this.#plain(pattern);
  }

  #plain(text: string): void {
    const bytes = Buffer.from(text);
    this.#bits.writeCount(bytes.length);
    for (const byte of bytes) this.#bits.write(8, byte);
  }

  #scalarOf(value: Json): Scalar {
    if (typeof value !== 'object') return value ?? null;
    return value === null ? null : this.#objects.of(value);
  }
}
