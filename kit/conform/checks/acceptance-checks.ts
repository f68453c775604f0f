import { toEventType } from '../../../shared/core/event-types.ts';
import { createTimesheetLife } from '../event-maker.ts';
import { signed } from '../signing.ts';
import type { AnswerCheck } from './check.ts';
import type { CheckKit } from './check-kit.ts';

/** Within the tolerance of 300 s, with room for the time in transit. */
const STILL_GOOD_SECONDS = 240;
/** Close to the 256 KB limit of SNS and SQS. */
const LARGE_BYTES = 200 * 1024;
const BURST = 50;

type Accepted = Omit<AnswerCheck, 'kind' | 'expect'>;

/** Requests that a receiver must accept, beginning with an example of every type. */
export function buildAcceptanceChecks(kit: CheckKit): AnswerCheck[] {
  const checks: Accepted[] = [
    ...examples(kit),
    ...futureEvents(kit),
    ...unusualBodies(kit),
    ...severalSignatures(kit).map((check): Accepted => ({ ...check, mendsRefusal: true })),
    ...repeated(kit),
    ...histories(kit),
    {
      sent: `${BURST} events at once`,
      requests: Array.from({ length: BURST }, () =>
        signed(kit.events.example('timesheet.clocked_in'), kit.key),
      ),
      atOnce: true,
      mend: 'answer before processing: store the event, answer 2xx, then process it; a pay run produces thousands of events',
    },
  ];
  return checks.map((check) => ({ kind: 'answers', expect: 'accept', ...check }));
}

function examples({ types, events, key }: CheckKit): Accepted[] {
  return types.map((type) => ({
    sent: `an example of ${toEventType(type)}`,
    requests: [signed(events.example(type), key)],
    mend: 'answer 2xx to every type of event, also to those you do not use',
  }));
}

function futureEvents({ events, key }: CheckKit): Accepted[] {
  const type = 'workforce.timesheet.teleported';
  const dataschema = 'urn:workforce-change-notifier:schema:timesheet.teleported:1';
  const more = { event: { additional: { is: ['new'] } }, data: { additional: null } };
  return [
    {
      sent: 'an unknown type',
      requests: [signed(events.example('timesheet.changed', { event: { type, dataschema } }), key)],
      mend: 'answer 2xx to unknown types: new ones are added, and refused events are retried for days',
    },
    {
      sent: 'unknown fields',
      requests: [signed(events.example('timesheet.changed', more), key)],
      mend: 'ignore unknown fields: new ones are added, none is ever renamed or removed',
    },
  ];
}

function unusualBodies({ events, key }: CheckKit): Accepted[] {
  const body = events.example('timesheet.approved');
  const spaced = JSON.stringify(JSON.parse(body), null, 2).replace('workforce', '\\u0077orkforce');
  const foreign = { data: { note: 'Küche · 厨房 · 👩‍🍳' } };
  return [
    {
      sent: 'a body with different whitespace and escapes',
      requests: [signed(spaced, key, { id: (JSON.parse(body) as { id: string }).id })],
      mend: 'verify the raw bytes of the body: JSON that was parsed and serialized again has another signature',
      mendsRefusal: true,
    },
    {
      sent: 'characters beyond ASCII',
      requests: [signed(events.example('timesheet.changed', foreign), key)],
      mend: 'verify the raw bytes of the body, and decode them as UTF-8',
      mendsRefusal: true,
    },
    {
      sent: `a large event (${LARGE_BYTES / 1024} KB)`,
      requests: [
        signed(events.example('timesheet.changed', { data: { note: 'x'.repeat(LARGE_BYTES) } }), key),
      ],
      mend: 'accept bodies up to 256 KB; the default limit of many body parsers is 100 KB',
    },
    {
      sent: `a message signed ${STILL_GOOD_SECONDS / 60} minutes ago`,
      requests: [signed(events.example('timesheet.approved'), key, { ageSeconds: STILL_GOOD_SECONDS })],
      mend: 'allow 5 minutes between webhook-timestamp and your clock; if you do, correct the clock of this machine',
      mendsRefusal: true,
    },
  ];
}

