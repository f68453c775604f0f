import { NotifierError } from '../../shared/core/errors.ts';
import { buildAcceptanceChecks } from './checks/acceptance-checks.ts';
import type { Check, StateCheck } from './checks/check.ts';
import type { CheckKit } from './checks/check-kit.ts';
import { buildStateChecks } from './checks/record-state-checks.ts';
import { buildRefusalChecks } from './checks/refusal-checks.ts';
import { type CheckVerdict, isRefusal, type Judged, judge } from './judge.ts';
import { createPresenceTracker } from './presence.ts';
import type { Probe, ProbedState } from './probe.ts';
import type { ReceiverAnswer, Send } from './sender.ts';

/** Failures of a receiver that exists; any other means it cannot be reached: no port, no name, no TLS. */
const BROKEN_CONNECTION_CODES = new Set(['timeout', 'ECONNRESET', 'UND_ERR_SOCKET']);

export interface CheckRun {
  /** For error messages. */
  readonly url: string;
  readonly kit: CheckKit;
  readonly send: Send;
  /** Null when the receiver does not report its state. */
  readonly probe: Probe | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Runs all checks against a receiver, one after another. Skips the rest once the receiver went away, and checks of its
 * state without a probe. Throws `NotifierError` `receiver_unreachable` or `probe_unreachable` when nothing answers
 * before the first check.
 */
export async function* runChecks(options: CheckRun): AsyncGenerator<CheckVerdict, void> {
  const greeting = await options.send({ method: 'HEAD', headers: {}, body: '' });
  if (greeting.outcome === 'unanswered' && !BROKEN_CONNECTION_CODES.has(greeting.reason)) {
    throw new NotifierError(
      'receiver_unreachable',
      `nothing answers at ${options.url} (${greeting.reason}); start your receiver, or correct the address`,
    );
  }
  const { kit, probe } = options;
  const failure = (await probe?.findFailure()) ?? null;
  if (failure !== null) {
    throw new NotifierError(
      'probe_unreachable',
      `${failure}; pass with --probe the address where your receiver reports its state, or omit --probe`,
    );
  }
  const wentAwayAfter = createPresenceTracker();
  let wentAwayAt: string | null = null;
  for (const check of [...buildAcceptanceChecks(kit), ...buildRefusalChecks(kit), ...buildStateChecks(kit)]) {
    const { kind, sent } = check;
    if (kind === 'state' && probe === null) yield { outcome: 'skipped', sent, wentAwayAt: null };
    else if (wentAwayAt !== null) yield { outcome: 'skipped', sent, wentAwayAt };
    else {
      const answers = await sendRequests(check, options);
      yield await judgeCheck(check, answers, options);
      wentAwayAt = wentAwayAfter(check, answers);
    }
  }
}

/** Stops at the first unanswered request: it decides the check, and the others would wait as long. */
async function sendRequests({ requests, atOnce }: Check, { send, now }: CheckRun): Promise<ReceiverAnswer[]> {
  if (atOnce === true) return await Promise.all(requests.map((createRequest) => send(createRequest(now()))));
  const answers: ReceiverAnswer[] = [];
  for (const createRequest of requests) {
    const answer = await send(createRequest(now()));
    answers.push(answer);
    if (answer.outcome === 'unanswered') break;
  }
  return answers;
}

async function judgeCheck(check: Check, answers: ReceiverAnswer[], options: CheckRun): Promise<Judged> {
  if (check.kind === 'answers') return judge(check, check.expect, answers);
  // A receiver that refuses every message holds no state: explain the refusal instead.
  if (answers.every(isRefusal)) return judge(check, 'accept', answers);
  const unanswered = answers.filter(({ outcome }) => outcome === 'unanswered');
  return unanswered.length > 0 ? judge(check, 'accept', unanswered) : await judgeState(check, options);
}

async function judgeState(check: StateCheck, { probe }: CheckRun): Promise<Judged> {
  const { sent, record, sequence, mend } = check;
  const held: ProbedState = (await probe?.readHeld(record, sequence)) ?? {
    outcome: 'unreadable',
    reason: 'no probe',
  };
  const expected = `sequence ${sequence} of record ${record}`;
  if (held.outcome === 'unreadable') {
    const how =
      'the probe must answer with a JSON object: by record id, the sequence of the last applied event';
    return { outcome: 'wrong', sent, answered: held.reason, expected, mend: how };
  }
  const answered = held.sequence === null ? 'no state of the record' : `sequence ${held.sequence}`;
  return held.sequence === sequence
    ? { outcome: 'ok', sent, answered, expected, mend: null }
    : { outcome: 'wrong', sent, answered, expected, mend };
}
