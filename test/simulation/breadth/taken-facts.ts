import type { Random } from '../random.ts';
import { MINUTE_MS, type Settings } from '../settings.ts';

/** A fault of the source: most timesheets of a date lose a fact at once. */
export interface TakenFact {
  readonly field: string;
  /** The date; by default the first day of the history. */
  readonly date?: string;
  /** Timesheets of the date, all with the fact from the start. */
  readonly records: number;
  readonly at: number;
  /** Whether all of them lose it, or three of four. */
  readonly isFromAll: boolean;
  /** When those that lost it have it again; null: never. */
  readonly backAt: number | null;
}

const FIELDS = ['clockIn', 'clockOut', 'approvedHours', 'approvedPayroll', 'processed'] as const;
/** Three of four are still at least ten. */
const RECORDS = [14, 20] as const;

/** Before a poll or while it reads, in some histories for less time than two polls are apart. */
export function drawTakenFact({ ticks, quietFrom }: Settings, random: Random): TakenFact {
  const at = random.pick(ticks.slice(1)) + random.between(-MINUTE_MS, 1_500);
  const backAt = random.chance(0.3) ? at + random.between(1, 10) * (MINUTE_MS / 2) : null;
  return {
    field: random.pick(FIELDS),
    records: random.between(...RECORDS),
    at,
    isFromAll: random.chance(0.5),
    backAt: backAt === null || backAt >= quietFrom ? null : backAt,
  };
}
