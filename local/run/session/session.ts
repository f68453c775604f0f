import { setTimeout as delay } from 'node:timers/promises';
import { readClock } from '#local/aws/functions/virtual-clock.ts';
import type { LocalAws } from '#local/aws/local-aws.ts';
import { type PollReport, pollReportSchema } from '#shared/config/requests/poll-report.ts';
import type { PollRequest } from '#shared/config/requests/poll-request.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { createRepeatedNotes, type Notes } from '../output/notes.ts';
import type { RunStats } from '../output/stats.ts';
import type { Machine } from './machine.ts';

/** The result of a poll, from good to bad. */
export type PollVerdict = 'complete' | 'incomplete' | 'refused';

/** The polls of one run. */
export interface Session {
  /** Polls what is due. */
  poll(): Promise<PollVerdict>;
  /** Polls the whole window, whatever is due. */
  pollAll(): Promise<PollVerdict>;
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

export function createSession({ machine, notes, stats, stopping }: SessionOptions): Session {
  const { aws, polling, source } = machine;
  const refusals = new Set<string>();
  const repeated = createRepeatedNotes(notes, stopping);
  const context: PollContext = {
    aws,
    sleep: async (milliseconds) => {
      await delay(milliseconds, undefined, { signal: stopping }).catch(() => {});
    },
    speed: source.clock?.speed ?? 1,
    onReport: (report) => stats.countReport(report),
  };
  const poll = async (changes: Partial<PollRequest>): Promise<PollVerdict> => {
    const result = await pollToTheEnd(polling.functionName, { ...polling.request, ...changes }, context);
    if (result.outcome === 'refused') for (const reason of result.report.reasons) refusals.add(reason);
    // The run reports a refusal once, at its end.
    if (result.outcome === 'complete' || result.outcome === 'refused') {
      repeated.forget('poll');
      return result.outcome;
    }
    repeated.say('poll', describeTrouble(result, aws.logFile));
    return 'incomplete';
  };
  return {
    refusals,
    poll: () => poll({}),
    pollAll: () => poll({ freshSince: Math.floor(readClock(source.clock)) }),
  };
}

function describeTrouble(result: PollResult, logFile: string): string {
  if (result.outcome === 'failed') return `${result.message.replaceAll(/\s+/g, ' ')}; its log is ${logFile}`;
  return `poll ${result.outcome}: ${result.report.reasons.join('; ')}`;
}

/** Invocations in a row without progress, after which a poll is left incomplete. */
const MAX_STALLED_INVOCATIONS = 2;
/** By the clock of the functions: a source that throttles is left alone, and a list that moved is read again after it. */
const STALLED_MS = 20_000;
/** The same: a run that was killed leaves a lease, which ends by itself within these. */
const LEASE_WAITS = 20;
const LEASE_WAIT_MS = 5_000;

/** The last report of a poll, or the error of its function. */
export type PollResult =
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
 * Polls until no slice remains, and all of them until each was read. A function that reaches its deadline, or that a
 * source throttles, reports the remaining slices and continues with them at the next invocation.
 */
export async function pollToTheEnd(
  functionName: string,
  request: PollRequest,
  context: PollContext,
): Promise<PollResult> {
  let best = Number.POSITIVE_INFINITY;
  let invocationsLeft = MAX_STALLED_INVOCATIONS;
  for (;;) {
    const report = await invokeOnceFree(functionName, request, context);
    if (report instanceof NotifierError) return { outcome: 'failed', message: report.message };
    context.onReport(report);
    const { remainingSlices, outcome } = report;
    const isStalled = remainingSlices === 0 || remainingSlices >= best;
    invocationsLeft = isStalled ? invocationsLeft - 1 : MAX_STALLED_INVOCATIONS;
    best = Math.min(best, remainingSlices);
    const isDone = outcome !== 'incomplete' || (remainingSlices === 0 && request.freshSince === undefined);
    if (isDone || invocationsLeft === 0 || isShutOut(report)) return { outcome, report };
    if (isStalled) await context.sleep(STALLED_MS / context.speed);
  }
}

/** Waits while a run that was killed holds the lease. */
async function invokeOnceFree(
  functionName: string,
  request: PollRequest,
  { aws, sleep, speed }: PollContext,
): Promise<PollReport | NotifierError> {
  for (let waits = 0; ; waits += 1) {
    const report = await invoke(aws, functionName, request);
    const isTaken = !(report instanceof NotifierError) && report.outcome === 'skipped';
    if (!isTaken || waits === LEASE_WAITS) return report;
    await sleep(LEASE_WAIT_MS / speed);
  }
}

/** A source that answers nothing but 429 is not waited for. */
function isShutOut({ counts: { requests, throttled } }: PollReport): boolean {
  return requests > 0 && requests === throttled;
}

async function invoke(aws: Pick<LocalAws, 'invoke'>, functionName: string, request: PollRequest) {
  try {
    return pollReportSchema.parse(await aws.invoke(functionName, request));
  } catch (error) {
    if (error instanceof NotifierError) return error;
    throw error;
  }
}
