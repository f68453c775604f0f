import { type PollResult, type PollSummary, summarizePoll } from '#shared/core/outcome/feed-memory.ts';
import { tellNews } from '#shared/core/outcome/news-of-watching.ts';
import { PollFindings } from '#shared/core/outcome/poll-findings.ts';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';
import { DATE, EARLIER, MINUTE_MS, NEXT_DATE, NOW, slice } from '#test/support/builders.ts';

const ZONE = 'Pacific/Auckland';
const UNREACHABLE_AFTER_POLLS = 3;

export const AFTER_BASELINE: FeedState = {
  ...EMPTY_FEED_STATE,
  revision: 9,
  sequence: 4,
  baseline: { from: DATE, to: NEXT_DATE, startedAt: EARLIER, completedAt: EARLIER },
  completedAt: NOW - MINUTE_MS,
};

export function concluded(values: Partial<PollResult>, previous: FeedState = AFTER_BASELINE): PollSummary {
  const result: PollResult = {
    ...new PollFindings(),
    startedAt: values.now ?? NOW,
    failingFrom: values.startedAt ?? values.now ?? NOW,
    now: NOW,
    window: [DATE, NEXT_DATE],
    heads: headsOf([]),
    pulls: {},
    pages: undefined,
    sourceAnswered: true,
    complete: true,
    held: {},
    loadFrom: DATE,
    ...values,
  };
  const state = summarizePoll(previous, result, {
    unreachableAfterPolls: UNREACHABLE_AFTER_POLLS,
    timeZone: ZONE,
  });
  return { state, operations: tellNews(previous, state, { ...result, isSilent: false }) };
}

/** Polls a minute apart, unless they say when, each knowing what the one before left. */
export function run(polls: readonly Partial<PollResult>[], first: FeedState = AFTER_BASELINE): PollSummary[] {
  let state = first;
  return polls.map((values, nth) => {
    const conclusion = concluded({ now: NOW + nth * MINUTE_MS, ...values }, state);
    state = conclusion.state;
    return conclusion;
  });
}

/** `began source_unreachable feed`, `baseline.completed`. */
export function newsOf(polls: readonly PollSummary[]): string[][] {
  return polls.map(({ operations }) =>
    operations.map(({ type, subject, data }) =>
      subject === null
        ? type
        : `${type.replace('trouble.', '')} ${String(data.kind)} ${subject.split(' ')[0]}`,
    ),
  );
}

export function isoAt(minutes: number): string {
  return new Date(NOW + minutes * MINUTE_MS).toISOString();
}

/** Heads of the window, with five and two records, or some others. */
export function headsOf(others: readonly ReturnType<typeof slice>['head'][]): PollResult['heads'] {
  const own = [
    { ...slice().head, recordCount: 5 },
    { ...slice({ slice: NEXT_DATE }).head, recordCount: 2 },
  ];
  return new Map([...own, ...others].map((head) => [head.slice, head]));
}
