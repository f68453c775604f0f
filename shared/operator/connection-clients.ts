import { createWorkforceApi, type WorkforceApi } from '#shared/adapters/workforce-api/api.ts';
import { createSourceAccess } from '#shared/adapters/workforce-api/source-access.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import type { Target } from './target.ts';

export type SourceContext = Pick<Target, 'readSecret' | 'system'>;

/**
 * A factory of clients for a source that share one token and one pace. Each is created with its deadline (ms since 1970).
 * Use them one after another.
 */
export function createConnectionClients(
  connection: Connection,
  { readSecret, system }: SourceContext,
): (deadline: number) => WorkforceApi {
  const open = createSourceAccess(connection, { readSecret: readSecret(connection.secretName), system });
  return (deadline) => createWorkforceApi(open(deadline));
}
