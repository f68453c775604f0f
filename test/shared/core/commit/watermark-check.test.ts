import { describe, expect, test } from 'vitest';
import { planCommit } from '#shared/core/commit/commit-plan.ts';
import { toEvents } from '#shared/core/events/events.ts';
import {
  createChange,
  createEventContext,
  DATE,
  leafRow,
  MINUTE_MS,
  NEXT_DATE,
  NOW,
  type SampleRecord,
  slice,
  timesheet,
} from '#test/support/builders.ts';
import { createCommitInput } from './commit-inputs.ts';

const NEVER = Number.MAX_SAFE_INTEGER;
const AHEAD = NOW + MINUTE_MS;
const EARLY = NOW - MINUTE_MS;
const ON_NEXT = timesheet({ id: '8_7', date: NEXT_DATE });

describe('a commit of a connection with watermarks says when it first saw what it publishes', () => {
  test('of all dates, and of the hot ones', () => {
    const changes = [changed(timesheet(), NOW), changed(ON_NEXT, EARLY)];
    expect(checkOf(changes, [DATE])).toEqual({ hot: NOW, all: EARLY, ahead: AHEAD });
    expect(checkOf(changes, [NEXT_DATE])).toEqual({ hot: EARLY, all: EARLY, ahead: AHEAD });
    expect(checkOf(changes, [])).toEqual({ hot: NEVER, all: EARLY, ahead: AHEAD });
  });

  test('whichever of its changes comes first', () => {
    const changes = [changed(ON_NEXT, EARLY), changed(timesheet(), NOW)];
    expect(checkOf(changes, [DATE, NEXT_DATE])).toEqual({ hot: EARLY, all: EARLY, ahead: AHEAD });
  });

  test('of what moves to a hot date, away from one, or is removed there', () => {
    const moved = createChange(timesheet(), timesheet({ date: NEXT_DATE }));
    const removed = createChange(timesheet(), null);
    for (const [change, hot] of [
      [moved, DATE],
      [moved, NEXT_DATE],
      [removed, DATE],
    ] as const)
      expect(checkOf([change], [hot])).toEqual({ hot: NOW, all: NOW, ahead: AHEAD });
    expect(checkOf([removed], [NEXT_DATE])).toEqual({ hot: NEVER, all: NOW, ahead: AHEAD });
  });

  test('and nothing of what it takes over silently', () => {
    const silent = createChange(null, timesheet(), { silent: true });
    expect(toEvents(silent, createEventContext()).types).toEqual([]);
    expect(checkOf([silent], [DATE])).toBeUndefined();
    const other = timesheet({ id: '9_7', date: NEXT_DATE });
    const later = createChange(null, other, { silent: true, observed: { after: null, by: EARLY } });
    expect(checkOf([changed(timesheet(), NOW), later], [])?.all).toBe(NOW);
  });
});

test('a commit of any other connection says nothing', () => {
  const input = createCommitInput([toEvents(changed(timesheet(), NOW), createEventContext())], [timesheet()]);
  expect(planCommit(input).steps.map((step) => 'watermark' in step)).toEqual([false]);
});

function changed(record: SampleRecord, by: number) {
  return createChange(record, { ...record, hoursToPay: 9 }, { observed: { after: null, by } });
}

/** `hot`: the dates that were hot in this poll. */
function checkOf(changes: readonly ReturnType<typeof createChange>[], hot: readonly string[]) {
  const changeEvents = changes.map((change) => toEvents(change, createEventContext()));
  const next = slice({ slice: NEXT_DATE, rows: [leafRow(ON_NEXT)] });
  const { steps } = planCommit({
    ...createCommitInput(changeEvents, [timesheet()], [next]),
    fence: { isHot: (date) => hot.includes(date), ahead: AHEAD },
  });
  expect(steps).toHaveLength(1);
  return steps[0]?.watermark;
}
