import { describe, expect, test } from 'vitest';
import { payPeriod, type SampleRecord, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const NO_TOTALS = { hours: null, numberEmployees: null, numberTimesheets: null };
const WEEK = { startDate: '2026-03-02', finishDate: '2026-03-05', ...NO_TOTALS };
const WEEKLY = { id: '3_7', calendar: 'Weekly' };

describe('a timesheet that moves', () => {
  test('into a closed pay period is late as one that is created there', async () => {
    const world = await openWeek(timesheet({ id: '3_7', date: '2026-03-06', employeeId: '2003_7' }));
    await world.close();
    world.put(
      timesheet({ id: '3_7', date: '2026-03-05', employeeId: '2003_7' }),
      timesheet({ id: '4_7', date: '2026-03-05', employeeId: '2004_7' }),
    );
    const gains = [['close'], [{ ...WEEKLY, effect: 'gains', hours: 7.5 }]];
    expect(await world.late()).toEqual({ 'changed 3_7': gains, 'created 4_7': gains });
  });

  test('out of it is late, and so is one that is removed', async () => {
    const world = await openWeek(timesheet({ id: '2_7' }));
    await world.close();
    world.change({ date: '2026-03-06' }, ['1_7']);
    world.remove('2_7');
    const loses = [['close'], [{ ...WEEKLY, effect: 'loses', hours: -7.5 }]];
    expect(await world.late()).toEqual({ 'changed 1_7': loses, 'removed 2_7': loses });
  });

  test('is told with the hours that the statement counts as late', async () => {
    const world = await openWeek(timesheet({ id: '3_7', date: '2026-03-06', employeeId: '2003_7' }));
    await world.close();
    // Its numbers are told, then the week changes.
    world.change({ date: '2026-03-05' }, ['3_7']);
    world.change({ hoursToPay: 8.25 }, ['1_7']);
    const told = Object.values(await world.late()).flatMap(([, periods]) => periods as { hours?: number }[]);
    world.change({ processed: '2026-03-06T00:00:00.000Z' });
    await world.poll({ scope: 'window' });
    for (let polls = 0; polls < 7; polls += 1) await world.poll({ feed: 'pay-periods' });
    const final = world.published.findLast(({ type }) => type.endsWith('statement'))?.data;
    expect(told.map(({ hours }) => hours).sort()).toEqual([0.75, 7.5]);
    expect(final).toMatchObject({
      statement: { sinceClose: { changes: [{ reason: 'late', timesheets: 2, hours: 8.25 }] } },
    });
  });
});

describe('what was before the close', () => {
  test('is not after it, however late it is read', async () => {
    const world = await openWeek(timesheet({ id: '2_7' }));
    // The list of pay periods is read each minute; dates are read when something is due on them.
    await world.poll({ feed: 'pay-periods' });
    const seenOpen = world.now;
    await world.closeUnread();
    const stamp = (instant: number) => ({ approvedHours: new Date(instant).toISOString() });
    world.change(stamp(seenOpen - 61_000), ['1_7']);
    world.change(stamp(seenOpen + 1_000), ['2_7']);
    expect(await world.late()).toEqual({
      'approved 1_7': [[], undefined],
      'approved 2_7': [['close'], [{ ...WEEKLY, effect: 'changes', certain: false }]],
    });
  });

  test('is told by the stamp of the closing where that is an instant', async () => {
    const world = await openWeek(timesheet({ id: '2_7' }));
    await world.poll({ feed: 'pay-periods' });
    const closedAt = world.now + 20_000;
    await world.closeUnread(new Date(closedAt).toISOString());
    const stamp = (instant: number) => ({ approvedHours: new Date(instant).toISOString() });
    world.change(stamp(closedAt - 1_000), ['1_7']);
    world.change(stamp(closedAt + 1_000), ['2_7']);
    expect(await world.late()).toEqual({
      'approved 1_7': [[], undefined],
      'approved 2_7': [['close'], [{ ...WEEKLY, effect: 'changes' }]],
    });
  });
});

describe('what changes between a closing and its telling', () => {
  test('is in its numbers, so that it is not late as well', async () => {
    const world = await openWeek(timesheet({ id: '2_7' }));
    await world.seeClosed();
    await world.poll({ scope: 'window' });
    world.change({ hoursToPay: 8.25 }, ['1_7']);
    expect(await world.late()).toEqual({ 'changed 1_7': [[], undefined] });
    await world.poll({ feed: 'pay-periods' });
    const closing = world.published.findLast(({ type }) => type.endsWith('pay_period.closed'))?.data;
    expect(closing).toMatchObject({ closeManifest: { hoursToPay: 15.75 } });
    world.change({ hoursToPay: 8.5 }, ['1_7']);
    const late = [['close'], [{ ...WEEKLY, effect: 'changes', hours: 0.25 }]];
    expect(await world.late()).toEqual({ 'changed 1_7': late });
  });

  test('is told of a period that is open', async () => {
    const world = await openWeek(timesheet({ id: '2_7' }));
    await world.seeClosed();
    world.change({ hoursToPay: 8.25 }, ['1_7']);
    await world.late();
    await world.poll({ feed: 'pay-periods' });
    world.change({ hoursToPay: 8.25 }, ['2_7']);
    const states = world.published.flatMap(({ data }) => data.payPeriods ?? []);
    await world.late();
    states.push(...world.published.flatMap(({ data }) => data.payPeriods ?? []));
    expect(states).toEqual([
      { ...WEEKLY, state: 'open' },
      { ...WEEKLY, state: 'closed' },
    ]);
  });
});

class Week extends PollHarness {
  #period = payPeriod(WEEK);

  constructor() {
    super();
    this.payPeriods = () => [this.#period];
  }

  /** Closes the period in the source, and has its feed see it: it is told once its dates were looked at. */
  async seeClosed(closed = '2026-03-05'): Promise<void> {
    this.#period = payPeriod({ ...WEEK, closed });
    await this.poll({ feed: 'pay-periods' });
  }

  /** Closes the period in the source, and has that told. */
  async close(closed?: string): Promise<void> {
    await this.seeClosed(closed);
    await this.poll({ scope: 'window' });
    await this.poll({ feed: 'pay-periods' });
  }

  /** Closes the period in the source, and has that told without new looks at its dates, which takes minutes. */
  async closeUnread(closed?: string): Promise<void> {
    await this.seeClosed(closed);
    const isTold = () => this.published.some(({ type }) => type.endsWith('pay_period.closed'));
    for (let polls = 0; polls < 9 && !isTold(); polls += 1) await this.poll({ feed: 'pay-periods' });
    expect(isTold()).toBe(true);
  }

  /** What the next events say of having come late, by type and timesheet. */
  async late(): Promise<Record<string, unknown[]>> {
    this.published.length = 0;
    await this.poll({ scope: 'window' });
    return Object.fromEntries(
      this.published.map(({ type, subject, data }) => [
        `${type.replace('workforce.timesheet.', '')} ${subject}`,
        [data.late, data.closedPeriods],
      ]),
    );
  }
}

/** A week whose timesheets are known. */
async function openWeek(...more: SampleRecord[]): Promise<Week> {
  const world = new Week();
  world.put(timesheet({ id: '1_7' }), ...more);
  for (let polls = 0; polls < 2; polls += 1) {
    await world.poll({ scope: 'window' });
    await world.poll({ feed: 'pay-periods' });
  }
  return world;
}
