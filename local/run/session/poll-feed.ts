import type { LocalAws } from '#local/aws/local-aws.ts';
import { type PollReport, pollReportSchema } from '#shared/config/requests/poll-report.ts';
import type { PollRequest } from '#shared/config/requests/poll-request.ts';
import { NotifierError } from '#shared/core/errors.ts';

/** Longest wait of a run for a source that throttles; after a longer one it ends incomplete. */
const MAX_WAIT_MS = 60_000;
/** Invocations in a row without progress, after which a feed is left incomplete. */
const MAX_STALLED_INVOCATIONS = 2;

/** The last report of a feed, or the error of its function. */
export type FeedResult =
  | { readonly outcome: PollReport['outcome']; readonly report: PollReport }
  /** The function threw, crashed or timed out. */
  | { readonly outcome: 'failed'; readonly message: string };

export interface PollContext {
  readonly aws: Pick<LocalAws, 'invoke'>;
  readonly onReport: (report: PollReport) => void;
  /** Real milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Milliseconds of the functions' clock in one of real time. */
  readonly speed: number;
}

/**
 * Polls a feed until no slice remains. A function that reaches its deadline, or that a source throttles, reports the
 * remaining slices and continues with them at the next invocation.
 */
export async function pollFeed(
  functionName: string,
  request: PollRequest,
  { aws, onReport, sleep, speed }: PollContext,
): Promise<FeedResult> {
  let best = Number.POSITIVE_INFINITY;
  let invocationsLeft = MAX_STALLED_INVOCATIONS;
  for (;;) {
    const answer = await invoke(aws, functionName, request);
    if (answer instanceof NotifierError) return { outcome: 'failed', message: answer.message };
    onReport(answer);
    const { remainingSlices, outcome } = answer;
    invocationsLeft = remainingSlices < best ? MAX_STALLED_INVOCATIONS : invocationsLeft - 1;
    best = Math.min(best, remainingSlices);
    if (remainingSlices === 0 || outcome === 'refused' || invocationsLeft === 0 || isShutOut(answer))
      return { outcome, report: answer };
    if (answer.retryInMs !== undefined) await sleep(answer.retryInMs / speed);
  }
}

/** A source that answers nothing but 429, or wants to be left alone for long, is not waited for. */
function isShutOut({ retryInMs, counts }: PollReport): boolean {
  if (retryInMs === undefined) return false;
  return (counts.requests > 0 && counts.requests === counts.throttled) || retryInMs > MAX_WAIT_MS;
}

async function invoke(aws: Pick<LocalAws, 'invoke'>, functionName: string, request: PollRequest) {
  try {
    return pollReportSchema.parse(await aws.invoke(functionName, request));
  } catch (error) {
    if (error instanceof NotifierError) return error;
    throw error;
  }
}
