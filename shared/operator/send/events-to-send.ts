import { buildSnapshotEvent } from '#shared/core/events/snapshot-events.ts';
import {
  findSharing,
  findTimesheetPeriods,
  type MemberAnswers,
  type PeriodFinder,
} from '#shared/core/periods/members.ts';
import type { EventLog } from '#shared/flow/event-log.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import {
  loadPeriods,
  type RecordSelection,
  type RecordStore,
  walkRows,
} from '#shared/flow/stored-records.ts';
import type { Interest } from '#shared/systems/filter.ts';
import { type SelectedEvent, selectEvents } from '#shared/systems/selection.ts';
import type { LogQuery } from '../log-query.ts';

/** What a receiver gets of the log, in the order of the commits, byte for byte as it was published. */
export async function* readLogged(
  { connection, types, record, ...stretch }: LogQuery,
  log: EventLog,
  interest: Interest | undefined,
): AsyncGenerator<SelectedEvent, void> {
  for await (const { texts } of log.read(connection.name, stretch))
    yield* selectEvents(texts, { types, record, interest });
}

export type StateStore = RecordStore & Pick<Store, 'loadAnswers'>;

/** The state of stored records, as a receiver gets it. What changes meanwhile reaches it as an event of its own. */
export async function* readStates(
  connection: string,
  {
    select,
    interest,
  }: { readonly select: readonly RecordSelection[]; readonly interest?: Interest | undefined },
  store: StateStore,
): AsyncGenerator<SelectedEvent, void> {
  const findPeriods = await learnPeriods(connection, store);
  for (const selection of select)
    for await (const { rows } of walkRows(connection, selection, store)) {
      const feed = { connection, feed: selection.feed };
      const texts = rows.flatMap((row) => buildSnapshotEvent(feed, row, findPeriods) ?? []);
      yield* selectEvents(texts, { interest });
    }
}

/** The pay periods of timesheets, as far as they are known. */
async function learnPeriods(connection: string, store: StateStore): Promise<PeriodFinder> {
  const periods = await loadPeriods(connection, store);
  if (periods === null) return () => null;
  const answers = new Map<string, MemberAnswers>();
  for (const period of periods) {
    if (findSharing(period, periods).length > 0)
      answers.set(period.id, await store.loadAnswers(connection, period.id));
  }
  return (timesheet) => findTimesheetPeriods(timesheet, { periods, answers });
}
