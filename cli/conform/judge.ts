import type { Check, Expectation } from './checks/check.ts';
import { isAbsent, isSilent } from './presence.ts';
import type { ReceiverAnswer } from './sender.ts';

/** What came of one check. */
export type CheckVerdict = Judged | Skipped;

/** What one check found out. */
export interface Judged {
  /** `slow`: right, but so late that it is near to counting as no answer. */
  readonly outcome: 'ok' | 'slow' | 'wrong';
  readonly sent: string;
  readonly answered: string;
  readonly expected: string;
  /** Null when there is nothing to mend. */
  readonly mend: string | null;
}

/** A check that was not run: there is no probe to ask, or the receiver went away at an earlier one. */
interface Skipped {
  readonly outcome: 'skipped';
  readonly sent: string;
  /** What the check was sent at which the receiver went away; null when a probe is missing. */
  readonly wentAwayAt: string | null;
}

/** Beyond this a receiver is warned: at 15 s a delivery counts as not answered, and is tried again. */
const SLOW_MS = 5_000;
const GONE = 410;

const EXPECTED: Readonly<Record<Expectation, string>> = {
  accept: '2xx',
  refuse: '4xx, but not 410',
  survive: 'any status below 500, but not 410',
};
const SLOW = 'answer before you work: store the event, answer 2xx, and go on afterwards';
const BREAKS = 'the connection broke: look into the log of the receiver for an error that nothing caught';
const STOPPED = 'nobody listens there any more: look into the log of the receiver for what stopped it';
const REFUSES =
  'it refuses a good signature: compare the secret with that of your receiver, verify the raw bytes of the body, and look at the clock of its machine';
const DISABLES = 'never answer 410 unless you want no more events at all: it disables the webhook';
const REDIRECTS =
  'answer at the very address that is configured: redirects are not followed, a proxy or a missing slash makes them';

/** Whether it says that the message is not from whom it should be. */
export function isRefusal(answer: ReceiverAnswer): boolean {
  return answer.outcome === 'answered' && (answer.status === 401 || answer.status === 403);
}

/** Judges the answers to what a check sent: the first that is wrong counts, or else the slowest. */
export function judge(
  { sent, mend, mendsRefusal }: Pick<Check, 'sent' | 'mend' | 'mendsRefusal'>,
  expect: Expectation,
  answers: readonly ReceiverAnswer[],
): Judged {
  const expected = EXPECTED[expect];
  const wrong = answers.find((answer) => !isAsExpected(answer, expect));
  if (wrong !== undefined) {
    const refused = expect === 'accept' && mendsRefusal !== true && isRefusal(wrong);
    const mending = refused ? REFUSES : findMend(wrong, mend);
    return { outcome: 'wrong', sent, answered: describeAnswer(wrong), expected, mend: mending };
  }
  const slowest = answers.reduce((a, b) => (b.durationMs > a.durationMs ? b : a), NO_ANSWER);
  const slow = slowest.durationMs > SLOW_MS;
  return {
    outcome: slow ? 'slow' : 'ok',
    sent,
    answered: describeAnswer(slowest),
    expected: slow ? `${expected} within ${SLOW_MS / 1000} s` : expected,
    mend: slow ? SLOW : null,
  };
}

/** Below every answer, so that one of those given is the slowest. */
const NO_ANSWER: ReceiverAnswer = { outcome: 'unanswered', reason: 'nothing was sent', durationMs: -1 };

function isAsExpected(answer: ReceiverAnswer, expect: Expectation): boolean {
  if (answer.outcome === 'unanswered' || answer.status === GONE) return false;
  const { status } = answer;
  switch (expect) {
    case 'accept':
      return status >= 200 && status < 300;
    case 'refuse':
      return status >= 400 && status < 500;
    case 'survive':
      return status < 500;
  }
}

function findMend(answer: ReceiverAnswer, mend: string): string {
  if (isAbsent(answer)) return STOPPED;
  if (isSilent(answer)) return SLOW;
  if (answer.outcome === 'unanswered') return BREAKS;
  if (answer.status === GONE) return DISABLES;
  return answer.status >= 300 && answer.status < 400 ? REDIRECTS : mend;
}

function describeAnswer(answer: ReceiverAnswer): string {
  const duration = `${Math.round(answer.durationMs)} ms`;
  if (answer.outcome === 'answered') return `${answer.status} in ${duration}`;
  if (answer.reason === 'timeout') return `nothing within ${duration}`;
  return `nothing (${answer.reason} after ${duration})`;
}
