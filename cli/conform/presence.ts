import type { Check } from './checks/check.ts';
import type { ReceiverAnswer } from './sender.ts';

/** Failures that say: nobody listens, or there is no such machine. */
const ABSENT = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENOTFOUND']);
const SILENT = new Set(['timeout', 'UND_ERR_CONNECT_TIMEOUT']);
/** So long one waits for a receiver that hangs: every check may take the 15 seconds of a delivery. */
const MAX_SILENT_CHECKS = 3;

/** Whether nobody is there to answer. */
export function isAbsent(answer: ReceiverAnswer): boolean {
  return answer.outcome === 'unanswered' && ABSENT.has(answer.reason);
}

/** Whether nothing came in time. */
export function isSilent(answer: ReceiverAnswer): boolean {
  return answer.outcome === 'unanswered' && SILENT.has(answer.reason);
}

/**
 * Told of one check after the other and its answers, says at which the receiver went away: where nobody listened any
 * more, or at the first of three in a row that it left without any answer. Null: it is there.
 */
export function createPresenceTracker(): (check: Check, answers: readonly ReceiverAnswer[]) => string | null {
  let silent: string[] = [];
  return ({ sent, atOnce }, answers) => {
    const last = answers.slice(atOnce === true ? 0 : -1);
    if (last.every(isAbsent)) return silent[0] ?? sent;
    silent = answers.every(isSilent) ? [...silent, sent] : [];
    return silent.length < MAX_SILENT_CHECKS ? null : (silent[0] ?? sent);
  };
}
