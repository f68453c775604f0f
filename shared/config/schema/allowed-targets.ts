import * as z from 'zod';

/** Names of the host or its network, whatever DNS says (RFC 6761, RFC 6762, RFC 8375). */
export const LOCAL_NAMES = /(?:^|\.)(?:localhost|local|localdomain|internal|home\.arpa)$/;

/** Exceptions for addresses that are not on the public internet. Each of them opens a way into your network. */
export const allowedTargetsSchema = z.strictObject({
  /** Addresses without TLS. */
  http: z.boolean().default(false),
  /** Addresses that are not public: private, loopback, link-local and the like. */
  privateAddresses: z.boolean().default(false),
});
export type AllowedTargets = z.output<typeof allowedTargetsSchema>;
