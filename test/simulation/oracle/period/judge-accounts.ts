import { computeWindow, listDates } from '#shared/core/dates.ts';
import { listSheets } from '../../world/books.ts';
import type { Evidence } from '../evidence.ts';
import { listAccounts, type ToldAccount } from './accounts.ts';
import { judgeChanges } from './changes.ts';
import { judgeFigures } from './figures.ts';
import { judgeMoment } from './moments.ts';

/**
 * Whatever is told of what a pay period comes to is what the books had at some instant between its looks and its commit, or
 * a reserve names what explains the difference. Returns how many accounts were judged.
 */
export function judgeAccounts(evidence: Evidence): number {
  if (evidence.isUncertain) return 0;
  const told = listAccounts(evidence);
  for (const each of told) {
    judgeMoment(evidence, each);
    if (each.account === null) continue;
    judgeFigures(evidence, each, each.account);
    judgeChanges(evidence, each, each.account);
  }
  judgeSettlements(evidence, told);
  return told.filter(({ account }) => account !== null).length;
}

/** What is all processed when everything is quiet is settled in the end. */
function judgeSettlements(evidence: Evidence, told: readonly ToldAccount[]): void {
  const { world, end, settings } = evidence.history;
  const { connection, quietFrom, renewal, redeployed, feeds } = settings;
  if (renewal !== null || redeployed !== null || !feeds.includes('pay-periods')) return;
  const { from, to } = computeWindow(quietFrom, connection.timeZone, connection.window);
  for (const record of world.truth['pay-periods'].values()) {
    const period = record.latest;
    const last = told.findLast(({ event, moment }) => event.subject === record.id && moment !== 'due');
    const isClosed = last?.moment === 'closed' || last?.moment === 'recounted';
    if (period?.closed == null || !isClosed || last.event.epoch !== latestEpoch(evidence, record.id))
      continue;
    const range = { from: String(period.startDate), to: String(period.finishDate) };
    // Dates at the ends of the window may leave it.
    if (range.from <= from || range.to >= to) continue;
    const isRead = listDates(range).every((date) =>
      end.heads.some(
        ({ feed, slice, baselinedAt }) => feed === 'timesheets' && slice === date && baselinedAt !== null,
      ),
    );
    const sheets = listSheets(world.books, record.id, quietFrom);
    const isProcessed = sheets.every(({ processed }) => processed !== null);
    // Of whom the source says another thing than before its closing, nobody asks again for long.
    const isMoving = world.books.changes.size > 0 || world.books.places.size > 0;
    if (isRead && isProcessed && !isMoving && sheets.length > 0)
      evidence.violate(`pay-periods ${record.id}`, 'lost: all of it is processed, and it is not settled');
  }
}

function latestEpoch(evidence: Evidence, id: string): string | undefined {
  return evidence.stories['pay-periods'].get(id)?.at(-1)?.epoch;
}
