import { createTimesheetLife, LATER_EPOCH } from '../event-maker.ts';
import { type RequestFactory, type SigningKey, signed } from '../signing.ts';
import type { StateCheck } from './check.ts';
import type { CheckKit } from './check-kit.ts';

type State = Omit<StateCheck, 'kind'>;

const DEDUPE = 'remember event ids, or the last sequence of each record, and drop repeats';
const ORDER = 'apply an event only when its sequence is higher than the last one of its record';
const EPOCHS =
  'order the events of a record by epoch (as text), then by sequence: the first of a later epoch replaces everything before it';
const FORGED = 'verify the signature before anything else, even before remembering the id';

/** What a receiver must hold of a record whose events arrive repeated, reordered or forged. */
export function buildStateChecks(kit: CheckKit): StateCheck[] {
  const checks = [...buildOrderChecks(kit), buildEpochCheck(kit), ...buildForgeryChecks(kit)];
  return checks.map((check) => ({ kind: 'state', ...check }));
}

function buildOrderChecks({ events, key }: CheckKit): State[] {
  const after = (
    sent: string,
    mend: string,
    buildRequests: (life: readonly string[]) => readonly RequestFactory[],
  ): State => {
    const record = events.freshRecord();
    const life = createTimesheetLife(record, events);
    return { sent, record, sequence: life.length, requests: buildRequests(life), mend };
  };
  const own = (bodies: readonly string[]) => signAll(bodies, key);
  return [
    after('the events of a record in order', ORDER, own),
    after('every event of a record twice', DEDUPE, (life) => own(life.flatMap((body) => [body, body]))),
    after('all events of a record, then all of them again', DEDUPE, (life) => own([...life, ...life])),
    after('the events of a record in reverse', ORDER, (life) => own(life.toReversed())),
    after('the last event of a record first', ORDER, (life) =>
      own([...life.slice(-1), ...life.slice(0, -1)]),
    ),
    {
      ...after('all events of a record at once, twice', ORDER, (life) => own([...life, ...life])),
      atOnce: true,
    },
    after('an old event of a record, sent again', ORDER, (life) => [
      ...own(life),
      signed(life[0] ?? '', key, { headers: { 'webhook-sent-again': 'true' } }),
    ]),
  ];
}

function buildEpochCheck({ events, key }: CheckKit): State {
  const record = events.freshRecord();
  const firstOfLaterEpoch = events.ofRecord('timesheet.changed', { record, epoch: LATER_EPOCH, sequence: 1 });
  return {
    sent: 'the events of a record, then the first of a later epoch',
    record,
    sequence: 1,
    requests: signAll([...createTimesheetLife(record, events), firstOfLaterEpoch], key),
    mend: EPOCHS,
  };
}

function buildForgeryChecks({ events, key, foreignKey }: CheckKit): State[] {
  const create = (record: string) => events.ofRecord('timesheet.created', { record, sequence: 1 });
  const [forgedAfter, forgedBefore] = [events.freshRecord(), events.freshRecord()];
  const forged = events.ofRecord('timesheet.removed', { record: forgedAfter, sequence: 2 });
  const awaited = create(forgedBefore);
  return [
    {
      sent: 'an event of a record, then a forged one',
      record: forgedAfter,
      sequence: 1,
      requests: [signed(create(forgedAfter), key), signed(forged, foreignKey)],
      mend: FORGED,
    },
    {
      sent: 'an event with a forged signature, then with the right one',
      record: forgedBefore,
      sequence: 1,
      requests: [signed(awaited, foreignKey), signed(awaited, key)],
      mend: FORGED,
    },
  ];
}

function signAll(bodies: readonly string[], key: SigningKey): RequestFactory[] {
  return bodies.map((body) => signed(body, key));
}
