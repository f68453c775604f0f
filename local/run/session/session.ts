import { setTimeout as delay } from 'node:timers/promises';
import type { LocalAws } from '#local/aws/local-aws.ts';
import { type PollReport, pollReportSchema } from '#shared/config/requests/poll-report.ts';
import type { PollRequest } from '#shared/config/requests/poll-request.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { createRepeatedNotes, type Notes } from '../output/notes.ts';
import type { RunStats } from '../output/stats.ts';
import type { Machine } from './machine.ts';
import { buildPollRequest, type PollFunction } from './polling.ts';

/** The result of polls, from good to bad. */
export type PollVerdict = 'complete' | 'incomplete' | 'refused';

/** The polls of one run. */
export interface Session {
  /** Polls one feed. */
  poll(pollFunction: PollFunction, scope: PollRequest['scope']): Promise<PollVerdict>;
  /**
   * Every feed in order over the whole window, even when one fails. `readable`: but for dates that the source failed to
   * list, until they are due to be tried again.
   */
  pollAll(scope?: 'window' | 'readable'): Promise<PollVerdict>;
  /** Messages of the source when it refused the credential. */
  readonly refusals: ReadonlySet<string>;
}

export interface SessionOptions {
  readonly machine: Machine;
  readonly notes: Notes;
  readonly stats: RunStats;
  /** Aborted when the run ends and further failures do not matter. */
  readonly stopping: AbortSignal;
}

const RANK: readonly PollVerdict[] = ['complete', 'incomplete', 'refused'];

export function createSession({ machine, notes, stats, stopping }: SessionOptions): Session {
  const refusals = new Set<string>();
  const repeated = createRepeatedNotes(notes, stopping);
  const { aws, polling, source } = machine;
  const sleep = (milliseconds: number) =>
    delay(milliseconds, undefined, { signal: stopping }).catch(() => {});
  const context: Omit<PollContext, 'onReport'> = { aws, sleep, speed: source.clock?.speed ?? 1 };
  let heldClosings = 0;
  const onReport: PollContext['onReport'] = (report) => {
    stats.countReport(report);
    const { feed, remainingSlices } = report;
    if (feed === 'pay-periods') heldClosings = report.heldClosings ?? 0;
    if (remainingSlices > 0) repeated.say(`${feed} remaining`, `${feed}: ${remainingSlices} slices left`);
  };
  const judge = (name: string, result: FeedResult): PollVerdict => {
    if (result.outcome === 'refused') for (const reason of result.report.reasons) refusals.add(reason);
    const text = describeResult(result, aws.logFile);
    if (text === null) repeated.forget(name);
    else repeated.say(name, text);
    return toVerdict(result);
  };
  const poll = async (pollFunction: PollFunction, scope: PollRequest['scope']) => {
    const { name, feed = name, isSilent } = pollFunction;
    const request = buildPollRequest(polling, scope, pollFunction);
    const verdict = judge(feed, await pollFeed(name, request, { ...context, onReport }));
    // A source that does not give names keeps nobody from its events.
    return isSilent === true ? 'complete' : verdict;
  };
  const sayHeld = () => {
    if (heldClosings === 0) repeated.forget('closings');
    else repeated.say('closings', `${heldClosings} closings are told once their dates were read again`);
    return heldClosings > 0;
  };
  return {
    refusals,
    poll,
    pollAll: async (scope = 'window') => {
      const verdicts: PollVerdict[] = [];
      for (const pollFunction of polling.functions) {
        if (stopping.aborted) return 'incomplete';
        verdicts.push(await poll(pollFunction, scope));
      }
      // A closing is published once the other feed has read its dates.
      const [first] = polling.functions;
      if (heldClosings > 0 && first !== undefined) verdicts[0] = await poll(first, scope);
      if (sayHeld()) verdicts.push('incomplete');
      return RANK.findLast((verdict) => verdicts.includes(verdict)) ?? 'complete';
    },
  };
}

function toVerdict({ outcome }: FeedResult): PollVerdict {
  switch (outcome) {
    case 'complete':
    case 'refused':
      return outcome;
    case 'incomplete':
    case 'skipped':
    case 'failed':
      return 'incomplete';
  }
}

/** A line about a result, or `null`. The run reports a refusal once, at its end. */
function describeResult(result: FeedResult, logFile: string): string | null {
  if (result.outcome === 'complete' || result.outcome === 'refused') return null;
  if (result.outcome === 'failed') return `${result.message.replaceAll(/\s+/g, ' ')}; its log is ${logFile}`;
  const { feed, reasons } = result.report;
  return `${feed} ${result.outcome}: ${reasons.join('; ')}`;
}

/** Longest wait of a run for a source that throttles; after a longer one it ends incomplete. */
const MAX_WAIT_MS = 60_000;
/** Invocations in a row without progress, after which a feed is left incomplete. */
const MAX_STALLED_INVOCATIONS = 2;

/** The last report of a feed, or the error of its function. */
export type FeedResult =
  | { readonly outcome: PollReport['outcome']; readonly report: PollReport }
  /** The function threw, crashed or timed out. */
  | { readonly outcome: 'failed'; readonly message: string };

interface PollContext {
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
