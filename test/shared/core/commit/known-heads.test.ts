import { describe, expect, test } from 'vitest';
import { planCommit } from '#shared/core/commit/commit-plan.ts';
import { KnownHeads } from '#shared/core/commit/known-heads.ts';
import { ApproximateIdSet } from '#shared/core/compare/approximate-id-set.ts';
import { toEvents } from '#shared/core/events/events.ts';
import { createHead } from '#shared/core/snapshot/snapshot.ts';
import { createChange, createEventContext, DATE, NEXT_DATE, timesheet } from '#test/support/builders.ts';
import { createCommitInput } from './commit-inputs.ts';

const OTHER_DATE = '2026-03-09';
const HEAD = createHead(DATE, '1-run');
const NEXT = createHead(NEXT_DATE, '1-run');
const OTHER = createHead(OTHER_DATE, '1-run');

describe('the heads that a poll knows', () => {
  test('are those of the store, and no others, once they are read again', () => {
    const known = new KnownHeads([HEAD, OTHER]);
    known.rememberIds(new ApproximateIdSet());
    expect(known.ids).toBeInstanceOf(ApproximateIdSet);
    known.reload([{ ...HEAD, revision: 9 }]);
    expect([...known.all.values()]).toEqual([{ ...HEAD, revision: 9 }]);
    expect(known.ids).toBeNull();
  });

  test('follow a commit: its events wait in each slice that it changed, behind those that waited before', () => {
    const known = new KnownHeads([{ ...HEAD, outbox: ['before'] }, OTHER]);
    const { step, pointers } = committed();
    expect(known.follow(step)).toEqual([
      { slice: DATE, pointer: pointers[0] },
      { slice: NEXT_DATE, pointer: pointers[0] },
    ]);
    expect(known.get(DATE)).toMatchObject({ recordCount: 0, outbox: ['before', ...pointers] });
    expect(known.get(NEXT_DATE)).toMatchObject({ recordCount: 1, outbox: pointers });
    expect(known.get(OTHER_DATE)).toBe(OTHER);
    const onOne = committed(timesheet({ hoursToPay: 9 }));
    known.follow(onOne.step);
    expect(known.get(DATE)?.outbox).toEqual(['before', ...pointers, ...onOne.pointers]);
  });

  test('forget what is published, of the slice that is named alone', () => {
    const outbox = ['first', 'second'];
    const known = new KnownHeads([HEAD, NEXT].map((head) => ({ ...head, outbox })));
    known.clear([
      { slice: DATE, pointer: 'first' },
      { slice: null, pointer: 'second' },
      { slice: OTHER_DATE, pointer: 'second' },
    ]);
    expect([DATE, NEXT_DATE].map((date) => known.get(date)?.outbox)).toEqual([['second'], outbox]);
    expect(known.get(OTHER_DATE)).toBeUndefined();
  });
});

/** A step with one change of a timesheet: from one date to the next, or as given. */
function committed(after = timesheet({ date: NEXT_DATE })) {
  const changed = createChange(timesheet(), after);
  const input = createCommitInput([toEvents(changed, createEventContext())], [timesheet()]);
  const [step] = planCommit(input).steps;
  if (step?.events == null) throw new Error('a change has an event');
  return {
    step,
    pointers: new KnownHeads([])
      .follow(step)
      .slice(0, 1)
      .map(({ pointer }) => pointer),
  };
}
