import { type Connection, connectionSchema } from '#shared/config/schema/connection.ts';

/** A connection in UTC; its address is replaced where a source answers behind a socket. */
export function createBenchConnection(
  settings: { readonly baseUrl?: string; readonly window?: Connection['window'] } = {},
): Connection {
  return connectionSchema.parse({
    name: 'bench',
    baseUrl: 'https://workforce.example.com',
    timeZone: 'UTC',
    secretName: 'none',
    ...settings,
  });
}
