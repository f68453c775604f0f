import { describe, expect, test } from 'vitest';
import { addDays } from '#shared/core/dates.ts';
import { SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import { MINUTE_MS, type SampleRecord, timesheet } from '#test/support/builders.ts';
import { PollHarness, type PollHarnessOptions } from '#test/support/poll-harness.ts';

const BACK_DAYS = 35;
const FORWARD_DAYS = 14;
const APPROVED = { approvedHours: '2026-03-05T02:00:00.000Z' };

describe('a date that the source cannot list', () => {
  test.each([
    ['today', 0],
    ['yesterday', -1],
    ['three weeks ago', -21],
    ['next week', 7],
  ])('%s, delays no other date', async (_, days) => {
    const harness = await watchedHarness();
    failDate(harness, days, 'source_failed');
    harness.change(APPROVED, ['90_3']);
    harness.change(APPROVED, ['103_3']);
    await harness.pollFor(40);
    expect(approvedIn(harness)).toEqual(['103_3', '90_3']);
  });

  test.each(['source_failed', 'source_forbidden', 'source_bad_response', 'source_unreachable'] as const)(
    'is reported once when that begins and once when it ends: %s',
    async (code) => {
      const harness = await watchedHarness();
      failDate(harness, 0, code);
      await harness.pollFor(120);
      harness.onPage = () => null;
      harness.change(APPROVED, ['100_3']);
      await harness.pollFor(40);
      expect(harness.headings.slice(1)).toEqual([
        `began dates_unreadable ${harness.day(0)}`,
        'timesheet.approved 100_3',
        `ended dates_unreadable ${harness.day(0)}`,
      ]);
      expect(harness.published[1]?.data).toMatchObject({ about: [harness.day(0)], cause: code });
    },
  );

  test('is asked for ever more rarely, and alone', async () => {
    const harness = await watchedHarness();
    failDate(harness, 0, 'source_failed');
    harness.walks.length = 0;
    await harness.pollFor(12 * 60);
    const tries = walksOver(harness, 0);
    // Once with its neighbours and in halves, and then every half hour at most.
    expect(tries.length).toBeGreaterThan(24);
    expect(tries.length).toBeLessThan(40);
    expect(tries.slice(4).every(({ range }) => range.from === range.to)).toBe(true);
  });

  test('does not stop the baseline: all other dates get theirs', async () => {
    const harness = filledHarness();
    failDate(harness, -20, 'source_failed');
    await harness.pollFor(60);
    const heads = await harness.store.loadHeads({ connection: 'main', feed: 'timesheets' }, '');
    expect(heads.filter(({ baselinedAt }) => baselinedAt !== null)).toHaveLength(BACK_DAYS + FORWARD_DAYS);
    harness.onPage = () => null;
    await harness.pollFor(40);
    expect((await harness.state()).baseline?.completedAt).not.toBeNull();
    expect(harness.headings.filter((heading) => heading.startsWith('timesheet'))).toEqual([]);
  });

  test('delays no other date either when its list takes longer than a whole poll', async () => {
    const harness = await watchedHarness({ pageSize: 1, sheets: 1 });
    for (let index = 0; index < 60; index += 1)
      harness.put(timesheet({ id: `today_${index}`, date: harness.day(0) }));
    await harness.pollFor(5);
    harness.requestMs = 5_000;
    harness.change(APPROVED, [idOn(-10, 0)]);
    await harness.pollFor(60);
    expect(approvedIn(harness)).toEqual([idOn(-10, 0)]);
    const unreadable = harness.published.find(({ data }) => data.kind === 'dates_unreadable');
    expect(unreadable).toMatchObject({ subject: harness.day(0), data: { cause: 'list_too_slow' } });
    harness.requestMs = 50;
    await harness.pollFor(40);
    expect(harness.headings.at(-1)).toBe(`ended dates_unreadable ${harness.day(0)}`);
  });

  test('and one that takes longer than hot dates leave of a poll waits for its turn, and not for ever', async () => {
    const small = { connection: { window: { backDays: 3, forwardDays: 1 } }, pageSize: 1, sheets: 0 };
    const harness = await watchedHarness(small);
    for (let days = -3; days <= 1; days += 1)
      for (let nth = 0; nth < 30; nth += 1) harness.put(sheetOn(harness.day(days), idOn(days, nth)));
    await harness.pollFor(40);
    harness.requestMs = 5_000;
    harness.change(APPROVED, [idOn(-3, 0), idOn(-2, 0), idOn(0, 0)]);
    await harness.pollFor(90);
    expect(approvedIn(harness)).toEqual([idOn(0, 0), idOn(-3, 0), idOn(-2, 0)].toSorted());
    const ages = await readAges(
      harness,
      [-1, 0, 1].map((days) => harness.day(days)),
    );
    expect(ages.every((age) => age !== null && age <= 15)).toBe(true);
  });

  test('says nothing about the credential, and a rejected credential is no fault of a date', async () => {
    const harness = await watchedHarness();
    failDate(harness, 0, 'source_forbidden');
    expect((await harness.poll()).outcome).toBe('incomplete');
    const later = await watchedHarness();
    later.onPage = () => new SourceError('source_forbidden', '403', { status: 403 });
    expect((await later.poll()).outcome).toBe('refused');
    expect((await later.state()).failing).toEqual({});
  });

  test('is distinguished from a source that fails, also when nothing else is due', async () => {
    const harness = await watchedHarness();
    harness.onPage = ({ from }) =>
      from >= harness.day(-1) && from <= harness.day(1)
        ? new SourceError('source_unreachable', 'no answer')
        : null;
    await harness.pollFor(3);
    harness.walks.length = 0;
    await harness.pollFor(20);
    expect(harness.headings.toSorted().slice(-3)).toEqual(
      [-1, 0, 1].map((days) => `began dates_unreadable ${harness.day(days)}`),
    );
    expect(harness.headings.filter((heading) => heading.startsWith('source.'))).toEqual([]);
    const tries = harness.walks.filter(({ range }) => range.from === harness.day(0));
    expect(tries.length).toBeLessThan(8);
  });

  test('is distinguished from a source that goes away in the midst of a poll', async () => {
    const harness = await watchedHarness();
    for (let days = -BACK_DAYS; days <= FORWARD_DAYS; days += 1)
      harness.change({ hoursToPay: 1 }, [idOn(days, 0)]);
    harness.now += 3 * 3_600_000;
    let answered = 0;
    harness.onPage = () => {
      answered += 1;
      return answered === 1 ? null : new SourceError('source_failed', '502', { status: 502 });
    };
    const { outcome } = await harness.poll();
    expect(outcome).toBe('incomplete');
    expect((await harness.state()).failing).toEqual({});
  });

  test('is held against itself, not the source, when it could be read before in the same poll', async () => {
    const harness = await watchedHarness({ sheets: 20 });
    await harness.poll({ repeatForSeconds: 50 });
    for (let nth = 0; nth < 20; nth += 1) harness.change(APPROVED, [idOn(-1, nth)]);
    harness.nextMinute();
    harness.walks.length = 0;
    harness.onPage = ({ from, to }) => {
      const isRead = from <= harness.day(-1) && harness.day(-1) <= to;
      return isRead && harness.walks.length > 1 ? new SourceError('source_failed', '500') : null;
    };
    await harness.poll({ repeatForSeconds: 50 });
    const alone = harness.walks.filter(({ range: { from, to } }) => from === harness.day(-1) && to === from);
    expect(alone).toHaveLength(1);
    expect(Object.keys((await harness.state()).failing)).toEqual([harness.day(-1)]);
  });
});

describe('dates that the source cannot list, when they are many,', () => {
  test('are not taken for the whole source: what can be read is read', async () => {
    const harness = await watchedHarness();
    failDates(harness, (days) => days % 2 === 0 || Math.abs(days) <= 1 || days === -BACK_DAYS);
    harness.change(APPROVED, [idOn(-9, 3)]);
    harness.change(APPROVED, [idOn(7, 3)]);
    await harness.pollFor(40);
    expect(approvedIn(harness)).toEqual([idOn(7, 3), idOn(-9, 3)]);
  });

  test('end no poll once one of the others answers', async () => {
    const harness = await watchedHarness();
    harness.now += 3 * 3_600_000;
    failDates(harness, (days) => days % 2 === 0 || Math.abs(days) <= 1);
    harness.change(APPROVED, [idOn(-9, 3)]);
    harness.change(APPROVED, [idOn(7, 3)]);
    await harness.poll();
    expect(approvedIn(harness)).toEqual([idOn(7, 3), idOn(-9, 3)]);
  });

  test('keep nothing else from being read while the source is remembered as slower than it is', async () => {
    const harness = await watchedHarness();
    harness.requestMs = 250_000;
    await harness.pollFor(30);
    harness.requestMs = 50;
    failDate(harness, 0, 'source_failed');
    harness.change(APPROVED, [idOn(-9, 3)]);
    harness.change(APPROVED, [idOn(7, 3)]);
    await harness.pollFor(45);
    expect(approvedIn(harness)).toEqual([idOn(7, 3), idOn(-9, 3)]);
  });
});

describe('a source that does not answer at all', () => {
  test('is asked a few times by each poll, and no date is held against it', async () => {
    const harness = await watchedHarness();
    harness.onPage = () => new SourceError('source_failed', '500', { status: 500 });
    const before = harness.requests.pages;
    await harness.pollFor(60);
    expect((harness.requests.pages - before) / 60).toBeLessThanOrEqual(11);
    expect((await harness.state()).failing).toEqual({});
    harness.onPage = () => null;
    harness.change(APPROVED, ['90_3']);
    await harness.pollFor(6);
    expect(harness.headings.slice(1)).toEqual([
      'began source_unreachable feed',
      'timesheet.approved 90_3',
      'ended source_unreachable feed',
    ]);
  });
});

describe('a source that is too slow for everything', () => {
  test.each([
    { sheets: 200, requestMs: 1_000, hours: 2 },
    { sheets: 200, requestMs: 2_000, hours: 4 },
    { sheets: 90, requestMs: 4_000, hours: 4 },
  ])('gets to every date all the same: %j', async ({ sheets, requestMs, hours }) => {
    const harness = new PollHarness({ requestMs, pageSize: 20 });
    fill(harness, { sheets, from: -BACK_DAYS - 1, to: FORWARD_DAYS + 1 });
    await harness.pollFor(hours * 60);
    const dates = Array.from({ length: BACK_DAYS + FORWARD_DAYS + 1 }, (_, nth) =>
      harness.day(nth - BACK_DAYS),
    );
    const ages = await readAges(harness, dates);
    expect((await harness.state()).baseline?.completedAt).not.toBeNull();
    expect(ages.filter((age) => age === null || age > 60)).toEqual([]);
    // The hot dates keep half of the time, also while everything else is late.
    expect(
      Math.max(...(await readAges(harness, [harness.day(-1), harness.day(0), harness.day(1)])).map(Number)),
    ).toBeLessThan(10);
  });

  test('says so once, with the dates that wait, and once that they wait no longer', async () => {
    const harness = new PollHarness({
      requestMs: 4_000,
      pageSize: 20,
      connection: { window: { backDays: 34, forwardDays: 1 } },
    });
    fill(harness, { sheets: 100, from: -36, to: 2 });
    await harness.pollFor(4 * 60);
    const lagging = () => harness.headings.filter((heading) => heading.includes(' feed_late '));
    expect(lagging()).toEqual(['began feed_late feed']);
    const { data } = harness.published.find(({ data: told }) => told.kind === 'feed_late') ?? { data: {} };
    expect(data).toMatchObject({ feed: 'timesheets', cause: 'overdue' });
    expect(Number(harness.lines.at(-1)?.worstLateSeconds)).toBeGreaterThan(15 * 60);
    harness.requestMs = 50;
    await harness.pollFor(3 * 60);
    expect(lagging()).toEqual(['began feed_late feed', 'ended feed_late feed']);
  });
});

describe('the hot dates', () => {
  test('come again within a long poll when their minute is over', async () => {
    const harness = new PollHarness({ requestMs: 2_000, pageSize: 20 });
    fill(harness, { sheets: 40, from: -BACK_DAYS, to: FORWARD_DAYS });
    await harness.poll();
    const hot = harness.walks.filter(({ range }) => range.to === harness.day(1)).map(({ at }) => at);
    expect(hot.length).toBeGreaterThanOrEqual(3);
    expect(Math.max(...hot.slice(1).map((at, nth) => at - (hot[nth] ?? 0)))).toBeLessThan(130_000);
  });

  test.each(['fails', 'moves'])('are not read again at once within it where their list %s', async (what) => {
    const harness = new PollHarness({ requestMs: 2_000, pageSize: 20 });
    fill(harness, { sheets: 40, from: -BACK_DAYS, to: FORWARD_DAYS });
    harness.onPage = ({ from, to }) => {
      if (harness.walks.length < 3 || harness.day(0) < from || to < harness.day(0)) return null;
      if (what === 'moves') harness.remove(idOn(0, harness.requests.pages % 40));
      return what === 'fails' ? new SourceError('source_failed', '500') : null;
    };
    await harness.poll();
    expect(walksOver(harness, 0).length).toBeLessThanOrEqual(4);
  });

  test('are scanned several times within a minute while much happens on them, and once otherwise', async () => {
    const harness = await watchedHarness({ sheets: 12 });
    await countLooks(harness, 0);
    expect(await countLooks(harness, 0)).toBe(1);
    for (let k = 0; k < 12; k += 1) harness.change(APPROVED, [`100_${k}`]);
    expect(await countLooks(harness, 0)).toBeGreaterThanOrEqual(2);
  });
});

test('dates of any class come again within the minute while much happens on them', async () => {
  const harness = await watchedHarness({ sheets: 20 });
  for (let k = 0; k < 20; k += 1) harness.change(APPROVED, [idOn(-3, k)]);
  const looks: number[] = [];
  for (let minute = 0; minute < 7; minute += 1) looks.push(await countLooks(harness, -3));
  expect(Math.max(...looks)).toBeGreaterThanOrEqual(2);
});

test.each(['source_unauthorised', 'source_throttled'] as const)(
  'dates of which a poll learned nothing, because it had to stop, are scanned by the next one: %s',
  async (code) => {
    const harness = await watchedHarness();
    harness.now += 31 * 60_000;
    harness.nextMinute();
    harness.onPage = ({ from }) => (from < harness.day(-1) ? new SourceError(code, 'on purpose') : null);
    harness.change(APPROVED, ['90_3']);
    await harness.poll();
    harness.onPage = () => null;
    harness.nextMinute();
    await harness.poll();
    expect(approvedIn(harness)).toEqual(['90_3']);
  },
);

test('one poll with a clock that is a day ahead keeps no date from being scanned, and no poll from starting', async () => {
  const harness = await watchedHarness();
  const real = harness.now;
  harness.now = real + 86_400_000;
  await harness.poll({ scope: 'window' });
  const lease = { owner: 'ahead', now: harness.now, expiresAt: harness.now + 300_000, takeOver: true };
  await harness.store.acquireLease({ connection: 'main', feed: 'timesheets' }, lease);
  harness.now = real;
  harness.nextMinute();
  harness.change(APPROVED, ['96_1']);
  await harness.pollFor(40);
  expect(approvedIn(harness)).toEqual(['96_1']);
});

/** Walks over ranges that contain the date so many days after the first one. */
function walksOver(harness: PollHarness, days: number): PollHarness['walks'] {
  const date = harness.day(days);
  return harness.walks.filter(({ range }) => range.from <= date && date <= range.to);
}

/** Walks over a date in a poll that scans again what is busy. */
async function countLooks(harness: PollHarness, days: number): Promise<number> {
  harness.walks.length = 0;
  await harness.poll({ repeatForSeconds: 50 });
  harness.nextMinute();
  return walksOver(harness, days).length;
}

function failDate(harness: PollHarness, days: number, code: SourceErrorCode): void {
  const status = code === 'source_forbidden' ? { status: 403 } : {};
  failDates(harness, (each) => each === days, new SourceError(code, 'on purpose', status));
}

function failDates(
  harness: PollHarness,
  fails: (days: number) => boolean,
  error = new SourceError('source_failed', '500'),
): void {
  const days = Array.from({ length: BACK_DAYS + FORWARD_DAYS + 1 }, (_, nth) => nth - BACK_DAYS);
  const dates = days.filter(fails).map((each) => harness.day(each));
  harness.onPage = ({ from, to }) => (dates.some((date) => from <= date && date <= to) ? error : null);
}

function idOn(days: number, nth: number): string {
  return `${days + 100}_${nth}`;
}

function fill(
  harness: PollHarness,
  { sheets, from, to }: { sheets: number; from: number; to: number },
): void {
  for (let days = from; days <= to; days += 1)
    for (let nth = 0; nth < sheets; nth += 1)
      harness.put(sheetOn(addDays(harness.day(0), days), idOn(days, nth)));
}

function filledHarness({
  sheets = 20,
  ...options
}: PollHarnessOptions & { sheets?: number } = {}): PollHarness {
  const harness = new PollHarness(options);
  fill(harness, { sheets, from: -BACK_DAYS, to: FORWARD_DAYS });
  return harness;
}

/** A window of timesheets that was taken over. */
async function watchedHarness(options: PollHarnessOptions & { sheets?: number } = {}): Promise<PollHarness> {
  const harness = filledHarness(options);
  await harness.poll();
  harness.nextMinute();
  return harness;
}

function approvedIn(harness: PollHarness): string[] {
  return harness.headings
    .filter((heading) => heading.startsWith('timesheet.approved'))
    .map((heading) => heading.split(' ')[1] ?? '')
    .sort();
}

function sheetOn(date: string, id: string): SampleRecord {
  return timesheet({ id, date, details: [], shift: null });
}

/** Minutes since the last complete scan of each of these dates; null for one that had none. */
async function readAges(harness: PollHarness, dates: readonly string[]): Promise<(number | null)[]> {
  const { coverage } = await harness.state();
  const heads = await harness.store.loadHeads({ connection: 'main', feed: 'timesheets' }, '');
  const observed = new Map(heads.map(({ slice, observedAt }) => [slice, observedAt ?? 0]));
  return dates.map((date) => {
    const at = Math.max(coverage[date]?.at ?? 0, observed.get(date) ?? 0);
    return at === 0 ? null : Math.round((harness.now - at) / MINUTE_MS);
  });
}
