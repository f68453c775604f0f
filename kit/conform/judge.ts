import type { Check, Expectation } from './checks/check.ts';
import { isAbsent, isSilent } from './presence.ts';
import type { ReceiverAnswer } from './sender.ts';

/** The result of one check. */
export type CheckVerdict = Judged | Skipped;

/** The result of a check that was run. */
export interface Judged {
  /** `slow`: correct, but close to the timeout. */
  readonly outcome: 'ok' | 'slow' | 'wrong';
  readonly sent: string;
  readonly answered: string;
  readonly expected: string;
  /** How to fix it; null when there is nothing to fix. */
  readonly mend: string | null;
}

/** A check that was not run: there is no probe, or the receiver went away during an earlier one. */
interface Skipped {
  readonly outcome: 'skipped';
  readonly sent: string;
  /** `sent` of the check during which the receiver went away; null when the probe is missing. */
  readonly wentAwayAt: string | null;
}

/** Slower answers are reported: after 15 s a delivery counts as unanswered and is retried. */
const SLOW_MS = 5_000;
const GONE = 410;

const EXPECTED: Readonly<Record<Expectation, string>> = {
  accept: '2xx',
  refuse: '4xx, but not 410',
  survive: 'any status below 500, but not 410',
};
const SLOW = 'answer before processing: store the event, answer 2xx, then process it';
const BREAKS = 'the connection broke: look for an uncaught error in the log of the receiver';
const STOPPED = 'nothing listens there any more: see in the log of the receiver what stopped it';
const REFUSES =
  'a valid signature was refused: compare the secret with that of your receiver, verify the raw bytes of the body, and check the clock of its machine';
const DISABLES = 'do not answer 410 unless you want no more events: it disables the webhook';
const REDIRECTS =
  'answer at exactly the configured address: redirects are not followed; a proxy or a missing slash may cause them';

/** Whether the receiver refused the signature. */
export function isRefusal(answer: ReceiverAnswer): boolean {
  return answer.outcome === 'answered' && (answer.status === 401 || answer.status === 403);
}

/** Judges the answers of a check by the first wrong one, or else by the slowest. */
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

/** Faster than any answer. */
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
