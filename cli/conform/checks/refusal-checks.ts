import {
  BASE_HEADERS,
  type OutgoingRequest,
  type RequestFactory,
  type SigningOverrides,
  signed,
} from '../signing.ts';
import type { AnswerCheck, Expectation } from './check.ts';
import type { CheckKit } from './check-kit.ts';

/** Seconds beyond the bound of 300. */
const TOO_FAR_SECONDS = 360;
const SIGNATURE_BYTES = 32;

type Refused = Omit<AnswerCheck, 'kind' | 'expect'>;

const VERIFY =
  'verify the signature before anything else, with the Standard Webhooks library of your language';

/** All that a receiver must refuse, and what must not break it. */
export function buildRefusalChecks(kit: CheckKit): AnswerCheck[] {
  const refused = [
    ...missingHeaders(kit),
    ...badSignatures(kit),
    ...tampered(kit),
    ...wrongTimes(kit),
    ...empty(kit),
  ];
  return [
    ...refused.map((check) => toCheck('refuse', check)),
    ...otherMethods().map((check) => toCheck('survive', check)),
    toCheck('accept', {
      sent: 'a good event after all that',
      requests: [signed(kit.events.example('timesheet.approved'), kit.key)],
      mend: 'something that was refused before broke the receiver; look into its log',
      mendsRefusal: true,
    }),
  ];
}

function toCheck(expect: Expectation, check: Refused): AnswerCheck {
  return { kind: 'answers', expect, ...check };
}

function missingHeaders({ events, key }: CheckKit): Refused[] {
  const without = (names: readonly string[]): RequestFactory =>
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
    requests: [without(names)],
    mend: `refuse what has no ${names.join(', ')}; ${VERIFY}`,
  }));
}

function badSignatures({ events, key, foreignKey }: CheckKit): Refused[] {
  const withSignature = (signature: NonNullable<SigningOverrides['signature']>): RequestFactory =>
    signed(events.example('timesheet.approved'), key, { signature });
  const zeros = Buffer.alloc(SIGNATURE_BYTES).toString('base64');
  return [
    {
      sent: 'a signature of nothing but zeros',
      requests: [withSignature(() => `v1,${zeros}`)],
      mend: VERIFY,
    },
    { sent: 'a signature that is no base64', requests: [withSignature(() => 'v1,<script>')], mend: VERIFY },
    { sent: 'an empty signature', requests: [withSignature(() => 'v1,')], mend: VERIFY },
    {
      sent: 'half of the right signature',
      requests: [withSignature((own) => own.slice(0, 20))],
      mend: VERIFY,
    },
    {
      sent: 'the right signature under another version',
      requests: [withSignature((own) => `v2,${own.slice('v1,'.length)}`)],
      mend: 'count only signatures of version v1',
    },
    {
      sent: 'a signature with another secret',
      requests: [signed(events.example('timesheet.approved'), foreignKey)],
      mend: 'verify with the secret of this webhook, and with no other one',
    },
  ];
}

function tampered({ events, key }: CheckKit): Refused[] {
  const changed = (tamper: (message: OutgoingRequest) => OutgoingRequest): RequestFactory =>
    signed(events.example('timesheet.approved'), key, { tamper });
  const header =
    (name: string, change: (value: string) => string) =>
    (message: OutgoingRequest): OutgoingRequest => ({
      ...message,
      headers: { ...message.headers, [name]: change(message.headers[name] ?? '') },
    });
  const mend =
    'verify id, timestamp and body together: `{webhook-id}.{webhook-timestamp}.{body}` is what is signed';
  return [
    {
      sent: 'a body that was changed after it was signed',
      requests: [
        changed((message) => ({ ...message, body: message.body.replace('"sequence":', '"sequence":1') })),
      ],
      mend,
    },
    {
      sent: 'an id that was changed after it was signed',
      requests: [changed(header('webhook-id', (id) => `${id}0`))],
      mend,
    },
    {
      sent: 'a timestamp that was changed after it was signed',
      requests: [changed(header('webhook-timestamp', (seconds) => String(Number(seconds) - 1)))],
      mend,
    },
  ];
}

function wrongTimes({ events, key }: CheckKit): Refused[] {
  const request = (unusual: SigningOverrides): RequestFactory =>
    signed(events.example('timesheet.approved'), key, unusual);
  const minutes = TOO_FAR_SECONDS / 60;
  const mend =
    'refuse a webhook-timestamp that is more than 5 minutes from now: whoever recorded a message could send it again';
  return [
    {
      sent: `a message signed ${minutes} minutes ago`,
      requests: [request({ ageSeconds: TOO_FAR_SECONDS })],
      mend,
    },
    {
      sent: `a message signed ${minutes} minutes ahead`,
      requests: [request({ ageSeconds: -TOO_FAR_SECONDS })],
      mend,
    },
    {
      sent: 'a timestamp that is no number',
      requests: [request({ timestamp: 'yesterday' })],
      mend: 'refuse a webhook-timestamp that is no number of seconds',
    },
  ];
}

function empty({ events, key }: CheckKit): Refused[] {
  const mend = 'refuse an empty body: there is always an event in it';
  const { method, headers } = { method: 'POST', headers: BASE_HEADERS } as const;
  const id = events.freshRecord();
  return [
    { sent: 'an empty body', requests: [() => ({ method, headers, body: '' })], mend },
    { sent: 'an empty body, signed', requests: [signed('', key, { id })], mend },
  ];
}

function otherMethods(): Refused[] {
  return (['GET', 'HEAD'] as const).map((method) => ({
    sent: `a ${method}`,
    requests: [() => ({ method, headers: {}, body: '' })],
    mend: 'answer 405 to what is no POST; somebody will look at the address with a browser',
  }));
}
