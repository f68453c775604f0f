import type { History } from '../history.ts';
import { Journal, type Publication } from '../journal.ts';
import { Evidence } from './evidence.ts';
import { readPublications } from './publications.ts';
import { judgeTroubles } from './troubles.ts';

/**
 * Checks events of operations after a restore or a new installation: each of the two tables has its own history, which
 * they share until the backup.
 */
export function judgeRenewedTroubles(evidence: Evidence): void {
  const { renewal } = evidence.history.settings;
  if (renewal === null) return;
  const { journal } = evidence.history;
  const backupAt = renewal.backupAt ?? Number.NEGATIVE_INFINITY;
  const isLater = ({ poll }: { readonly poll: number }) =>
    (evidence.poll(poll)?.startedAt ?? 0) >= renewal.at;
  const shared = new Set(journal.committed.filter((each) => each.at <= backupAt).map(({ text }) => text));
  const own = new Set(journal.committed.filter(isLater).map(({ text }) => text));
  const kept = journal.told.filter(({ text }) => shared.has(text) || own.has(text));
  const second = new Evidence(withPublications(evidence.history, kept));
  readPublications(second);
  judgeTroubles(second);
  for (const { check, text } of second.violations) {
    if (text.includes(' operations: ')) evidence.violate('after the renewal', text, check);
  }
}

function withPublications(history: History, publications: Publication[]): History {
  const journal = Object.assign(new Journal(), history.journal, { publications, lost: [] });
  return { ...history, journal };
}
