import { toEventType } from '#shared/core/event-types.ts';
import { createTimesheetLife } from '../event-maker.ts';
import { signed } from '../signing.ts';
import type { AnswerCheck } from './check.ts';
import type { CheckKit } from './check-kit.ts';

/** Seconds a message may be old, and a clock wrong, with room for the way: the bound is 300. */
const STILL_GOOD_SECONDS = 240;
/** Nearly the most that a queue of AWS takes. */
const LARGE_BYTES = 200 * 1024;
const BURST = 50;

type Accepted = Omit<AnswerCheck, 'kind' | 'expect'>;

/** All that a receiver must take, first the example of every type. */
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
      mend: 'answer before you work: store the event, answer 2xx, and go on afterwards; a pay run makes thousands',
    },
  ];
  return checks.map((check) => ({ kind: 'answers', expect: 'accept', ...check }));
}

function examples({ types, events, key }: CheckKit): Accepted[] {
  return types.map((type) => ({
    sent: `an example of ${toEventType(type)}`,
    requests: [signed(events.example(type), key)],
    mend: 'answer 2xx for every type of event, also for those you do nothing with',
  }));
}

function futureEvents({ events, key }: CheckKit): Accepted[] {
  const type = 'workforce.timesheet.teleported';
  const dataschema = 'urn:workforce-change-notifier:schema:timesheet.teleported:1';
  const more = { event: { additional: { is: ['new'] } }, data: { additional: null } };
  return [
    {
      sent: 'a type that is not known yet',
      requests: [signed(events.example('timesheet.changed', { event: { type, dataschema } }), key)],
      mend: 'answer 2xx for types you do not know: more of them are added, and what is refused comes back for days',
    },
    {
      sent: 'fields that are not known yet',
      requests: [signed(events.example('timesheet.changed', more), key)],
      mend: 'ignore fields you do not know: more of them are added, and never one renamed or removed',
    },
  ];
}

function unusualBodies({ events, key }: CheckKit): Accepted[] {
  const body = events.example('timesheet.approved');
  const spaced = JSON.stringify(JSON.parse(body), null, 2).replace('workforce', '\\u0077orkforce');
  const foreign = { data: { note: 'Küche · 厨房 · 👩‍🍳' } };
  return [
    {
      sent: 'a body with other spaces and escapes',
      requests: [signed(spaced, key, { id: (JSON.parse(body) as { id: string }).id })],
      mend: 'verify the bytes of the body as they came: JSON that was parsed and written again has another signature',
      mendsRefusal: true,
    },
    {
      sent: 'letters beyond ASCII',
      requests: [signed(events.example('timesheet.changed', foreign), key)],
      mend: 'verify the bytes of the body as they came, and read them as UTF-8',
      mendsRefusal: true,
    },
    {
      sent: `a large event (${LARGE_BYTES / 1024} KB)`,
      requests: [
        signed(events.example('timesheet.changed', { data: { note: 'x'.repeat(LARGE_BYTES) } }), key),
      ],
      mend: 'take bodies of up to 256 KB; the usual limit of a body parser is 100 KB',
    },
    {
      sent: `a message signed ${STILL_GOOD_SECONDS / 60} minutes ago`,
      requests: [signed(events.example('timesheet.approved'), key, { ageSeconds: STILL_GOOD_SECONDS })],
      mend: 'allow 5 minutes between webhook-timestamp and your clock; if you do, set the clock of this machine',
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
    'try every signature in webhook-signature: while a secret is replaced there are two, with a space between';
  const checks: Accepted[] = [
    { sent: 'two signatures, the second with your secret', requests: [beside('before')], mend },
    { sent: 'two signatures, the first with your secret', requests: [beside('after')], mend },
    {
      sent: 'a signature of another version beside yours',
      requests: [signed(example(), key, { signature: (own) => `v2,${own.slice('v1,'.length)} ${own}` })],
      mend: 'skip signatures whose version is not v1, and try the others',
    },
  ];
  if (previousKey === null) return checks;
  const previous = 'accept the new and the previous secret while one replaces the other';
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
  const mend =
    'answer 2xx to an event you have had already, and do nothing: every event can come more than once';
  const example = () => events.example('timesheet.approved');
  const [twice, again, atOnce, replayed] = [example(), example(), example(), example()];
  return [
    { sent: 'the same event twice is answered', requests: [signed(twice, key), signed(twice, key)], mend },
    {
      sent: 'the same event twice, signed anew, is answered',
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
      sent: 'an event that was replayed (webhook-replayed: true) is answered',
      requests: [
        signed(replayed, key),
        signed(replayed, key, { headers: { 'webhook-replayed': 'true' } }),
        signed(example(), key, { headers: { 'webhook-replayed': 'true' } }),
      ],
      mend: 'answer 2xx to replayed events; whether you act on those you have had is up to you',
    },
  ];
}

function histories({ events, key }: CheckKit): Accepted[] {
  const order =
    'answer 2xx in whatever order events come, and keep the state of the highest sequence; what is refused only comes later';
  const [first, second, third, fourth] = createTimesheetLife(events.freshRecord(), events);
  const midst = createTimesheetLife(events.freshRecord(), events).slice(2);
  const gone = events.freshRecord();
  return [
    {
      sent: 'the events of a record, reordered, are answered',
      requests: [third, first, fourth, second].map((body) => signed(body, key)),
      mend: order,
    },
    {
      sent: 'a record first heard of in the midst of its life, changed late and reversed, is answered',
      requests: midst.map((body) => signed(body, key)),
      mend: order,
    },
    {
      sent: 'a record that is removed and comes back is answered',
      requests: [
        events.ofRecord('timesheet.created', { record: gone, sequence: 1 }),
        events.ofRecord('timesheet.removed', { record: gone, sequence: 2 }),
        events.ofRecord('timesheet.created', { record: gone, sequence: 3 }),
      ].map((body) => signed(body, key)),
      mend: 'let a record come back: its sequence goes on after workforce.timesheet.removed',
    },
  ];
}
