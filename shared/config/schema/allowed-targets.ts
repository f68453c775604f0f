import * as z from 'zod';

const DEFAULT_ALLOWED_PORTS = [443, 8443];

/** Names of the host or its network, whatever DNS says (RFC 6761, RFC 6762, RFC 8375). */
export const LOCAL_NAMES = /(?:^|\.)(?:localhost|local|localdomain|internal|home\.arpa)$/;

/** Exceptions for addresses that are not on the public internet. Each of them opens a way into your network. */
export const allowedTargetsSchema = z.strictObject({
  /** Addresses without TLS. */
  http: z.boolean().default(false),
  /** Addresses that are not public: private, loopback, link-local and the like. */
  privateAddresses: z.boolean().default(false),
  ports: z.array(z.int().min(1).max(65_535)).default(DEFAULT_ALLOWED_PORTS),
});
export type AllowedTargets = z.output<typeof allowedTargetsSchema>;
