import { describe, expect, test } from 'vitest';
import { addDays } from '#shared/core/dates.ts';
import { SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import { timesheet } from '#test/support/builders.ts';
import { type SourceRecord, SourceWorld, type SourceWorldOptions } from '#test/support/source-world.ts';

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
    const world = await watchedWorld();
    failDate(world, days, 'source_failed');
    world.change('90_3', APPROVED);
    world.change('103_3', APPROVED);
    await world.pollFor(40);
    expect(approvedIn(world)).toEqual(['103_3', '90_3']);
  });

  test.each(['source_failed', 'source_forbidden', 'source_bad_response', 'source_unreachable'] as const)(
    'is told once when that begins and once when it ends: %s',
    async (code) => {
      const world = await watchedWorld();
      failDate(world, 0, code);
      await world.pollFor(120);
      world.failPage = () => null;
      world.change('100_3', APPROVED);
      await world.pollFor(40);
      expect(world.told.slice(1)).toEqual([
        `slice.unreadable ${world.day(0)}`,
        'timesheet.approved 100_3',
        `slice.readable ${world.day(0)}`,
      ]);
      expect(world.published[1]?.data).toMatchObject({ slice: world.day(0), reason: code, attempts: 3 });
    },
  );

  test('is asked for ever more rarely, and alone', async () => {
    const world = await watchedWorld();
    failDate(world, 0, 'source_failed');
    world.looks.length = 0;
    await world.pollFor(12 * 60);
    const tries = world.looks.filter(({ range }) => range.from <= world.day(0) && world.day(0) <= range.to);
    // Once with its neighbours and in halves, and then every half hour at most.
    expect(tries.length).toBeGreaterThan(24);
    expect(tries.length).toBeLessThan(40);
    expect(tries.slice(4).every(({ range }) => range.from === range.to)).toBe(true);
  });

  test('is not passed over when the baseline is installed: all others are taken over', async () => {
    const world = filledWorld();
    failDate(world, -20, 'source_failed');
    await world.pollFor(60);
    const heads = await world.store.loadHeads({ connection: 'main', feed: 'timesheets' }, '');
    expect(heads.filter(({ baselinedAt }) => baselinedAt !== null)).toHaveLength(BACK_DAYS + FORWARD_DAYS);
    world.failPage = () => null;
    await world.pollFor(40);
    expect((await world.state()).baseline?.completedAt).not.toBeNull();
    expect(world.told.filter((told) => told.startsWith('timesheet'))).toEqual([]);
  });

  test('delays no other date either when its list takes longer than a whole poll', async () => {
    const world = await watchedWorld({ pageSize: 1, sheets: 1 });
    for (let index = 0; index < 60; index += 1)
      world.put(timesheet({ id: `today_${index}`, date: world.day(0) }) as SourceRecord & { date: string });
    await world.pollFor(5);
    world.requestMs = 5_000;
    world.change(idOn(-10, 0), APPROVED);
    await world.pollFor(60);
    expect(approvedIn(world)).toEqual([idOn(-10, 0)]);
    const unreadable = world.published.find(({ type }) => type === 'workforce.slice.unreadable');
    expect(unreadable).toMatchObject({ subject: world.day(0), data: { reason: 'list_too_slow' } });
    world.requestMs = 50;
    await world.pollFor(40);
    expect(world.told.at(-1)).toBe(`slice.readable ${world.day(0)}`);
  });

  test('is no reason to doubt the credential, and a credential that is refused is no fault of a date', async () => {
    const world = await watchedWorld();
    failDate(world, 0, 'source_forbidden');
    expect((await world.poll()).outcome).toBe('incomplete');
    const later = await watchedWorld();
    later.failPage = () => new SourceError('source_forbidden', '403', { status: 403 });
    expect((await later.poll()).outcome).toBe('refused');
    expect((await later.state()).failing).toEqual({});
  });

  test('is told apart from a source that fails, also when nothing else is due', async () => {
    const world = await watchedWorld();
    world.failPage = ({ from }) =>
      from >= world.day(-1) && from <= world.day(1)
        ? new SourceError('source_unreachable', 'no answer')
        : null;
    await world.pollFor(3);
    world.looks.length = 0;
    await world.pollFor(20);
    expect(world.told.toSorted().slice(-3)).toEqual(
      [-1, 0, 1].map((days) => `slice.unreadable ${world.day(days)}`),
    );
    expect(world.told.filter((told) => told.startsWith('source.'))).toEqual([]);
    const tries = world.looks.filter(({ range }) => range.from === world.day(0));
    expect(tries.length).toBeLessThan(8);
  });

  test('is told apart from a source that goes away in the midst of a poll', async () => {
    const world = await watchedWorld();
    for (let days = -BACK_DAYS; days <= FORWARD_DAYS; days += 1) failedLater(world, days);
    world.now += 3 * 3_600_000;
    let answered = 0;
    world.failPage = () => {
      answered += 1;
      return answered === 1 ? null : new SourceError('source_failed', '502', { status: 502 });
    };
    const { outcome } = await world.poll();
    expect(outcome).toBe('incomplete');
    expect((await world.state()).failing).toEqual({});
  });
});

