import { setTimeout as delay } from 'node:timers/promises';
import type { PollRequest } from '#shared/config/requests/poll-request.ts';
import { createRepeatedNotes, type Notes } from '../output/notes.ts';
import type { RunStats } from '../output/stats.ts';
import type { Machine } from './machine.ts';
import { type FeedResult, type PollContext, pollFeed } from './poll-feed.ts';
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
  const poll = async ({ name }: PollFunction, scope: PollRequest['scope']) => {
    const request = buildPollRequest(polling.connection, scope, polling.summaries);
    return judge(name, await pollFeed(name, request, { ...context, onReport }));
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
      // A closing is told once the other feed has read its dates.
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
