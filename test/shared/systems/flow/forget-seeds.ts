import { toEvents } from '#shared/core/events/events.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import {
  createChange,
  createEventContext,
  EPOCH,
  NOW,
  storedRow,
  textOf,
  timesheet,
} from '#test/support/builders.ts';
import { seedStore } from '#test/support/seeded-store.ts';

/** The person to forget. */
export const CANARY = '99077713_7';
export const NAME = 'Quill Canary';
/** Of the person: two stored timesheets, one that is removed, and one that somebody else has by now. */
export const KEPT = ['9001_7', '9002_7'];
export const REMOVED = '9003_7';
export const GIVEN = '9004_7';
/** Of somebody else. */
export const OTHERS = ['1001_7', '1002_7'];

/** What polls have left: events of five timesheets, three of which are stored under the person, and the directory. */
export async function seedPerson(store: Store): Promise<void> {
  const own = (id: string) => timesheet({ id, employeeId: CANARY });
  const removed = createChange(own(REMOVED), null, { row: { sequence: 1 } });
  const given = createChange(own(GIVEN), timesheet({ id: GIVEN }), { row: { sequence: 1 } });
  const changes = [
    ...KEPT.map((id) => createChange(null, own(id))),
    createChange(null, own(REMOVED)),
    removed,
    given,
    ...OTHERS.map((id) => createChange(null, timesheet({ id }))),
  ];
  const texts = changes.flatMap(
    (change) => toEvents(change, createEventContext(undefined, { clock: EPOCH })).texts,
  );
  const bad = { since: NOW, count: 2, ids: [CANARY, '3001_7'], cause: 'name' };
  const trouble = { kind: 'records_unreadable', feed: 'employees', about: [CANARY], since: NOW } as const;
  await seedStore(store, {
    slices: [
      { slice: '2026-03-05', rows: [...KEPT.map((id) => sheet(id, CANARY)), sheet(GIVEN, '2001_7')] },
      { slice: '2026-03-06', rows: OTHERS.map((id) => sheet(id, '2001_7')) },
      { feed: 'employees', rows: [person(CANARY, NAME), person('2001_7', 'Ana Lee')], head: { bad } },
      { feed: 'departments', rows: [department('501_7', CANARY), department('502_7', '2001_7')] },
    ],
    log: [{ topic: 'timesheets', texts }],
    state: { troubles: [{ ...trouble, subject: 'all' }] },
  });
}

export function sheet(id: string, employeeId: string): StoredRow {
  return storedRow(timesheet({ id, employeeId }), { sequence: 1 });
}

function person(id: string, name: string): StoredRow {
  const [firstNames, lastName] = name.split(' ');
  const text = textOf({ id, firstNames, lastName, contractedHours: [] }, 'employees');
  return { id, epoch: EPOCH, sequence: 0, sent: {}, text };
}

function department(id: string, manager: string): StoredRow {
  return { id, epoch: EPOCH, sequence: 0, sent: {}, text: textOf({ id, name: id, manager }, 'departments') };
}
