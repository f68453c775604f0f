import { beforeEach, describe, expect, test } from 'vitest';
import { SourceError } from '#shared/core/errors.ts';
import { clocking, DATE, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const WINDOW = { window: { backDays: 2, forwardDays: 2 } };
const BOTH = { absences: { clockInMinutes: 15, clockOutHours: 3 } };
/** Planned from 08:00 to 16:00 UTC. */
const PLANNED = timesheet({
  startTime: '2026-03-05T08:00:00.000Z',
  finishTime: '2026-03-05T16:00:00.000Z',
});
const CAME = { clockIn: clocking({ localTime: '2026-03-05T08:22:00' }) };
const LEFT = { clockOut: clocking({ id: '7002_7', localTime: '2026-03-05T16:01:00' }) };

let harness: PollHarness;

beforeEach(async () => {
  harness = new PollHarness({ connection: { ...WINDOW, ...BOTH }, startAt: '2026-03-05T07:00:00Z' });
  harness.put(PLANNED);
  await harness.poll({ scope: 'window' });
  await harness.poll();
  harness.news();
});

describe('a clock-in that does not come', () => {
  test('is published once, when its time has passed', async () => {
    expect(await pollAt('08:14')).toEqual([]);
    expect(await pollAt('08:15')).toEqual(['timesheet.clock_in_missing 1001_7']);
    expect(await pollAt('08:16')).toEqual([]);
    expect(await pollAt('20:00')).toEqual([]);
  });

  test('ends with the event of the clocking, which says since when it was missing', async () => {
    await harness.pollFor(80);
    harness.news();
    harness.change(CAME);
    await harness.poll();
    expect(harness.headings).toEqual(['timesheet.clocked_in 1001_7']);
    const [{ sequence, data } = { sequence: 0, data: {} }] = harness.published;
    expect([sequence, data]).toMatchObject([
      2,
      {
        current: { clockInMissing: null },
        previous: { clockIn: null, clockInMissing: '2026-03-05T08:15:00.000Z' },
        changed: ['clockIn', 'clockInMissing'],
        collapsed: false,
      },
    ]);
  });

  test('says since when, and between which polls it was seen', async () => {
    await pollAt('08:14');
    await pollAt('08:15');
    const data = harness.texts.map((text) => JSON.parse(text)).find(({ type }) => /missing/.test(type)).data;
    expect(data).toMatchObject({
      current: { clockIn: null, clockInMissing: '2026-03-05T08:15:00.000Z' },
      previous: { clockInMissing: null },
      changed: ['clockInMissing'],
      occurredAt: '2026-03-05T08:15:00.000Z',
      observed: { after: '2026-03-05T08:14:00.000Z', by: '2026-03-05T08:15:00.050Z' },
      late: [],
    });
  });

  test('is not published for someone on leave, and ends when leave is granted', async () => {
    harness.put(timesheet({ ...PLANNED, id: 'away', includesLeave: true }));
    expect(await pollAt('08:20')).toEqual(['timesheet.clock_in_missing 1001_7', 'timesheet.created away']);
    harness.change({ includesLeave: true }, ['1001_7']);
    expect(await pollAt('08:30')).toEqual(['timesheet.changed 1001_7']);
  });

  test('is missing again when the clock-in is removed, or the plan moves and passes again', async () => {
    await pollAt('08:15');
    harness.change({ startTime: '2026-03-05T09:00:00.000Z' });
    expect(await pollAt('08:30')).toEqual(['timesheet.changed 1001_7']);
    expect(await pollAt('09:15')).toEqual(['timesheet.clock_in_missing 1001_7']);
    harness.change(CAME);
    await pollAt('09:20');
    harness.change({ clockIn: null });
    expect(await pollAt('09:21')).toEqual([
      'timesheet.clock_in_removed 1001_7',
      'timesheet.clock_in_missing 1001_7',
    ]);
  });

  test('stays missing when the plan moves to another time that has passed', async () => {
    await pollAt('08:15');
    harness.change({ startTime: '2026-03-05T08:05:00.000Z' });
    expect(await pollAt('08:40')).toEqual(['timesheet.changed 1001_7']);
    harness.change(CAME);
    expect(await pollAt('08:41')).toEqual(['timesheet.clocked_in 1001_7']);
  });

  test('ends with the timesheet when that is removed', async () => {
    await pollAt('08:15');
    harness.remove('1001_7');
    expect(await pollAt('08:20')).toEqual(['timesheet.removed 1001_7']);
    // By this people who were told hear that it has ended.
    const { data } = JSON.parse(harness.texts.at(-1) ?? '');
    expect(data.previous).toMatchObject({ clockInMissing: '2026-03-05T08:15:00.000Z' });
  });

  test('of a timesheet that is new is published after it, within a day', async () => {
    harness.put(
      timesheet({ ...PLANNED, id: 'new' }),
      timesheet({ ...PLANNED, id: 'yesterday', date: '2026-03-04', startTime: '2026-03-04T08:30:00.000Z' }),
    );
    harness.now = Date.parse('2026-03-05T08:50:00.000Z');
    await harness.poll();
    const { published } = harness;
    expect(published.filter(({ subject }) => subject === 'yesterday')).toHaveLength(1);
    expect(published.filter(({ subject }) => subject === 'new').map(({ type }) => type)).toEqual([
      'workforce.timesheet.created',
      'workforce.timesheet.clock_in_missing',
    ]);
    expect(published.every(({ data }) => data.collapsed === false)).toBe(true);
  });

  test('is seen in a page of which only the time has changed', async () => {
    harness.put(...['2001_7', '2002_7', '2003_7'].map((id) => timesheet({ ...PLANNED, id })));
    await pollAt('08:00');
    expect(await pollAt('08:15')).toHaveLength(4);
  });
});

describe('a clock-out that does not come', () => {
  test('is published once, hours after the planned finish, until it comes', async () => {
    harness.change(CAME);
    expect(await pollAt('18:59')).toEqual(['timesheet.clocked_in 1001_7']);
    expect(await pollAt('19:00')).toEqual(['timesheet.clock_out_missing 1001_7']);
    harness.change(LEFT);
    expect(await pollAt('21:00')).toEqual(['timesheet.clocked_out 1001_7']);
  });

  test('is not waited for once the hours are approved', async () => {
    harness.change({ ...CAME, approvedHours: '2026-03-05T17:00:00.000Z' });
    await pollAt('17:01');
    expect(await pollAt('19:00')).toEqual([]);
  });
});

describe('nothing is published', () => {
  test('while the source cannot be read, and what has passed is published afterwards, within a day', async () => {
    harness.onPage = () => new SourceError('source_unreachable', 'down');
    expect(await pollAt('08:15')).toEqual([]);
    harness.onPage = () => null;
    harness.now = Date.parse('2026-03-06T08:15:00.000Z');
    await harness.poll({ scope: 'window' });
    expect(harness.news()).toEqual(['timesheet.clock_in_missing 1001_7']);
  });

  test('of what has been missing for more than a day, also when it comes', async () => {
    harness.now = Date.parse('2026-03-06T08:16:00.000Z');
    await harness.poll({ scope: 'window' });
    expect(harness.news()).toEqual([]);
    harness.change({ ...CAME, ...LEFT });
    await harness.poll({ scope: 'window' });
    expect(harness.news()).toEqual(['timesheet.clocked_in 1001_7', 'timesheet.clocked_out 1001_7']);
  });

  test('without the option', async () => {
    harness = new PollHarness({ connection: WINDOW, startAt: '2026-03-05T07:00:00Z' });
    harness.put(PLANNED);
    await harness.poll({ scope: 'window' });
    harness.news();
    expect(await pollAt('08:15')).toEqual([]);
    expect((await harness.state()).absences).toBeUndefined();
  });

  test('of what was missing before the option was switched on, or while its thresholds came into force', async () => {
    harness.put(
      timesheet({ ...PLANNED, id: 'soon', startTime: '2026-03-05T08:34:00.000Z' }),
      timesheet({ ...PLANNED, id: 'later', startTime: '2026-03-05T08:36:00.000Z' }),
    );
    harness = deployed({ absences: undefined });
    await pollAt('07:30');
    harness = deployed(BOTH);
    expect(await pollAt('08:20')).toEqual([]);
    expect(await pollAt('08:50')).toEqual([]);
    expect(await pollAt('08:51')).toEqual(['timesheet.clock_in_missing later']);
  });

  test.each([
    ['raised', { absences: { clockInMinutes: 60 } }],
    ['lowered', { absences: { clockInMinutes: 1 } }],
    ['removed', { absences: undefined }],
  ])('when the threshold is %s, and what was missing still ends once', async (_, setting) => {
    harness.put(timesheet({ ...PLANNED, id: 'waiting', startTime: '2026-03-05T08:10:00.000Z' }));
    await pollAt('08:15');
    harness = deployed(setting);
    expect(await pollAt('08:21')).toEqual([]);
    expect(await pollAt('08:25')).toEqual(['timesheet.clock_in_missing waiting']);
    harness.change(CAME, ['1001_7']);
    expect(await pollAt('10:00')).toEqual(['timesheet.clocked_in 1001_7']);
  });
});

/** The same source and table, with another setting. */
function deployed(setting: object): PollHarness {
  const next = new PollHarness({ connection: { ...WINDOW, ...setting }, store: harness.store });
  next.put(...harness.timesheets);
  return next;
}

/** News of a poll at a time of the day. */
async function pollAt(time: string): Promise<string[]> {
  harness.now = Date.parse(`${DATE}T${time}:00.000Z`);
  await harness.poll();
  return harness.news();
}
