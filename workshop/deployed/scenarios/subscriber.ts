import { type FoldState, fold } from '#kit/fold.ts';
import type { RecordEvent } from '#kit/workforce-event.ts';
import type { World } from '../world/world.ts';
import { parseEvent } from './expectations.ts';
import { describeRecord, NO_RECORD, type RecordState } from './record-state.ts';

/** States of records, by the `partitionkey` of their events. */
type States = ReadonlyMap<string, RecordState>;

/** What a subscriber knows that folded every event. */
export function foldEvents(texts: readonly string[]): States {
  const states = new Map<string, FoldState>();
  for (const text of texts.filter((each) => parseEvent(each).subject !== '')) {
    const event = JSON.parse(text) as RecordEvent;
    states.set(event.partitionkey, fold(states.get(event.partitionkey) ?? null, event).state);
  }
  return new Map([...states].map(([key, { current }]) => [key, describeRecord(current)] as const));
}

/** What the sources of some connections say now. */
export function readSources(world: World, connections: readonly string[]): States {
  return new Map(
    connections.flatMap((connection) => {
      const { company } = world.sourceOf(connection);
      const toEntries = (feed: string, records: readonly { readonly id: string }[]) =>
        records.map(
          (record) => [`/connections/${connection}/${feed}/${record.id}`, describeRecord(record)] as const,
        );
      return [
        ...toEntries('timesheets', company.timesheets()),
        ...toEntries('pay-periods', company.payPeriods()),
        ...toEntries(
          'employees',
          company.staff.map(({ employee }) => employee),
        ),
        ...toEntries(
          'departments',
          company.premises.workplaces.map(({ department }) => department),
        ),
      ];
    }),
  );
}

/** Keys of the records of which something is not the same. */
export function findChanged(before: States, after: States): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((key) => differs(key, before, after));
}

/** Throws when a subscriber knows another state of one of these records than its source. */
export function checkKnown(keys: readonly string[], known: States, sources: States): void {
  const wrong = keys.filter((key) => differs(key, known, sources));
  const [first = ''] = wrong;
  if (wrong.length === 0) return;
  const [knows, is] = [known, sources].map((states) => JSON.stringify(states.get(first) ?? NO_RECORD));
  throw new Error(
    `${wrong.length} of ${keys.length} records are not known as they are: ${first}, ${knows}, ${is}`,
  );
}

function differs(key: string, one: States, other: States): boolean {
  const [a, b] = [one, other].map((states) => JSON.stringify(states.get(key) ?? NO_RECORD));
  return a !== b;
}
