import type { LocalAws } from '#local/aws/local-aws.ts';
import { type PollReport, pollReportSchema } from '#shared/config/requests/poll-report.ts';
import type { PollRequest } from '#shared/config/requests/poll-request.ts';
import { NotifierError } from '#shared/core/errors.ts';

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
}

/**
 * Polls a feed until no slice remains. A function that reaches its deadline reports the remaining slices and continues
 * with them at the next invocation.
 */
export async function pollFeed(
  functionName: string,
  request: PollRequest,
  { aws, onReport }: PollContext,
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
    if (remainingSlices === 0 || outcome === 'refused' || invocationsLeft === 0)
      return { outcome, report: answer };
  }
}

async function invoke(aws: Pick<LocalAws, 'invoke'>, functionName: string, request: PollRequest) {
  try {
    return pollReportSchema.parse(await aws.invoke(functionName, request));
  } catch (error) {
    if (error instanceof NotifierError) return error;
    throw error;
  }
}
