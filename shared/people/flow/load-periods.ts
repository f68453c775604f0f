import { readState } from '#shared/core/snapshot/stored-state.ts';
import { type RecordStore, walkRows } from '#shared/flow/stored-records.ts';

/** By which people know a pay period. The dates are `YYYY-MM-DD`. */
interface DatedPeriod {
  readonly calendar: string;
  readonly startDate: string;
  readonly finishDate: string;
}

export interface PeriodReader {
  /** Those of these ids that are stored. */
  load(connection: string, ids: readonly string[]): Promise<ReadonlyMap<string, DatedPeriod>>;
}

/** Reads them from the rows of pay periods. Throws what the store throws. */
export function createPeriodReader(store: RecordStore): PeriodReader {
  return {
    async load(connection, ids) {
      const periods = new Map<string, DatedPeriod>();
      for await (const { rows } of walkRows(connection, { feed: 'pay-periods', ids }, store))
        for (const row of rows) {
          const { calendar, startDate, finishDate } = readState('pay-periods', row) ?? {};
          if (typeof startDate === 'string' && typeof finishDate === 'string')
            periods.set(row.id, { calendar: String(calendar ?? ''), startDate, finishDate });
        }
      return periods;
    },
  };
}
