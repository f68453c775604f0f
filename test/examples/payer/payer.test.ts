import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isTimesheetEvent, parseEvent, type TimesheetEvent } from 'workforce-change-notifier';
import { EXAMPLE_EVENTS } from 'workforce-change-notifier/testing';
import config from '#config';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import type { Interest } from '#shared/systems/filter.ts';
import { selectEvents } from '#shared/systems/selection.ts';
import { Random } from '#test/simulation/random.ts';
import { shuffle } from '#test/support/shuffle.ts';
import { openBook } from '../../../examples/payer/book.ts';
import { type Book, enter, listPaid, type Payment, pay } from '../../../examples/payer/payer.ts';
import { type LivedFortnight, liveFortnight } from './lived-fortnight.ts';

const EVERYTHING: Interest = { topics: ['timesheets'], filter: {} };
const [SHIPPED = EVERYTHING] = parseNotifierConfig(config).queues;

let lived: LivedFortnight;
const scratch = mkdtempSync(join(tmpdir(), 'payer-'));

beforeAll(async () => {
  lived = await liveFortnight();
  expect(lived.texts.length).toBeGreaterThan(1_000);
  expect(lived.owed.size).toBeGreaterThan(200);
  for (const told of ['pay_period.reopened', 'pay_period.closed', '"changed":["calendar"]'])
    expect(lived.texts.some((text) => text.includes(told))).toBe(true);
});
afterAll(() => rmSync(scratch, { recursive: true }));

describe('what the payer paid in a fortnight is what the company owes, to the minute of each timesheet', () => {
  test.each([
    ['everything', EVERYTHING],
    ['what the config of this repository lets through', SHIPPED],
  ])('when it hears %s', async (_, interest) => {
    const bank = new Bank();
    const book: Book = new Map();
    enterAll(book, read([...lived.snapshots, ...lived.texts], interest));
    await pay(book, bank.transfer);
    expect(bank.paid()).toEqual(sorted(lived.owed));
    const listed = new Map([...listPaid(book)].map(({ timesheetId, hours }) => [timesheetId, hours * 60]));
    // Others had paid for some of them before.
    expect(listed.size).toBeGreaterThan(lived.owed.size);
    const own = [...book]
      .filter(([, { opening }]) => opening?.minutes === 0)
      .map(([key]) => key.split('/').at(-1));
    for (const id of own) expect(listed.get(id ?? '')).toBe(lived.owed.get(id ?? ''));
  });

  test.each([1, 2, 3])('out of order, doubled, killed and started again: seed %d', async (seed) => {
    const random = new Random(seed);
    const bank = new Bank();
    const book: Book = new Map();
    for (const batch of deliver(read([...lived.snapshots, ...lived.texts], EVERYTHING), seed)) {
      // Of a life that was killed in the midst of paying, only the book is left.
      enterAll(book, batch);
      bank.killAfter = random.chance(0.5) ? random.between(0, 20) : Number.POSITIVE_INFINITY;
      await pay(book, bank.transfer).catch(expectKill);
    }
    bank.killAfter = Number.POSITIVE_INFINITY;
    await pay(book, bank.transfer);
    expect(bank.kills).toBeGreaterThan(2);
    expect(bank.repeats).toBeGreaterThan(0);
    expect(bank.paid()).toEqual(sorted(lived.owed));
  });
});

test('what changed after its approval is paid once, in whatever order it comes, as docs/subscribing.md shows', async () => {
  const bank = new Bank();
  const book: Book = new Map();
  const since = '2026-11-01T00:00:00.000Z';
  const approved = EXAMPLE_EVENTS['workforce.timesheet.approved'];
  const changed = EXAMPLE_EVENTS['workforce.timesheet.changed'];
  for (const event of [changed, approved, changed]) enter(event, book, since);
  await pay(book, bank.transfer);
  expect(bank.paid()).toEqual([[approved.data.timesheetId, changed.data.current.hoursToPay * 60]]);
});

test('a book in a file is what is left of a killed payer', async () => {
  const bank = new Bank();
  const file = join(scratch, 'book');
  const events = read(lived.snapshots, EVERYTHING).filter(({ data }) => lived.owed.has(data.timesheetId));
  {
    using book = openBook(file);
    enterAll(book, events.slice(0, 10));
    bank.killAfter = 1;
    await pay(book, bank.transfer).catch(expectKill);
  }
  bank.killAfter = Number.POSITIVE_INFINITY;
  using book = openBook(file);
  enterAll(book, events.slice(5, 15));
  await pay(book, bank.transfer);
  const whole: Book = new Map();
  enterAll(whole, events.slice(0, 15));
  expect([bank.kills, bank.repeats]).toEqual([1, 1]);
  expect([...book].map(([key, { payments }]) => [key, payments]).sort()).toEqual(await payWhole(whole));
});

test('what happened before it began, sent again, makes it pay nothing', async () => {
  const bank = new Bank();
  const book: Book = new Map();
  const before = lived.texts.filter((text) => JSON.parse(text).time < lived.since);
  enterAll(book, read(before, EVERYTHING));
  expect([...book].length).toBeGreaterThan(50);
  await pay(book, bank.transfer);
  expect(bank.payments.size).toBe(0);
});

async function payWhole(book: Book) {
  await pay(book, () => Promise.resolve());
  return [...book].map(([key, { payments }]) => [key, payments]).sort();
}

/** Where money goes. It knows a payment by its id, as a bank should, and may die before or after it took one. */
class Bank {
  readonly payments = new Map<string, number>();
  repeats = 0;
  kills = 0;
  killAfter = Number.POSITIVE_INFINITY;

  readonly transfer = async ({ id, minutes }: Payment): Promise<void> => {
    if (this.killAfter === 0) this.#kill();
    const known = this.payments.get(id);
    if (known !== undefined) {
      this.repeats += 1;
      expect(minutes).toBe(known);
    }
    this.payments.set(id, minutes);
    this.killAfter -= 1;
    if (this.killAfter === 0) this.#kill();
  };

  /** Minutes by timesheet. */
  paid(): [string, number][] {
    const sums = new Map<string, number>();
    for (const [id, minutes] of this.payments) {
      const timesheet = id.split('/').at(-2) ?? '';
      sums.set(timesheet, (sums.get(timesheet) ?? 0) + minutes);
    }
    return sorted(sums);
  }

  #kill(): never {
    this.kills += 1;
    throw new Error('killed');
  }
}

function expectKill(error: unknown): void {
  expect(error).toEqual(new Error('killed'));
}

function enterAll(book: Book, events: readonly TimesheetEvent[]): void {
  for (const event of events) enter(event, book, lived.since);
}

/** In batches: a third twice, and every event up to 300 places from its own. */
function deliver(events: readonly TimesheetEvent[], seed: number): TimesheetEvent[][] {
  const arriving = shuffle(events, { repeat: 1 / 3, reorder: 300, seed });
  return Object.values(Object.groupBy(arriving, (_, place) => Math.floor(place / 200))).map(
    (batch = []) => batch,
  );
}

function read(texts: readonly string[], interest: Interest): TimesheetEvent[] {
  return selectEvents(texts, { interest }).flatMap(({ text }) => {
    const parsed = parseEvent(text);
    return parsed.outcome === 'event' && isTimesheetEvent(parsed.event) ? [parsed.event] : [];
  });
}

function sorted(minutes: ReadonlyMap<string, number>): [string, number][] {
  return [...minutes].filter(([, each]) => each !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
}
