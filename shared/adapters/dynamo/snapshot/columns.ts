import { toIso } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { Json } from '#shared/core/records/fields.ts';

/**
 * Rows as columns of JSON, as column stores do: what stands in the same place of every row lies together and is like
 * its neighbours, which compresses well. A column of values is one of these:
 *
 * | Form | Values |
 * |---|---|
 * | a scalar | all are this |
 * | `[values]` | as they are |
 * | `{ i: suffix, d: [steps] }` | ids such as `2429_1` of one suffix, each number by its distance from the one before |
 * | `{ m: [unit, fraction, zone], d: [distances] }` | moments of one notation, in units of milliseconds from the origin |
 * | `{ w: [distances] }` | large whole numbers, by their distance from the origin |
 * | `{ n: lengths, p: [columns], x? }` | lists: a column for each position |
 * | `{ n: lengths, a: column, x? }` | lists of lists: one column of all their members |
 *
 * `lengths` is a column, with null for a value that is no list; `x` is the column of those values, left out when all
 * are null. Steps and distances of null are null.
 */
type Column = Json;

/** No leaf holds more values than this; bytes that announce more are not ours. */
const MAX_VALUES = 2 ** 20;
/** Whole numbers up to this, and the distances between them, are exact. */
const MAX_EXACT_NUMBER = 2 ** 50;
/** Smaller numbers are written as they are. */
const MIN_LARGE_NUMBER = 2 ** 31;

const ID = /^([1-9]\d{0,14})(?!\d)(.*)$/s;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?(Z|[+-]\d{2}:\d{2})?$/;
const UNITS_MS = [60_000, 1000, 1];

