import { NotifierError } from '#shared/core/errors.ts';
import { buildAcceptanceChecks } from './checks/acceptance-checks.ts';
import type { Check, StateCheck } from './checks/check.ts';
import type { CheckKit } from './checks/check-kit.ts';
import { buildStateChecks } from './checks/record-state-checks.ts';
import { buildRefusalChecks } from './checks/refusal-checks.ts';
import { type CheckVerdict, isRefusal, type Judged, judge } from './judge.ts';
import { createPresenceTracker } from './presence.ts';
import type { Probe, ProbedState } from './probe.ts';
import type { ReceiverAnswer, Send } from './sender.ts';

/** Failures of a receiver that is there; all others mean that nobody can be reached: no port, no name, no TLS. */
const BROKEN_CONNECTION_CODES = new Set(['timeout', 'ECONNRESET', 'UND_ERR_SOCKET']);

export interface ConformOptions {
  /** For messages. */
  readonly url: string;
  readonly kit: CheckKit;
  readonly send: Send;
  /** Null: the receiver does not tell what it holds. */
  readonly probe: Probe | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Sends a receiver everything it will meet, one check after another, and says of each how it went. Once the receiver
 * went away, the others are skipped; so are those of its state without a probe. Throws `NotifierError`
 * `receiver_unreachable` when nothing answers at all, and `probe_unreachable` when nothing does where the probe is.
 */
export async function* conform(options: ConformOptions): AsyncGenerator<CheckVerdict, void> {
  const greeting = await options.send({ method: 'HEAD', headers: {}, body: '' });
  if (greeting.outcome === 'unanswered' && !BROKEN_CONNECTION_CODES.has(greeting.reason)) {
    throw new NotifierError(
      'receiver_unreachable',
      `nothing answers at ${options.url} (${greeting.reason}); start your receiver, and give the address at which it listens`,
    );
  }
  const { kit, probe } = options;
  const absence = (await probe?.absence()) ?? null;
  if (absence !== null) {
    throw new NotifierError(
      'probe_unreachable',
      `${absence}; give with --probe the address where your receiver tells what it holds, or leave it out`,
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

/** One that gets no answer is the last: it decides, and the others would wait as long. */
async function sendRequests(
  { requests, atOnce }: Check,
  { send, now }: ConformOptions,
): Promise<ReceiverAnswer[]> {
  if (atOnce === true) return await Promise.all(requests.map((createRequest) => send(createRequest(now()))));
  const answers: ReceiverAnswer[] = [];
  for (const createRequest of requests) {
    const answer = await send(createRequest(now()));
    answers.push(answer);
    if (answer.outcome === 'unanswered') break;
  }
  return answers;
}

async function judgeCheck(check: Check, answers: ReceiverAnswer[], options: ConformOptions): Promise<Judged> {
  if (check.kind === 'answers') return judge(check, check.expect, answers);
  // Who takes no message holds nothing, and is told how to take them.
  if (answers.every(isRefusal)) return judge(check, 'accept', answers);
  const unanswered = answers.filter(({ outcome }) => outcome === 'unanswered');
  return unanswered.length > 0 ? judge(check, 'accept', unanswered) : await judgeState(check, options);
}

async function judgeState(check: StateCheck, { probe }: ConformOptions): Promise<Judged> {
  const { sent, record, sequence, mend } = check;
  const held: ProbedState = (await probe?.held(record, sequence)) ?? {
    outcome: 'untold',
    reason: 'no probe',
  };
  const expected = `sequence ${sequence} of record ${record}`;
  if (held.outcome === 'untold') {
    const how =
      'let the probe answer a JSON object: by the id of each record the sequence of the event applied last';
    return { outcome: 'wrong', sent, answered: held.reason, expected, mend: how };
  }
  const answered = held.sequence === null ? 'nothing of the record' : `sequence ${held.sequence}`;
  return held.sequence === sequence
    ? { outcome: 'ok', sent, answered, expected, mend: null }
    : { outcome: 'wrong', sent, answered, expected, mend };
}
