import type { AnswerCheck, Expectation } from './checks.ts';
import type { Kit } from './kit.ts';
import { ENVELOPE, type Outgoing, type Shot, signed, type Unusual } from './signing.ts';

/** Seconds beyond the bound of 300. */
const TOO_FAR_SECONDS = 360;
const SIGNATURE_BYTES = 32;

type Refused = Omit<AnswerCheck, 'kind' | 'expect'>;

const VERIFY =
  'verify the signature before anything else, with the Standard Webhooks library of your language';

/** All that a receiver must refuse, and what must not break it. */
export function refusingChecks(kit: Kit): AnswerCheck[] {
  const refused = [
    ...missingHeaders(kit),
    ...badSignatures(kit),
    ...tampered(kit),
    ...wrongTimes(kit),
    ...empty(kit),
  ];
  return [
    ...refused.map((check) => asCheck('refuse', check)),
    ...otherMethods().map((check) => asCheck('survive', check)),
    asCheck('accept', {
      sent: 'a good event after all that',
      shots: [signed(kit.events.example('timesheet.approved'), kit.key)],
      mend: 'something that was refused before broke the receiver; look into its log',
      mendsRefusal: true,
    }),
  ];
}

function asCheck(expect: Expectation, check: Refused): AnswerCheck {
  return { kind: 'answers', expect, ...check };
}

function missingHeaders({ events, key }: Kit): Refused[] {
  const without = (names: readonly string[]): Shot =>
    signed(events.example('timesheet.approved'), key, {
      tamper: (message) => ({
        ...message,
        headers: Object.fromEntries(
          Object.entries(message.headers).filter(([name]) => !names.includes(name)),
        ),
      }),
    });
  const all = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  return [...all.map((name) => [name]), all].map((names) => ({
    sent: names.length === 1 ? `no header ${names[0]}` : 'no header of webhooks at all',
    shots: [without(names)],
    mend: `refuse what has no ${names.join(', ')}; ${VERIFY}`,
  }));
}

function badSignatures({ events, key, foreignKey }: Kit): Refused[] {
  const withSignature = (signature: NonNullable<Unusual['signature']>): Shot =>
    signed(events.example('timesheet.approved'), key, { signature });
  const zeros = Buffer.alloc(SIGNATURE_BYTES).toString('base64');
  return [
    { sent: 'a signature of nothing but zeros', shots: [withSignature(() => `v1,${zeros}`)], mend: VERIFY },
    { sent: 'a signature that is no base64', shots: [withSignature(() => 'v1,<script>')], mend: VERIFY },
    { sent: 'an empty signature', shots: [withSignature(() => 'v1,')], mend: VERIFY },
    { sent: 'half of the right signature', shots: [withSignature((own) => own.slice(0, 20))], mend: VERIFY },
    {
      sent: 'the right signature under another version',
      shots: [withSignature((own) => `v2,${own.slice('v1,'.length)}`)],
      mend: 'count only signatures of version v1',
    },
    {
      sent: 'a signature with another secret',
      shots: [signed(events.example('timesheet.approved'), foreignKey)],
      mend: 'verify with the secret of this webhook, and with no other one',
    },
  ];
}

function tampered({ events, key }: Kit): Refused[] {
  const changed = (tamper: (message: Outgoing) => Outgoing): Shot =>
    signed(events.example('timesheet.approved'), key, { tamper });
  const header =
    (name: string, change: (value: string) => string) =>
    (message: Outgoing): Outgoing => ({
      ...message,
      headers: { ...message.headers, [name]: change(message.headers[name] ?? '') },
    });
  const mend =
    'verify id, timestamp and body together: `{webhook-id}.{webhook-timestamp}.{body}` is what is signed';
  return [
    {
      sent: 'a body that was changed after it was signed',
      shots: [
        changed((message) => ({ ...message, body: message.body.replace('"sequence":', '"sequence":1') })),
      ],
      mend,
    },
    {
      sent: 'an id that was changed after it was signed',
      shots: [changed(header('webhook-id', (id) => `${id}0`))],
      mend,
    },
    {
      sent: 'a timestamp that was changed after it was signed',
      shots: [changed(header('webhook-timestamp', (seconds) => String(Number(seconds) - 1)))],
      mend,
    },
  ];
}

function wrongTimes({ events, key }: Kit): Refused[] {
  const shot = (unusual: Unusual): Shot => signed(events.example('timesheet.approved'), key, unusual);
  const minutes = TOO_FAR_SECONDS / 60;
  const mend =
    'refuse a webhook-timestamp that is more than 5 minutes from now: whoever recorded a message could send it again';
  return [
    { sent: `a message signed ${minutes} minutes ago`, shots: [shot({ ageSeconds: TOO_FAR_SECONDS })], mend },
    {
      sent: `a message signed ${minutes} minutes ahead`,
      shots: [shot({ ageSeconds: -TOO_FAR_SECONDS })],
      mend,
    },
    {
      sent: 'a timestamp that is no number',
      shots: [shot({ timestamp: 'yesterday' })],
      mend: 'refuse a webhook-timestamp that is no number of seconds',
    },
  ];
}

function empty({ events, key }: Kit): Refused[] {
  const mend = 'refuse an empty body: there is always an event in it';
  const { method, headers } = { method: 'POST', headers: ENVELOPE } as const;
  const id = events.freshRecord();
  return [
    { sent: 'an empty body', shots: [() => ({ method, headers, body: '' })], mend },
    { sent: 'an empty body, signed', shots: [signed('', key, { id })], mend },
  ];
}

function otherMethods(): Refused[] {
  return (['GET', 'HEAD'] as const).map((method) => ({
    sent: `a ${method}`,
    shots: [() => ({ method, headers: {}, body: '' })],
    mend: 'answer 405 to what is no POST; somebody will look at the address with a browser',
  }));
}
