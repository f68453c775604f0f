import { describe, expect, test } from 'vitest';
import {
  type PollCoverage,
  updateAttempts,
  updateBursts,
  updateCoverage,
} from '#shared/core/plan/coverage.ts';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';
import { DATE, MINUTE_MS, NEXT_DATE, NOW, SECOND_MS, slice } from '#test/support/builders.ts';

const STARTED_AT = NOW - 30 * SECOND_MS;
const BEFORE = NOW - 10 * MINUTE_MS;
const GONE = '2026-01-01';

describe('the last complete scan of a date', () => {
  const before = { [DATE]: { at: BEFORE, revision: 4 }, [GONE]: { at: BEFORE, revision: 1 } };

  test('stays while none comes after it, and goes when its date leaves the window', () => {
    expect(coverageAfter(before, {})).toEqual({ [DATE]: before[DATE] });
  });

  test('is that of the poll, with the revision that it found and what it could not see', () => {
    const scans = scansOf({ [DATE]: { at: STARTED_AT, unseen: { '1_7': null } } });

    expect(coverageAfter(before, { completeScans: scans })).toEqual({
      [DATE]: { at: STARTED_AT, revision: 4, unseen: { '1_7': null } },
    });
    const whole = coverageAfter({}, { completeScans: scansOf({ [DATE]: { at: STARTED_AT } }) });
    expect(whole).toEqual({ [DATE]: { at: STARTED_AT, revision: 4 } });
    expect(whole[DATE]).not.toHaveProperty('unseen');
  });

  test.each([
    [50, STARTED_AT],
    [51, BEFORE],
  ])('is remembered with up to fifty records that it could not see: %i', (count, at) => {
    const unseen = Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}_7`, null]));

    expect(
      coverageAfter(before, { completeScans: scansOf({ [DATE]: { at: STARTED_AT, unseen } }) })[DATE]?.at,
    ).toBe(at);
  });

  test('is none where the slice has no head', () => {
    expect(coverageAfter({}, { completeScans: scansOf({ [NEXT_DATE]: { at: STARTED_AT } }) })).toEqual({});
  });

  test.each([
    ['the same revision was seen later, by a poll beside this one', { at: NOW, revision: 4 }, NOW],
    [
      'the same revision was seen at the same time',
      { at: STARTED_AT, revision: 4, unseen: { '1_7': null } },
      STARTED_AT,
    ],
    ['another revision was seen later', { at: NOW, revision: 3 }, STARTED_AT],
    ['a clock ahead of now dated the one before', { at: NOW + 1, revision: 4 }, STARTED_AT],
  ])('is the latest of its revision: where %s', (_, known, at) => {
    const after = coverageAfter(
      { [DATE]: known },
      { completeScans: scansOf({ [DATE]: { at: STARTED_AT } }) },
    );

    expect(after[DATE]?.at).toBe(at);
    if (at === STARTED_AT) expect(after[DATE]).not.toHaveProperty('unseen');
  });
});

describe('changes a second on a date', () => {
  const bursts = (known: Readonly<Record<string, number>> | undefined, values: Partial<PollCoverage>) => {
    const coverage = { [DATE]: { at: STARTED_AT - 100 * SECOND_MS, revision: 4 } };
    const state = { ...EMPTY_FEED_STATE, coverage, ...(known === undefined ? {} : { bursts: known }) };
    return updateBursts(state, poll(values));
  };
  const scanned = { completeScans: scansOf({ [DATE]: { at: STARTED_AT } }) };

  test('stay as they are until the date is scanned, and go with it', () => {
    expect(bursts({ [DATE]: 0.5, [GONE]: 0.5 }, {})).toEqual({ [DATE]: 0.5 });
    expect(bursts(undefined, {})).toEqual({});
  });

  test('are the mean of those before and those since the scan before, to three digits', () => {
    expect(bursts({ [DATE]: 0.5 }, { ...scanned, changesOn: new Map([[DATE, 30]]) })).toEqual({
      [DATE]: 0.4,
    });
    expect(bursts(undefined, { ...scanned, changesOn: new Map([[DATE, 1]]) })).toEqual({ [DATE]: 0.005 });
    expect(bursts({ [DATE]: 0.123_456 }, scanned)).toEqual({ [DATE]: 0.061_7 });
    const soon = scansOf({ [DATE]: { at: STARTED_AT - 99.5 * SECOND_MS } });
    expect(bursts(undefined, { completeScans: soon, changesOn: new Map([[DATE, 1]]) })).toEqual({
      [DATE]: 1,
    });
  });

  test('are none of a date that was not scanned before, or at the same time', () => {
    const changesOn = new Map([
      [DATE, 90],
      [NEXT_DATE, 90],
    ]);
    const first = scansOf({ [NEXT_DATE]: { at: STARTED_AT } });
    const again = scansOf({ [DATE]: { at: STARTED_AT - 100 * SECOND_MS } });

    expect(bursts(undefined, { completeScans: first, changesOn })).toEqual({});
    expect(bursts(undefined, { completeScans: again, changesOn })).toEqual({});
  });

  test.each([
    [0.002, { [DATE]: 0.001 }],
    [0.001_9, {}],
  ])('are forgotten below one in a thousand seconds: half of %f', (known, expected) => {
    expect(bursts({ [DATE]: known }, scanned)).toEqual(expected);
  });
});

describe('the last attempt at a date', () => {
  const triedAfter = (
    tried: FeedState['tried'],
    coverage: FeedState['coverage'],
    values: Partial<PollCoverage>,
  ) => updateAttempts({ ...EMPTY_FEED_STATE, tried }, coverage, poll(values));
  const attempted = { attempted: new Set([DATE]) };
  const at = (instant: number) => ({ [DATE]: { at: instant, revision: 4 } });

  test('is remembered, at the end of the poll, until a complete scan', () => {
    expect(triedAfter({}, {}, attempted)).toEqual({ [DATE]: NOW });
    expect(triedAfter({ [DATE]: BEFORE }, at(BEFORE - 1), {})).toEqual({ [DATE]: BEFORE });
    expect(Object.keys(triedAfter({}, {}, {}))).toEqual([]);
    expect(triedAfter({ [GONE]: BEFORE }, {}, {})).toEqual({});
  });

  test('is forgotten after a complete scan that began in this poll, or at the attempt', () => {
    expect(triedAfter({}, at(STARTED_AT), attempted)).toEqual({});
    expect(triedAfter({}, at(STARTED_AT - 1), attempted)).toEqual({ [DATE]: NOW });
    expect(triedAfter({ [DATE]: BEFORE }, at(BEFORE), {})).toEqual({});
    expect(triedAfter({ [DATE]: BEFORE }, at(NOW), {})).toEqual({});
  });

  test('is forgotten after a scan that was committed, which the head knows', () => {
    const heads = new Map([[DATE, { ...slice().head, observedAt: STARTED_AT }]]);
    expect(triedAfter({}, {}, { ...attempted, heads })).toEqual({});
    expect(triedAfter({}, at(BEFORE), { ...attempted, heads })).toEqual({});
    expect(triedAfter({ [NEXT_DATE]: BEFORE }, {}, { heads })).toEqual({ [NEXT_DATE]: BEFORE });
  });

  test('stays when the scan is dated ahead of now', () => {
    expect(triedAfter({}, at(NOW + 1), attempted)).toEqual({ [DATE]: NOW });
  });
});

function coverageAfter(
  coverage: FeedState['coverage'],
  values: Partial<PollCoverage>,
): FeedState['coverage'] {
  return updateCoverage({ ...EMPTY_FEED_STATE, coverage }, poll(values));
}

/** A poll of two dates, of which one has a head; nothing was scanned. */
function poll(values: Partial<PollCoverage>): PollCoverage {
  return {
    startedAt: STARTED_AT,
    now: NOW,
    window: [DATE, NEXT_DATE],
    heads: new Map([[DATE, slice({ head: { observedAt: null } }).head]]),
    completeScans: new Map(),
    attempted: new Set(),
    changesOn: new Map(),
    ...values,
  };
}

type Scans = PollCoverage['completeScans'];

function scansOf(
  scans: Readonly<Record<string, { readonly at: number; readonly unseen?: Readonly<Record<string, null>> }>>,
): Scans {
  return new Map(Object.entries(scans).map(([date, scan]) => [date, { unseen: {}, ...scan }]));
}
