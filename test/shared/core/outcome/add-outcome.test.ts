import { describe, expect, test } from 'vitest';
import { SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import { addOutcome, addOutcomes } from '#shared/core/outcome/add-outcome.ts';
import { NO_PROGRESS, type PollProgress } from '#shared/core/outcome/poll-progress.ts';
import {
  COMMIT_DROPPED,
  type CompareOutcome,
  type FetchOutcome,
  type StageOutcome,
} from '#shared/core/outcome/stage-outcome.ts';
import { hint, NOW } from '#test/support/builders.ts';

const FETCHED = { stage: 'fetch', slices: ['2026-03-05'], hasAnswered: true } as const;
const COMPLETE: FetchOutcome = { ...FETCHED, outcome: 'complete' };
const COMPARED: CompareOutcome = {
  stage: 'compare',
  shrunk: new Map(),
  lingering: new Set(),
  massChanges: [],
  changes: 2,
  changesOn: new Map([['2026-03-05', 2]]),
  sweptOn: [],
  committed: ['2026-03-05'],
  committedWhole: ['2026-03-05'],
  completeScans: new Map([['2026-03-05', { at: 1, unseen: {} }]]),
  unconfirmed: [],
  unlistedPeriods: null,
  heldClosings: null,
  reasons: [],
};

describe('what a poll knows after an outcome', () => {
  test('is a new value: what was known before stays as it was', () => {
    const before = JSON.stringify(toPlain(NO_PROGRESS));
    addOutcomes(NO_PROGRESS, [COMPLETE, COMPARED, COMMIT_DROPPED]);
    expect(JSON.stringify(toPlain(NO_PROGRESS))).toBe(before);
  });

  test('counts the changes of every comparison of a slice', () => {
    const { counts, changesOn } = addOutcomes(NO_PROGRESS, [COMPARED, COMPARED]);
    expect(counts.changes).toBe(4);
    expect(changesOn).toEqual(new Map([['2026-03-05', 4]]));
  });

  test('keeps the pay periods that are stored although their list leaves them out, and no others', () => {
    const look = { requestedAt: NOW, receivedAt: NOW };
    const stored = hint({ id: '2_7' });
    const payPeriods = [{ ...hint({ id: '1_7' }), look }, stored, hint({ id: '3_7' })];
    const before = { ...NO_PROGRESS, payPeriods };
    const after = addOutcomes(before, [{ ...COMPARED, unlistedPeriods: [stored] }, COMPARED]);
    expect(after.payPeriods?.map(({ id }) => id)).toEqual(['1_7', '2_7']);
    expect(addOutcomes(before, [COMPARED]).payPeriods).toEqual(payPeriods);
  });

  test('knows which closings are held from comparisons of a complete list alone', () => {
    const look = { requestedAt: NOW, receivedAt: NOW };
    const seen = ['1_7', '2_7'].map((id) => ({ ...hint({ id }), look }));
    const before = { ...NO_PROGRESS, payPeriods: seen };
    const held = (outcome: Partial<CompareOutcome>) =>
      addOutcomes(before, [{ ...COMPARED, ...outcome }]).payPeriods?.map((each) => each.isClosingHeld);
    expect(held({ heldClosings: ['2_7'], unlistedPeriods: [] })).toEqual([false, true]);
    expect(held({ heldClosings: [], unlistedPeriods: null })).toEqual([undefined, undefined]);
  });

  test('holds the failure of a part that cannot be split against its slices, and of no other', () => {
    const whole = addOutcome(NO_PROGRESS, fail('source_failed', { isSplit: true }));
    expect(whole).toMatchObject({ failed: new Map(), failures: 1, sourceAnswered: true });
    const alone = addOutcome(whole, fail('source_failed', { isSplit: false }));
    expect(alone).toMatchObject({ failed: new Map([['2026-03-05', 'source_failed']]), failures: 2 });
  });

  test('has no failures in a row once a list was read', () => {
    const { failures, failed } = addOutcomes(NO_PROGRESS, [
      fail('source_failed', { isSplit: false }),
      COMPLETE,
    ]);
    expect([failures, failed.size]).toEqual([0, 1]);
  });

  test.each<[SourceErrorCode, Partial<PollProgress>]>([
    ['source_unauthorised', { credentialRejected: true, throttled: false, failures: 0 }],
    ['source_throttled', { credentialRejected: false, throttled: true, failures: 0 }],
    ['source_unreachable', { credentialRejected: false, throttled: false, failures: 3 }],
    ['source_forbidden', { credentialRejected: false, throttled: false, failures: 2 }],
  ])('after %s', (code, expected) => {
    const { failed, ...progress } = addOutcome(NO_PROGRESS, fail(code, { isSplit: false }));
    expect(progress).toMatchObject({ ...expected, errorCode: code });
    expect(failed.size).toBe(expected.credentialRejected === true || expected.throttled === true ? 0 : 1);
  });

  test('says nothing against a date whose walk ran out of time, unless its list takes longer than a poll', () => {
    const cut = addOutcome(NO_PROGRESS, { ...FETCHED, outcome: 'out_of_time' });
    expect(cut).toMatchObject({ attempted: new Set(), failed: new Map() });
    const slow = addOutcome(NO_PROGRESS, { ...FETCHED, outcome: 'too_slow' });
    expect(slow.failed).toEqual(new Map([['2026-03-05', 'list_too_slow']]));
  });

  test('holds nothing against single dates when the source failed as a whole', () => {
    const error = new SourceError('source_failed', 'the source failed (503)');
    const { failed, attempted, reasons } = addOutcomes(NO_PROGRESS, [
      fail('source_failed', { isSplit: false }),
      { stage: 'diagnosis', outcome: 'source_failed', error },
    ]);
    expect([failed.size, attempted.size, ...reasons]).toEqual([0, 0, 'the source failed (503)']);
  });

  test('has no complete scan of what others committed meanwhile', () => {
    const superseded: StageOutcome = { stage: 'conflict', outcome: 'superseded', slices: ['2026-03-05'] };
    const { completeScans, attempted, committed } = addOutcomes(NO_PROGRESS, [
      COMPLETE,
      COMPARED,
      superseded,
    ]);
    expect([completeScans.size, attempted.size, committed.size]).toEqual([0, 0, 1]);
  });

  test('leaves to the next poll what was not scanned completely', () => {
    const remaining = ['2026-03-05', '2026-03-06'];
    const { remainingSlices, attempted, turn } = addOutcomes(NO_PROGRESS, [
      COMPLETE,
      COMPARED,
      { stage: 'plan', outcome: 'ended', remaining, turn: 2 },
    ]);
    expect([remainingSlices, attempted.size, turn]).toEqual([1, 0, 2]);
  });

  test('adds up what was published, with why something was not', () => {
    const failure = {
      reason: 'expired',
      committedAt: 1,
      events: 3,
      eventIds: [],
      records: [],
      entries: [],
    } as const;
    const published = {
      stage: 'publish',
      committed: 5,
      published: 2,
      waiting: 3,
      failed: [failure],
    } as const;
    const { counts, publishFailures } = addOutcomes(NO_PROGRESS, [published, published]);
    expect(counts).toMatchObject({ eventsCommitted: 10, eventsPublished: 4, eventsWaiting: 6 });
    expect(publishFailures).toHaveLength(2);
  });
});

function fail(code: SourceErrorCode, { isSplit }: { isSplit: boolean }): FetchOutcome {
  return { ...FETCHED, outcome: 'failed', error: new SourceError(code, code), isSplit };
}

function toPlain(progress: PollProgress): unknown {
  return Object.entries(progress).map(([name, value]) => [
    name,
    value instanceof Map || value instanceof Set ? [...value] : value,
  ]);
}