describe('dates that the source cannot list, when they are many,', () => {
  test('are not taken for the whole source: what can be read is read', async () => {
    const world = await watchedWorld();
    failDates(world, (days) => days % 2 === 0 || Math.abs(days) <= 1 || days === -BACK_DAYS);
    world.change(idOn(-9, 3), APPROVED);
    world.change(idOn(7, 3), APPROVED);
    await world.pollFor(40);
    expect(approvedIn(world)).toEqual([idOn(7, 3), idOn(-9, 3)]);
  });

  test('end no poll once one of the others answers', async () => {
    const world = await watchedWorld();
    world.now += 3 * 3_600_000;
    failDates(world, (days) => days % 2 === 0 || Math.abs(days) <= 1);
    world.change(idOn(-9, 3), APPROVED);
    world.change(idOn(7, 3), APPROVED);
    await world.poll();
    expect(approvedIn(world)).toEqual([idOn(7, 3), idOn(-9, 3)]);
  });

  test('keep nothing else from being read while the source is remembered as slower than it is', async () => {
    const world = await watchedWorld();
    world.requestMs = 250_000;
    await world.pollFor(30);
    world.requestMs = 50;
    failDate(world, 0, 'source_failed');
    world.change(idOn(-9, 3), APPROVED);
    world.change(idOn(7, 3), APPROVED);
    await world.pollFor(45);
    expect(approvedIn(world)).toEqual([idOn(7, 3), idOn(-9, 3)]);
  });
});

describe('a source that does not answer at all', () => {
  test('is asked a few times by each poll, and no date is held against it', async () => {
    const world = await watchedWorld();
    world.failPage = () => new SourceError('source_failed', '500', { status: 500 });
    const before = world.requests;
    await world.pollFor(60);
    expect((world.requests - before) / 60).toBeLessThanOrEqual(11);
    expect((await world.state()).failing).toEqual({});
    world.failPage = () => null;
    world.change('90_3', APPROVED);
    await world.pollFor(6);
    expect(world.told.slice(1)).toEqual([
      'source.unreachable undefined',
      'timesheet.approved 90_3',
      'source.recovered undefined',
    ]);
  });
});

