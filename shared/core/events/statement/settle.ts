import type { PayPeriodHint } from '../../records/pay-period.ts';
import type { StatementMemory } from '../../snapshot/statement-memory.ts';
import type { CloseManifest } from '../close-manifest.ts';
import type { Statement } from './statement.ts';

const DAY_MS = 86_400_000;
/** Longer than from one payday to the next: what is not processed by then is no longer waited for. */
const MAX_WAITING_MS = 35 * DAY_MS;

type SettledBy = NonNullable<Statement['settledBy']>;

/** A pay period that is closed and awaits its final statement. */
export interface AwaitedPeriod {
  readonly id: string;
  readonly calendar: string;
  readonly finishDate: string;
  readonly memory: StatementMemory;
}

/** Why a period is settled whatever of it is processed; null when it is not. `now`: milliseconds since 1970. */
export function findDeadline(
  { id, calendar, finishDate, memory }: AwaitedPeriod,
  periods: readonly PayPeriodHint[],
  now: number,
): Exclude<SettledBy, 'processed'> | null {
  const isNext = (other: PayPeriodHint) =>
    other.id !== id && other.calendar === calendar && other.startDate > finishDate && other.closed;
  if (periods.some(isNext)) return 'next_closing';
  return now - memory.closedAt >= MAX_WAITING_MS ? 'age' : null;
}

/** Whether a count shows that nothing is left to process. */
export function isProcessed({ complete, members, unprocessed }: CloseManifest): boolean {
  return complete && members !== 'partly' && unprocessed === 0;
}
