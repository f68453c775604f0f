import { comparePositions } from '#shared/core/events/event-order.ts';
import type { Evidence } from './evidence.ts';

/** The log dates a commit later than any with events that may still wait, and clocks are apart. */
const LATER_MS = 70_000;

const IS_OF_RECORD = /^workforce\.(?:timesheet|pay_period)\./;

interface Position {
  readonly epoch: string;
  readonly sequence: number;
}

/** What is sent again is what was told, byte for byte: all of it, and that of each record in its order. */
export function judgeSentAgain(evidence: Evidence): void {
  const { journal, settings, breadth } = evidence.history;
  if (journal.sentAgain === null || evidence.isUncertain) return;
  judgeOrder(journal.sentAgain.texts, evidence);
  // A restored table, and a log that forgets, have less.
  if (settings.renewal !== null || breadth.retentionDays !== null) return;
  const { texts, to, place } = journal.sentAgain;
  const sent = new Set(texts);
  const early = new Set(journal.committed.filter(({ at }) => at < to - LATER_MS).map(({ text }) => text));
  const left = journal.reportedBefore(place).find(({ text }) => early.has(text) && !sent.has(text));
  if (left !== undefined) evidence.violate('sending again', `left out ${left.text.slice(0, 120)}`, 'lost');
}

function judgeOrder(texts: readonly string[], evidence: Evidence): void {
  const { journal } = evidence.history;
  const known = new Set([...journal.committed, ...journal.told].map(({ text }) => text));
  const last = new Map<string, Position>();
  for (const text of texts) {
    const { source, subject, type, epoch, sequence } = JSON.parse(text) as Position & Record<string, string>;
    const about = `${source} ${subject ?? ''}`;
    if (!known.has(text))
      evidence.violate(about, `${type} ${sequence} was sent again, and never told like that`);
    // Operations that are about a record have a sequence of their own.
    if (subject == null || !IS_OF_RECORD.test(type ?? '')) continue;
    const before = last.get(about);
    if (before !== undefined && comparePositions(before, { epoch, sequence }) >= 0)
      evidence.violate(about, `${sequence} was sent again after ${before.sequence}`);
    last.set(about, { epoch, sequence });
  }
}