function severalSignatures({ events, key, previousKey, foreignKey }: CheckKit): Accepted[] {
  const example = () => events.example('timesheet.approved');
  const another = (body: string) => (now: number) =>
    signed(body, foreignKey)(now).headers['webhook-signature'] ?? '';
  const beside = (place: 'before' | 'after') => {
    const body = example();
    return (now: number) => {
      const foreign = another(body)(now);
      const signature = (own: string) => (place === 'before' ? `${foreign} ${own}` : `${own} ${foreign}`);
      return signed(body, key, { signature })(now);
    };
  };
  const mend =
    'try every signature in webhook-signature: during a rotation there are two, separated by a space';
  const checks: Accepted[] = [
    { sent: 'two signatures, the second with your secret', requests: [beside('before')], mend },
    { sent: 'two signatures, the first with your secret', requests: [beside('after')], mend },
    {
      sent: 'a signature of another version next to yours',
      requests: [signed(example(), key, { signature: (own) => `v2,${own.slice('v1,'.length)} ${own}` })],
      mend: 'skip signatures of other versions than v1, and try the rest',
    },
  ];
  if (previousKey === null) return checks;
  const previous = 'accept both the new and the previous secret during a rotation';
  return [
    ...checks,
    {
      sent: 'a signature with the previous secret',
      requests: [signed(example(), previousKey)],
      mend: previous,
    },
  ];
}

function repeated({ events, key }: CheckKit): Accepted[] {
  const mend = 'answer 2xx to an event you already have and ignore it: every event can arrive more than once';
  const example = () => events.example('timesheet.approved');
  const [twice, again, atOnce, sentAgain] = [example(), example(), example(), example()];
  return [
    { sent: 'the same event twice is answered', requests: [signed(twice, key), signed(twice, key)], mend },
    {
      sent: 'the same event twice, signed again, is answered',
      requests: [signed(again, key, { ageSeconds: 60 }), signed(again, key)],
      mend,
    },
    {
      sent: 'the same event twice at once is answered',
      requests: [signed(atOnce, key), signed(atOnce, key)],
      atOnce: true,
      mend,
    },
    {
      sent: 'an event that was sent again (webhook-sent-again: true) is answered',
      requests: [
        signed(sentAgain, key),
        signed(sentAgain, key, { headers: { 'webhook-sent-again': 'true' } }),
        signed(example(), key, { headers: { 'webhook-sent-again': 'true' } }),
      ],
      mend: 'answer 2xx to events that are sent again; whether you act on those you already have is up to you',
    },
  ];
}

function histories({ events, key }: CheckKit): Accepted[] {
  const order =
    'answer 2xx in any order of events, and keep the state of the highest sequence; refused events only come back later';
  const [first, second, third, fourth] = createTimesheetLife(events.freshRecord(), events);
  const later = createTimesheetLife(events.freshRecord(), events).slice(2);
  const removed = events.freshRecord();
  return [
    {
      sent: 'the events of a record, reordered, are answered',
      requests: [third, first, fourth, second].map((body) => signed(body, key)),
      mend: order,
    },
    {
      sent: 'a record whose first events are missing, changed late and reversed, is answered',
      requests: later.map((body) => signed(body, key)),
      mend: order,
    },
    {
      sent: 'a record that is removed and created again is answered',
      requests: [
        events.ofRecord('timesheet.created', { record: removed, sequence: 1 }),
        events.ofRecord('timesheet.removed', { record: removed, sequence: 2 }),
        events.ofRecord('timesheet.created', { record: removed, sequence: 3 }),
      ].map((body) => signed(body, key)),
      mend: 'accept events after workforce.timesheet.removed: the record may be created again, and its sequence continues',
    },
  ];
}
