import { createTimesheetLife, LATER_EPOCH } from '../event-maker.ts';
import { type RequestFactory, signed } from '../signing.ts';
import type { StateCheck } from './check.ts';
import type { CheckKit } from './check-kit.ts';

type State = Omit<StateCheck, 'kind'>;

const DEDUPE = 'remember the ids of events, or the last sequence of each record, and drop what you have had';
const ORDER = 'apply an event only when its sequence is higher than the last one of its record';
const EPOCHS =
  'order the events of a record by epoch (as text), then by sequence: the first of a later epoch replaces all before it';
const FORGED = 'do nothing with a message before its signature is verified, not even remember its id';

/** What a receiver must hold of a record after its events came as they do on a bad day. */
export function buildStateChecks({ events, key, foreignKey }: CheckKit): StateCheck[] {
  const after = (
    sent: string,
    mend: string,
    buildRequests: (life: readonly string[]) => readonly RequestFactory[],
  ): State => {
    const record = events.freshRecord();
    const life = createTimesheetLife(record, events);
    return { sent, record, sequence: life.length, requests: buildRequests(life), mend };
  };
  const own = (bodies: readonly string[]) => bodies.map((body) => signed(body, key));
  const [forgedOn, forgedBefore, begunAnew] = [
    events.freshRecord(),
    events.freshRecord(),
    events.freshRecord(),
  ];
  const anew = events.ofRecord('timesheet.changed', { record: begunAnew, epoch: LATER_EPOCH, sequence: 1 });
  const created = events.ofRecord('timesheet.created', { record: forgedOn, sequence: 1 });
  const forged = events.ofRecord('timesheet.removed', { record: forgedOn, sequence: 2 });
  const awaited = events.ofRecord('timesheet.created', { record: forgedBefore, sequence: 1 });
  const checks: State[] = [
    after('the events of a record in their order', ORDER, own),
    after('every event of a record twice', DEDUPE, (life) => own(life.flatMap((body) => [body, body]))),
    after('all events of a record, and then all again', DEDUPE, (life) => own([...life, ...life])),
    after('the events of a record in reverse', ORDER, (life) => own(life.toReversed())),
    after('the last event of a record first', ORDER, (life) =>
      own([...life.slice(-1), ...life.slice(0, -1)]),
    ),
    {
      ...after('all events of a record at once, twice', ORDER, (life) => own([...life, ...life])),
      atOnce: true,
    },
    after('an old event of a record, replayed', ORDER, (life) => [
      ...own(life),
      signed(life[0] ?? '', key, { headers: { 'webhook-replayed': 'true' } }),
    ]),
    {
      sent: 'the events of a record, and the first of a later epoch',
      record: begunAnew,
      sequence: 1,
      requests: own([...createTimesheetLife(begunAnew, events), anew]),
      mend: EPOCHS,
    },
    {
      sent: 'an event of a record, and a forged one after it',
      record: forgedOn,
      sequence: 1,
      requests: [signed(created, key), signed(forged, foreignKey)],
      mend: FORGED,
    },
    {
      sent: 'an event with a forged signature, and then with the right one',
      record: forgedBefore,
      sequence: 1,
      requests: [signed(awaited, foreignKey), signed(awaited, key)],
      mend: FORGED,
    },
  ];
  return checks.map((check) => ({ kind: 'state', ...check }));
}
