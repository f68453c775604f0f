import { describe, expect, test } from 'vitest';
import { type Event, history, STAMP } from '#test/shared/core/events/history.ts';
import { timesheet } from '#test/support/builders.ts';
import { CollectStage, createMessage } from './collect-stage.ts';

/** What waits lies in the table: a kill, a redelivery or a refusal neither tells it twice nor loses it. */

/** A Thursday. */
const START = Date.parse('2026-03-05T02:00:00Z');
const MINUTE_MS = 60_000;
const PAID = timesheet({ approvedHours: STAMP, processed: STAMP });
const UNDONE = timesheet({ approvedHours: STAMP });
const OPEN = [{ id: '3_4711', calendar: 'Weekly', state: 'open' }];

describe('a processing that was undone while its pay period is open', () => {
  test('and done again within the hour is told to nobody', async () => {
    const office = open();
    await office.hear(pair());
    expect(await office.waitFor(180)).toEqual([]);
    expect((await office.stage.waiting('payroll')).length).toBe(0);
  });

  test('is told after an hour when nothing follows, and once however often it is delivered', async () => {
    const office = open();
    const [reverted] = pair();
    await office.hear([reverted, reverted]);
    expect(await office.waitFor(59)).toEqual([]);
    await office.hear([reverted]);
    expect(await office.waitFor(3)).toEqual([expect.stringContaining('no longer processed')]);
    await office.hear([reverted]);
    expect(await office.waitFor(180)).toHaveLength(1);
  });

  test('is told once when the run that tells it dies before it sent', async () => {
    const office = open();
    await office.hear(pair().slice(0, 1));
    office.dies = 2;
    expect(await office.waitFor(70)).toHaveLength(1);
  });

  test.each([
    ['its period is closed', [{ ...OPEN[0], state: 'closed' }]],
    ['it is not known to which period it belongs', null],
  ])('is told at once where %s', async (_, payPeriods) => {
    const office = open();
    await office.hear(pair(payPeriods).slice(0, 1));
    expect(await office.waitFor(2)).toHaveLength(1);
  });
});

/** Reverted, and processed again. */
function pair(payPeriods: unknown = OPEN): Event[] {
  const events = history(timesheet(), PAID, UNDONE, PAID).slice(-2);
  return events.map((event) => ({ ...event, data: { ...event.data, payPeriods } }) as Event);
}

function open() {
  const channel = { kind: 'slack', name: 'payroll', secretName: 's' };
  return new Office(new CollectStage({ channels: [channel] }));
}

class Office {
  readonly stage: CollectStage;
  readonly told: string[] = [];
  /** So many attempts to send die. */
  dies = 0;
  #seen = 0;

  constructor(stage: CollectStage) {
    this.stage = stage;
    stage.now = START;
  }

  async hear(events: readonly (Event | undefined)[]): Promise<void> {
    for (const event of events) {
      this.#seen += 1;
      const time = new Date(START + this.#seen * 1_000).toISOString();
      const { failed } = await this.stage.collect([createMessage({ ...event, time })]);
      expect(failed).toEqual([]);
    }
  }

  /** Releases what is due, minute by minute. Returns all that was told so far. */
  async waitFor(minutes: number): Promise<readonly string[]> {
    for (let minute = 0; minute < minutes; minute += 1) {
      this.stage.now += MINUTE_MS;
      await this.stage.release(this.#send).catch(() => {});
    }
    return this.told;
  }

  readonly #send = async (_: unknown, { title }: { readonly title: string }) => {
    this.dies -= 1;
    if (this.dies >= 0) throw new Error('killed');
    this.told.push(title);
  };
}
