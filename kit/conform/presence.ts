import type { Check } from './checks/check.ts';
import type { ReceiverAnswer } from './sender.ts';

/** Failures that mean: nothing listens, or there is no such host. */
const ABSENT = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENOTFOUND']);
const SILENT = new Set(['timeout', 'UND_ERR_CONNECT_TIMEOUT']);
/** Unanswered checks in a row before a receiver counts as gone: each takes up to the 15 s of a delivery. */
const MAX_SILENT_CHECKS = 3;

/** Whether nothing listens. */
export function isAbsent(answer: ReceiverAnswer): boolean {
  return answer.outcome === 'unanswered' && ABSENT.has(answer.reason);
}

/** Whether no answer came in time. */
export function isSilent(answer: ReceiverAnswer): boolean {
  return answer.outcome === 'unanswered' && SILENT.has(answer.reason);
}

/**
 * Call the function with each check and its answers. It returns `sent` of the check during which the receiver went
 * away: where nothing listened any more, or the first of three unanswered ones in a row. Null while it is there.
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
