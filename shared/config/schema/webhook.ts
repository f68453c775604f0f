import { isIP } from 'node:net';
import * as z from 'zod';
import { secretNameSchema } from './secret-name.ts';
import { isPublicAddress } from './special-addresses.ts';
import {
  countCombinations,
  findCombinationIssues,
  findUnreachableTypeIssues,
  type SubscriptionIssue,
  subscriptionFilterSchema,
  subscriptionTopicsSchema,
} from './subscription.ts';

/** Ports that an endpoint may have unless the config allows others. */
const DEFAULT_ALLOWED_PORTS = [443, 8443];

const DEFAULT_PORT_BY_PROTOCOL: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 };
/** Names that stand for a host or its network, whatever a resolver says (RFC 6761, RFC 6762, RFC 8375). */
export const LOCAL_NAMES = /(?:^|\.)(?:localhost|local|localdomain|internal|home\.arpa)$/;
const TOPICS_COUNTED_TOGETHER = ['timesheets', 'clockings'] as const;

/** What an endpoint may be that one on the public internet is not. Each of these opens a way into your network. */
const allowanceSchema = z.strictObject({
  /** Addresses without TLS. */
  http: z.boolean().default(false),
  /** Addresses that are not public: private, loopback, link-local and the like. */
  privateAddresses: z.boolean().default(false),
  ports: z.array(z.int().min(1).max(65_535)).default(DEFAULT_ALLOWED_PORTS),
});

const webhookShape = z.strictObject({
  /** Part of the names of its queues and function. */
  name: z
    .string()
    .regex(
      /^[a-z][a-z0-9-]{0,30}$/,
      'a webhook name is a-z, 0-9 and -, begins with a letter, at most 31 long',
    ),
  url: z.url({
    protocol: /^https?$/,
    error: 'url is an https address, such as https://payroll.acme.example/hooks/workforce',
  }),
  /** Name of the secret: a signing secret (`whsec_...`), or `{"current": ..., "previous": ...}` while it rotates. */
  secretName: secretNameSchema({
    isMisplaced: (text) => text.startsWith('whsec_') || text.startsWith('{'),
    content: 'signing secret',
  }),
  topics: subscriptionTopicsSchema,
  filter: subscriptionFilterSchema.prefault({}),
  /** `record`: an event of a record is sent when the one before it was taken. `none`: as they come. */
  order: z.enum(['none', 'record']).default('none'),
  allow: allowanceSchema.prefault({}),
});
type WebhookShape = z.output<typeof webhookShape>;

/** An address of somebody else's that gets events, signed after the Standard Webhooks specification. */
export const webhookSchema = webhookShape.superRefine((webhook, context) => {
  const issues = [
    ...findUnreachableTypeIssues(webhook),
    ...findAddressIssues(webhook),
    ...findOrderIssues(webhook),
  ];
  for (const { path, message } of issues) context.addIssue({ code: 'custom', path: [...path], message });
});
export type Webhook = z.output<typeof webhookSchema>;

/** What would be refused at every attempt, and can be told now. Where a name leads to is only known then. */
function findAddressIssues({ url, allow }: WebhookShape): SubscriptionIssue[] {
  const address = URL.parse(url);
  // Its shape is an issue already.
  if (address === null) return [];
  const { protocol, port, username, password, hostname } = address;
  const number = port === '' ? DEFAULT_PORT_BY_PROTOCOL[protocol] : Number(port);
  const problems: readonly (readonly [boolean, string])[] = [
    [
      username !== '' || password !== '',
      'url has a user or a password in it; requests are signed, leave it out',
    ],
    [protocol === 'http:' && !allow.http, 'url is http; use https, or set allow.http to true'],
    [
      number !== undefined && !allow.ports.includes(number),
      `the port of url is ${number}; use one of ${allow.ports.join(', ')}, or name it in allow.ports`,
    ],
    [hostname.endsWith('.'), 'the host of url ends with a dot; leave the dot out'],
    [
      !isPublicHost(hostname) && !allow.privateAddresses,
      'the host of url is not public; use another, or set allow.privateAddresses to true',
    ],
  ];
  return problems.flatMap(([wrong, message]) => (wrong ? [{ path: ['url'], message }] : []));
}

function isPublicHost(hostname: string): boolean {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(literal) === 0 ? !LOCAL_NAMES.test(hostname) : isPublicAddress(literal);
}

/**
 * With an order, all events come and are filtered by the function, so that it can count them: those of a timesheet are
 * counted over two topics. Without one, SNS filters.
 */
function findOrderIssues(webhook: WebhookShape): SubscriptionIssue[] {
  if (webhook.order === 'none') return findCombinationIssues(countCombinations(webhook.filter));
  const [missing, ...others] = TOPICS_COUNTED_TOGETHER.filter((topic) => !webhook.topics.includes(topic));
  if (missing === undefined || others.length > 0) return [];
  const message = `order is "record", and events of a timesheet are counted over the topics ${TOPICS_COUNTED_TOGETHER.join(' and ')}; add ${missing}, and say in filter.type which events you want`;
  return [{ path: ['topics'], message }];
}
