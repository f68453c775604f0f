import type { LocalAws } from '#local/aws/local-aws.ts';
import { type PollReport, pollReportSchema } from '#shared/config/requests/poll-report.ts';
import type { PollRequest } from '#shared/config/requests/poll-request.ts';
import { NotifierError } from '#shared/core/errors.ts';

/** Invocations in a row without fewer slices remaining after which a feed is left incomplete. */
const MAX_STALLED_INVOCATIONS = 2;

/** How the polling of one feed ended. */
export type FeedResult =
  | { readonly outcome: PollReport['outcome']; readonly report: PollReport }
  /** The function itself failed: it threw, crashed or did not answer in time. */
  | { readonly outcome: 'failed'; readonly message: string };

/** What a poll needs, and whom it tells. */
export interface PollContext {
  readonly aws: Pick<LocalAws, 'invoke'>;
  readonly onReport: (report: PollReport) => void;
}

/**
 * Polls a feed until nothing remains: a function that runs into its deadline says how many slices are left and goes
 * on with them when it is invoked again.
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
