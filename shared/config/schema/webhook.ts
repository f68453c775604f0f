import { isIP } from 'node:net';
import * as z from 'zod';
import { allowedTargetsSchema, LOCAL_NAMES } from './allowed-targets.ts';
import type { ConfigIssue } from './config-issues.ts';
import {
  countCombinations,
  eventFilterSchema,
  findCombinationIssues,
  findUnreachableTypeIssues,
  topicsSchema,
} from './event-filter.ts';
import { secretNameSchema } from './secret-name.ts';
import { isPublicAddress } from './special-addresses.ts';

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
  topics: topicsSchema,
  filter: eventFilterSchema.prefault({}),
  /** Nothing is sent, and everything waits in its queue: for 14 days, the longest that SQS keeps a message. */
  paused: z.boolean().default(false),
  allow: allowedTargetsSchema.prefault({}),
  headers: z
    .undefined(
      'headers go into the secret, beside the signing secret, as {"current": ..., "headers": {...}}, and not into the config',
    )
    .optional(),
});
type WebhookShape = z.output<typeof webhookShape>;

/** An endpoint that gets events, signed after the Standard Webhooks specification. */
export const webhookSchema = webhookShape.superRefine((webhook, context) => {
  const issues = [
    ...findUnreachableTypeIssues(webhook),
    ...findAddressIssues(webhook),
    ...findCombinationIssues(countCombinations(webhook.filter)),
  ];
  for (const { path, message } of issues) context.addIssue({ code: 'custom', path: [...path], message });
});
export type Webhook = z.output<typeof webhookSchema>;

/** Finds addresses that every attempt would refuse. What a name resolves to is only checked then. */
function findAddressIssues({ url, allow }: WebhookShape): ConfigIssue[] {
  const address = URL.parse(url);
  // Reported as an issue of the shape already.
  if (address === null) return [];
  const { protocol, username, password, hostname } = address;
  const problems: readonly (readonly [boolean, string])[] = [
    [
      username !== '' || password !== '',
      'url contains a user or a password; requests are signed, so leave it out',
    ],
    [protocol === 'http:' && !allow.http, 'url is http; use https, or set allow.http to true'],
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