describe('a source that is too slow for everything', () => {
  test.each([
    { sheets: 200, requestMs: 1_000, hours: 2 },
    { sheets: 200, requestMs: 2_000, hours: 4 },
    { sheets: 90, requestMs: 4_000, hours: 4 },
  ])('gets to every date all the same: %j', async ({ sheets, requestMs, hours }) => {
    const world = new SourceWorld({ requestMs, pageSize: 20 });
    fill(world, { sheets, from: -BACK_DAYS - 1, to: FORWARD_DAYS + 1 });
    await world.pollFor(hours * 60);
    const dates = Array.from({ length: BACK_DAYS + FORWARD_DAYS + 1 }, (_, nth) =>
      world.day(nth - BACK_DAYS),
    );
    const ages = await world.readAges(dates);
    expect((await world.state()).baseline?.completedAt).not.toBeNull();
    expect(ages.filter((age) => age === null || age > 60)).toEqual([]);
    // The hot dates keep half of the time, also while everything else is late.
    expect(
      Math.max(...(await world.readAges([world.day(-1), world.day(0), world.day(1)])).map(Number)),
    ).toBeLessThan(10);
  });

  test('says so once, with the dates that wait, and once that they wait no longer', async () => {
    const world = new SourceWorld({
      requestMs: 4_000,
      pageSize: 20,
      connection: { window: { backDays: 34, forwardDays: 1 } },
    });
    fill(world, { sheets: 100, from: -36, to: 2 });
    await world.pollFor(4 * 60);
    const lagging = () => world.told.filter((told) => told.startsWith('feed.'));
    expect(lagging()).toEqual(['feed.lagging undefined']);
    const { data } = world.published.find(({ type }) => type === 'workforce.feed.lagging') ?? { data: {} };
    expect(data).toMatchObject({ feed: 'timesheets', worst: [{ class: 'active' }] });
    expect(Number(world.lines.at(-1)?.worstLateSeconds)).toBeGreaterThan(15 * 60);
    world.requestMs = 50;
    await world.pollFor(3 * 60);
    expect(lagging()).toEqual(['feed.lagging undefined', 'feed.caught_up undefined']);
  }, 60_000);
});

describe('the hot dates', () => {
  test('keep their minute while a long poll is busy with the rest, and are looked at by one poll alone', async () => {
    const world = await watchedWorld();
    const lease = { owner: 'long', now: world.now, expiresAt: world.now + 300_000, takeOver: false };
    await world.store.acquireLease({ connection: 'main', feed: 'timesheets' }, lease);
    world.looks.length = 0;
    expect((await world.poll()).outcome).toBe('complete');
    expect(world.looks.map(({ range }) => range)).toEqual([{ from: world.day(-1), to: world.day(1) }]);
    expect((await world.poll()).outcome).toBe('skipped');
    world.nextMinute();
    expect((await world.poll()).outcome).toBe('complete');
  });

  test('come again within a long poll when their minute is over', async () => {
    const world = new SourceWorld({ requestMs: 2_000, pageSize: 20 });
    fill(world, { sheets: 40, from: -BACK_DAYS, to: FORWARD_DAYS });
    await world.poll();
    const hot = world.looks.filter(({ range }) => range.to === world.day(1)).map(({ at }) => at);
    expect(hot.length).toBeGreaterThanOrEqual(3);
    expect(Math.max(...hot.slice(1).map((at, nth) => at - (hot[nth] ?? 0)))).toBeLessThan(130_000);
  });

  test('are looked at several times within a minute while much happens on them, and once otherwise', async () => {
    const world = await watchedWorld({ sheets: 20 });
    const looksIn = async () => {
      world.looks.length = 0;
      await world.poll({ repeatForSeconds: 50 });
      world.nextMinute();
      return world.looks.filter(({ range }) => range.from <= world.day(0) && world.day(0) <= range.to).length;
    };
    await looksIn();
    expect(await looksIn()).toBe(1);
    for (let k = 0; k < 20; k += 1) world.change(`100_${k}`, APPROVED);
    expect(await looksIn()).toBeGreaterThanOrEqual(2);
  });
});

