import { describe, expect, test } from 'vitest';
import { checkForm } from '#shared/core/compare/source-form.ts';
import { SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import type { WalkOutcome } from '#shared/core/outcome/judge-walk.ts';
import {
  addComparison,
  addDiagnosis,
  addPublished,
  addRemaining,
  addSuperseded,
  addWalk,
  PollFindings,
} from '#shared/core/outcome/poll-findings.ts';
import { type ComparisonFindings, summarizeScan } from '#shared/core/outcome/summarize-scan.ts';
import { WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import { createScan, hint, NOW, payPeriod } from '#test/support/builders.ts';

const FETCHED = { slices: ['2026-03-05'], hasAnswered: true } as const;
const COMPLETE: WalkOutcome = { ...FETCHED, outcome: 'complete' };
const COMPARED: ComparisonFindings = {
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

describe('what a poll has found', () => {
  test('is nothing at first, whatever other polls found', () => {
    const before = JSON.stringify(new PollFindings());
    findingsOf((findings) => {
      addWalk(findings, COMPLETE);
      addComparison(findings, COMPARED);
    });
    expect(JSON.stringify(new PollFindings())).toBe(before);
  });

  test('counts the changes of every comparison of a slice', () => {
    const { counts, changesOn } = findingsOf((findings) => {
      addComparison(findings, COMPARED);
      addComparison(findings, COMPARED);
    });
    expect(counts.changes).toBe(4);
    expect(changesOn).toEqual(new Map([['2026-03-05', 4]]));
  });

  test('keeps the pay periods that are stored although their list leaves them out, and no others', () => {
    const look = { requestedAt: NOW, receivedAt: NOW };
    const stored = hint({ id: '2_7' });
    const payPeriods = [{ ...hint({ id: '1_7' }), look }, stored, hint({ id: '3_7' })];
    const findings = Object.assign(new PollFindings(), { payPeriods });
    addComparison(findings, COMPARED);
    expect(findings.payPeriods).toEqual(payPeriods);
    addComparison(findings, { ...COMPARED, unlistedPeriods: [{ id: '2_7', hint: stored }] });
    expect(findings.payPeriods?.map(({ id }) => id)).toEqual(['1_7', '2_7']);
    addComparison(findings, COMPARED);
    expect(findings.payPeriods?.map(({ id }) => id)).toEqual(['1_7', '2_7']);
  });

  test('keeps a stored pay period whose row cannot be read as it was known before, and a closing that it holds', () => {
    const look = { requestedAt: NOW, receivedAt: NOW };
    const known = hint({ id: '2_7', closed: true, heldClosing: 'first' });
    const payPeriods = [{ ...hint({ id: '1_7' }), look }, known];
    const findings = Object.assign(new PollFindings(), { payPeriods });
    const marks = { isAsStored: true, isClosingHeld: false };
    const unlistedPeriods = ['2_7', '9_7'].map((id) => ({ id, hint: null, ...marks }));
    addComparison(findings, { ...COMPARED, unlistedPeriods });
    expect(findings.payPeriods).toEqual([payPeriods[0], known]);
  });

  test('knows which closings are held from comparisons of a complete list alone', () => {
    const look = { requestedAt: NOW, receivedAt: NOW };
    const held = (compared: Partial<ComparisonFindings>) => {
      const payPeriods = ['1_7', '2_7'].map((id) => ({ ...hint({ id }), look }));
      const findings = Object.assign(new PollFindings(), { payPeriods });
      addComparison(findings, { ...COMPARED, ...compared });
      return findings.payPeriods.map(({ isClosingHeld }) => isClosingHeld);
    };
    expect(held({ heldClosings: ['2_7'], unlistedPeriods: [] })).toEqual([false, true]);
    expect(held({ heldClosings: [], unlistedPeriods: null })).toEqual([undefined, undefined]);
  });

  test('has of a list that was not read to its end the pay periods that it showed, once they are compared', () => {
    const look = { requestedAt: NOW, receivedAt: NOW };
    const shown = (compared: Partial<ComparisonFindings>) => {
      const shownPeriods = ['1_7', '2_7'].map((id) => ({ ...hint({ id }), look }));
      const findings = Object.assign(new PollFindings(), { shownPeriods });
      addComparison(findings, { ...COMPARED, ...compared });
      return findings.shownPeriods.map(({ isClosingHeld }) => isClosingHeld);
    };
    expect(shown({ heldClosings: ['2_7'] })).toEqual([false, true]);
    expect(shown({ heldClosings: null })).toEqual([]);
  });

  test('holds the failure of a part that cannot be split against its slices, and of no other', () => {
    const findings = new PollFindings();
    addWalk(findings, fail('source_failed', { isSplit: true }));
    expect(findings).toMatchObject({ failed: new Map(), failures: 1, sourceAnswered: true });
    addWalk(findings, fail('source_failed', { isSplit: false }));
    expect(findings).toMatchObject({ failed: new Map([['2026-03-05', 'source_failed']]), failures: 2 });
  });

  test('has no failures in a row once a list was read', () => {
    const { failures, failed } = findingsOf((findings) => {
      addWalk(findings, fail('source_failed', { isSplit: false }));
      addWalk(findings, COMPLETE);
    });
    expect([failures, failed.size]).toEqual([0, 1]);
  });

  test.each<[SourceErrorCode, Partial<PollFindings>]>([
    ['source_unauthorised', { credentialRejected: true, throttled: false, failures: 0 }],
    ['source_throttled', { credentialRejected: false, throttled: true, failures: 0 }],
    ['source_unreachable', { credentialRejected: false, throttled: false, failures: 3 }],
    ['source_forbidden', { credentialRejected: false, throttled: false, failures: 2 }],
  ])('after %s', (code, expected) => {
    const findings = findingsOf((each) => addWalk(each, fail(code, { isSplit: false })));
    expect(findings).toMatchObject({ ...expected, errorCode: code });
    const isStopped = expected.credentialRejected === true || expected.throttled === true;
    expect(findings.failed.size).toBe(isStopped ? 0 : 1);
  });

  test('says nothing against a date whose walk ran out of time, unless its list takes longer than a poll', () => {
    const cut = findingsOf((findings) => addWalk(findings, { ...FETCHED, outcome: 'out_of_time' }));
    expect(cut).toMatchObject({ attempted: new Set(), failed: new Map() });
    const slow = findingsOf((findings) => addWalk(findings, { ...FETCHED, outcome: 'too_slow' }));
    expect(slow.failed).toEqual(new Map([['2026-03-05', 'list_too_slow']]));
  });

  test('holds nothing against single dates when the source failed as a whole', () => {
    const error = new SourceError('source_failed', 'the source failed (503)');
    const { failed, attempted, reasons } = findingsOf((findings) => {
      addWalk(findings, fail('source_failed', { isSplit: false }));
      addDiagnosis(findings, { error, readableDate: null });
    });
    expect([failed.size, attempted.size, ...reasons]).toEqual([0, 0, 'the source failed (503)']);
  });

  test('has no complete scan of what others committed meanwhile', () => {
    const { completeScans, attempted, committed } = findingsOf((findings) => {
      addWalk(findings, COMPLETE);
      addComparison(findings, COMPARED);
      addSuperseded(findings, new Set(['2026-03-05']));
    });
    expect([completeScans.size, attempted.size, committed.size]).toEqual([0, 0, 1]);
  });

  test('knows nothing of pay periods from a list that others committed to meanwhile', () => {
    const { payPeriods, shownPeriods } = findingsOf((findings) => {
      findings.payPeriods = [hint({ closed: true })];
      findings.shownPeriods = [hint({ closed: true })];
      addSuperseded(findings, new Set([WHOLE_LIST]));
    });
    expect([payPeriods, shownPeriods]).toEqual([null, []]);
    const scan = createScan([payPeriod()], { feed: 'pay-periods', slices: [WHOLE_LIST] });
    const known = EMPTY_FEED_STATE;
    const summarize = (slices: readonly string[]) =>
      summarizeScan(
        { scan: { ...scan, slices: new Set(slices) }, isRefetched: false, known },
        checkForm(scan, new Map()),
        'pay-periods',
      );
    expect(summarize([WHOLE_LIST]).payPeriods).toHaveLength(1);
    expect(summarize([]).payPeriods).toBeNull();
  });

  test('leaves to the next poll what was not scanned completely', () => {
    const { remainingSlices, attempted, rotation } = findingsOf((findings) => {
      addWalk(findings, COMPLETE);
      addComparison(findings, COMPARED);
      addRemaining(findings, { remaining: ['2026-03-05', '2026-03-06'], rotation: 2 });
    });
    expect([remainingSlices, attempted.size, rotation]).toEqual([1, 0, 2]);
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
    const published = { committed: 5, published: 2, waiting: 3, failed: [failure] };
    const { counts, publishFailures } = findingsOf((findings) => {
      addPublished(findings, published);
      addPublished(findings, published);
    });
    expect(counts).toMatchObject({ eventsCommitted: 10, eventsPublished: 4, eventsWaiting: 6 });
    expect(publishFailures).toHaveLength(2);
  });
});

function findingsOf(find: (findings: PollFindings) => void): PollFindings {
  const findings = new PollFindings();
  find(findings);
  return findings;
}

function fail(code: SourceErrorCode, { isSplit }: { isSplit: boolean }): WalkOutcome {
  return { ...FETCHED, outcome: 'failed', error: new SourceError(code, code), isSplit };
}