/** `origin`: an instant near the moments in the values, in milliseconds since 1970. */
export function packColumn(values: readonly Json[], origin: number): Column {
  const lists = values.filter(isList);
  if (lists.length === 0) return packScalars(values, origin);
  const n = packColumn(
    values.map((value) => (isList(value) ? value.length : null)),
    origin,
  );
  const others = values.filter((value) => !isList(value));
  const x = others.some((value) => value != null) ? { x: packColumn(others, origin) } : {};
  if (lists.some(([first]) => isList(first))) return { n, a: packColumn(lists.flat(), origin), ...x };
  const width = Math.max(...lists.map(({ length }) => length));
  const p = Array.from({ length: width }, (_, place) =>
    packColumn(
      lists.filter(({ length }) => length > place).map((list) => list[place]),
      origin,
    ),
  );
  return { n, p, ...x };
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function packScalars(values: readonly Json[], origin: number): Column {
  const first = values.find((value) => value != null);
  if (typeof first !== 'object' && values.every((value) => (value ?? null) === (first ?? null)))
    return first ?? null;
  if (typeof first === 'number') return packWholeNumbers(values, origin) ?? values;
  if (typeof first !== 'string') return values;
  return packIds(values, first) ?? packMoments(values, first, origin) ?? values;
}

function packWholeNumbers(values: readonly Json[], origin: number): Column | null {
  const isLarge = (value: Json) =>
    typeof value === 'number' &&
    Number.isInteger(value) &&
    Math.abs(value) >= MIN_LARGE_NUMBER &&
    Math.abs(value) < MAX_EXACT_NUMBER;
  const w = mapPresent(values, (value) => (isLarge(value) ? Number(value) - origin : null));
  return w === null ? null : { w };
}

function packIds(values: readonly Json[], first: string): Column | null {
  const suffix = ID.exec(first)?.[2];
  let before = 0;
  const d = mapPresent(values, (value) => {
    const [, digits, end] = (typeof value === 'string' && ID.exec(value)) || [];
    if (digits === undefined || end !== suffix) return null;
    const step = Number(digits) - before;
    before += step;
    return step;
  });
  return d === null ? null : { i: suffix, d };
}

function packMoments(values: readonly Json[], first: string, origin: number): Column | null {
  const match = MOMENT.exec(first);
  if (match === null) return null;
  const [, fraction, zone = ''] = match;
  const instants = mapPresent(values, (value) => {
    const instant = Date.parse(`${String(value).slice(0, fraction === undefined ? 19 : 23)}Z`);
    return formatMoment(instant, fraction !== undefined, zone) === value ? instant : null;
  });
  if (instants === null) return null;
  const distances = instants.map((instant) => (instant === null ? null : instant - origin));
  const unit = UNITS_MS.find((each) => distances.every((distance) => (distance ?? 0) % each === 0)) ?? 1;
  const d = distances.map((distance) => (distance === null ? null : distance / unit));
  return { m: [unit, fraction !== undefined, zone], d };
}

/** Null for what is no instant: a 30th of February is read as a day of March, and comes back as another text. */
function formatMoment(instant: number, hasFraction: boolean, zone: string): string | null {
  if (Number.isNaN(instant)) return null;
  return `${toIso(instant).slice(0, hasFraction ? 23 : 19)}${zone}`;
}

/** Numbers in place of values that are not null; null when one has no number. */
function mapPresent(
  values: readonly Json[],
  toNumber: (value: Json) => number | null,
): (number | null)[] | null {
  const numbers: (number | null)[] = [];
  for (const value of values) {
    const number = value == null ? null : toNumber(value);
    if (value != null && number === null) return null;
    numbers.push(number);
  }
  return numbers;
}

/**
 * The values that `packColumn` packed, with the same `origin`. Throws `NotifierError` `store_item_unreadable` when
 * `packed` does not hold as many values, or more than a leaf can.
 */
export function unpackColumn(packed: unknown, count: number, origin: number): Json[] {
  return new ColumnReader(origin).column(packed, count);
}

type Form = Readonly<Record<string, unknown>>;

class ColumnReader {
  readonly #origin: number;
  #left = MAX_VALUES;

  constructor(origin: number) {
    this.#origin = origin;
  }

  column(packed: unknown, count: number): Json[] {
    if (!(Number.isInteger(count) && count >= 0 && count <= this.#left)) throw toUnreadableError();
    this.#left -= count;
    if (Array.isArray(packed)) return requireLength(packed as Json[], count);
    if (typeof packed !== 'object' || packed === null) return new Array<Json>(count).fill(packed as Json);
    const form = packed as Form;
    if ('n' in form) return this.#lists(form, count);
    if ('w' in form)
      return readNumbers(form.w, count).map((each) => (each === null ? null : each + this.#origin));
    return 'i' in form ? readIds(form, count) : this.#moments(form, count);
  }

  #lists(form: Form, count: number): Json[] {
    const lengths = this.column(form.n, count);
    const known = lengths.filter((length) => length !== null).map(Number);
    const others = this.column(form.x ?? null, count - known.length).values();
    const lists = ('a' in form ? this.#nested(form.a, known) : this.#positions(form.p, known)).values();
    return lengths.map((length) => (length === null ? others : lists).next().value);
  }

  #nested(packed: unknown, lengths: readonly number[]): Json[][] {
    const total = lengths.reduce((sum, length) => sum + length, 0);
    const members = this.column(packed, total);
    let used = 0;
    return lengths.map((length) => {
      used += length;
      return members.slice(used - length, used);
    });
  }

  #positions(packed: unknown, lengths: readonly number[]): Json[][] {
    const lists = lengths.map((length) => ({ length, values: [] as Json[] }));
    let longer = lists;
    for (const [place, column] of requireLength(packed, Math.max(0, ...lengths)).entries()) {
      longer = longer.filter(({ length }) => length > place);
      const values = this.column(column, longer.length);
      longer.forEach((list, index) => {
        list.values.push(values[index]);
      });
    }
    return lists.map(({ values }) => values);
  }

  #moments({ m, d }: Form, count: number): Json[] {
    const [unit, hasFraction, zone] = requireLength(m, 3);
    return readNumbers(d, count).map((distance) =>
      distance === null
        ? null
        : formatMoment(distance * Number(unit) + this.#origin, hasFraction === true, String(zone)),
    );
  }
}

function readIds({ i, d }: Form, count: number): Json[] {
  let number = 0;
  return readNumbers(d, count).map((step) => {
    if (step === null) return null;
    number += step;
    return `${number}${String(i)}`;
  });
}

function readNumbers(values: unknown, count: number): (number | null)[] {
  const numbers = requireLength(values, count);
  if (numbers.every((each) => each === null || typeof each === 'number')) return numbers as (number | null)[];
  throw toUnreadableError();
}

function requireLength(values: unknown, count: number): Json[] {
  if (Array.isArray(values) && values.length === count) return values as Json[];
  throw toUnreadableError();
}

function toUnreadableError(): NotifierError {
  return new NotifierError(
    'store_item_unreadable',
    'packed columns do not hold the values that they announce',
  );
}