test('dates of any class come again within the minute while much happens on them', async () => {
  const world = await watchedWorld({ sheets: 20 });
  const looksIn = async () => {
    world.looks.length = 0;
    await world.poll({ repeatForSeconds: 50 });
    world.nextMinute();
    return world.looks.filter(({ range }) => range.from <= world.day(-3) && world.day(-3) <= range.to).length;
  };
  for (let k = 0; k < 20; k += 1) world.change(idOn(-3, k), APPROVED);
  const looks: number[] = [];
  for (let minute = 0; minute < 7; minute += 1) looks.push(await looksIn());
  expect(Math.max(...looks)).toBeGreaterThanOrEqual(2);
});

test.each(['source_unauthorised', 'source_throttled'] as const)(
  'dates of which a poll learned nothing, because it had to stop, are looked at by the next one: %s',
  async (code) => {
    const world = await watchedWorld();
    world.now += 31 * 60_000;
    world.nextMinute();
    world.failPage = ({ from }) => (from < world.day(-1) ? new SourceError(code, 'on purpose') : null);
    world.change('90_3', APPROVED);
    await world.poll();
    world.failPage = () => null;
    world.nextMinute();
    await world.poll();
    expect(approvedIn(world)).toEqual(['90_3']);
  },
);

test('one poll with a clock that is a day ahead keeps no date from being looked at, and no poll from starting', async () => {
  const world = await watchedWorld();
  const real = world.now;
  world.now = real + 86_400_000;
  await world.poll({ scope: 'window' });
  const lease = { owner: 'ahead', now: world.now, expiresAt: world.now + 300_000, takeOver: true };
  await world.store.acquireLease({ connection: 'main', feed: 'timesheets' }, lease);
  world.now = real;
  world.nextMinute();
  world.change('96_1', APPROVED);
  await world.pollFor(40);
  expect(approvedIn(world)).toEqual(['96_1']);
});

function failDate(world: SourceWorld, days: number, code: SourceErrorCode): void {
  const date = world.day(days);
  const status = code === 'source_forbidden' ? { status: 403 } : {};
  world.failPage = ({ from, to }) =>
    from <= date && date <= to ? new SourceError(code, 'on purpose', status) : null;
}

function failDates(world: SourceWorld, fails: (days: number) => boolean): void {
  const days = Array.from({ length: BACK_DAYS + FORWARD_DAYS + 1 }, (_, nth) => nth - BACK_DAYS);
  const dates = days.filter(fails).map((each) => world.day(each));
  world.failPage = ({ from, to }) =>
    dates.some((date) => from <= date && date <= to) ? new SourceError('source_failed', '500') : null;
}

function failedLater(world: SourceWorld, days: number): void {
  world.change(idOn(days, 0), { hoursToPay: 1 });
}

function idOn(days: number, nth: number): string {
  return `${days + 100}_${nth}`;
}

function fill(world: SourceWorld, { sheets, from, to }: { sheets: number; from: number; to: number }): void {
  for (let days = from; days <= to; days += 1)
    for (let nth = 0; nth < sheets; nth += 1)
      world.put(sheetOn(addDays(world.day(0), days), idOn(days, nth)));
}

function filledWorld({
  sheets = 20,
  ...options
}: SourceWorldOptions & { sheets?: number } = {}): SourceWorld {
  const world = new SourceWorld(options);
  fill(world, { sheets, from: -BACK_DAYS, to: FORWARD_DAYS });
  return world;
}

/** A window of timesheets that was taken over. */
async function watchedWorld(options: SourceWorldOptions & { sheets?: number } = {}): Promise<SourceWorld> {
  const world = filledWorld(options);
  await world.poll();
  world.nextMinute();
  return world;
}

function approvedIn(world: SourceWorld): string[] {
  return world.told
    .filter((told) => told.startsWith('timesheet.approved'))
    .map((told) => told.split(' ')[1] ?? '')
    .sort();
}

function sheetOn(date: string, id: string): SourceRecord & { readonly date: string } {
  return { ...timesheet({ id, details: [], shift: null }), id, date };
}
