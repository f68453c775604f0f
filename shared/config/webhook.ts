import * as z from 'zod';
import { subscriptionFilterSchema, subscriptionTopicsSchema } from './subscription.ts';

/** Ports that an endpoint may have unless the config allows others. */
const USUAL_PORTS = [443, 8443];

/** What an endpoint may be that one on the public internet is not. Each of these opens a way into your network. */
const allowanceSchema = z.strictObject({
  /** Addresses without TLS. */
  http: z.boolean().default(false),
  /** Addresses that are not public: private, loopback, link-local and the like. */
  privateAddresses: z.boolean().default(false),
  ports: z.array(z.int().min(1).max(65_535)).default(USUAL_PORTS),
});

/** An address of somebody else's that gets events, signed after the Standard Webhooks specification. */
export const webhookSchema = z.strictObject({
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
  secretName: z.string().min(1),
  topics: subscriptionTopicsSchema,
  filter: subscriptionFilterSchema.prefault({}),
  /** `record`: an event of a record is sent when the one before it was taken. `none`: as they come. */
  order: z.enum(['none', 'record']).default('none'),
  allow: allowanceSchema.prefault({}),
});
export type Webhook = z.output<typeof webhookSchema>;
