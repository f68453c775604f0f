import {
  BASE_HEADERS,
  type OutgoingRequest,
  type RequestFactory,
  type SigningOverrides,
  signed,
} from '../signing.ts';
import type { AnswerCheck, Expectation } from './check.ts';
import type { CheckKit } from './check-kit.ts';

/** Beyond the tolerance of 300 s. */
const TOO_FAR_SECONDS = 360;
const SIGNATURE_BYTES = 32;

type Refused = Omit<AnswerCheck, 'kind' | 'expect'>;

const VERIFY =
  'verify the signature before anything else, with the Standard Webhooks library of your language';

/** Requests that a receiver must refuse, and requests that must not break it. */
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
      sent: 'a valid event after all that',
      requests: [signed(kit.events.example('timesheet.approved'), kit.key)],
      mend: 'an earlier request broke the receiver; see its log',
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
    sent: names.length === 1 ? `no header ${names[0]}` : 'no webhook header at all',
    requests: [without(names)],
    mend: `refuse requests without ${names.join(', ')}; ${VERIFY}`,
  }));
}

function badSignatures({ events, key, foreignKey }: CheckKit): Refused[] {
  const withSignature = (signature: NonNullable<SigningOverrides['signature']>): RequestFactory =>
    signed(events.example('timesheet.approved'), key, { signature });
  const zeros = Buffer.alloc(SIGNATURE_BYTES).toString('base64');
  return [
    {
      sent: 'a signature of zeros',
      requests: [withSignature(() => `v1,${zeros}`)],
      mend: VERIFY,
    },
    { sent: 'a signature that is not base64', requests: [withSignature(() => 'v1,<script>')], mend: VERIFY },
    { sent: 'an empty signature', requests: [withSignature(() => 'v1,')], mend: VERIFY },
    {
      sent: 'half of the right signature',
      requests: [withSignature((own) => own.slice(0, 20))],
      mend: VERIFY,
    },
    {
      sent: 'the right signature under another version',
      requests: [withSignature((own) => `v2,${own.slice('v1,'.length)}`)],
      mend: 'accept only signatures of version v1',
    },
    {
      sent: 'a signature with another secret',
      requests: [signed(events.example('timesheet.approved'), foreignKey)],
      mend: 'verify with the secret of this webhook only',
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
    'verify id, timestamp and body together: the signature is over `{webhook-id}.{webhook-timestamp}.{body}`';
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
    'refuse a webhook-timestamp more than 5 minutes from now: otherwise a recorded message can be sent again';
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
      sent: 'a timestamp that is not a number',
      requests: [request({ timestamp: 'yesterday' })],
      mend: 'refuse a webhook-timestamp that is not a number of seconds',
    },
  ];
}

function empty({ events, key }: CheckKit): Refused[] {
  const mend = 'refuse an empty body: a webhook always carries an event';
  const id = events.freshRecord();
  return [
    { sent: 'an empty body', requests: [() => ({ method: 'POST', headers: BASE_HEADERS, body: '' })], mend },
    { sent: 'an empty body, signed', requests: [signed('', key, { id })], mend },
  ];
}

function otherMethods(): Refused[] {
  return (['GET', 'HEAD'] as const).map((method) => ({
    sent: `a ${method}`,
    requests: [() => ({ method, headers: {}, body: '' })],
    mend: 'answer 405 to any method but POST; somebody will open the address in a browser',
  }));
}
