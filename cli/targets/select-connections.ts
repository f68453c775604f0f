import type { Connection } from '#shared/config/schema/connection.ts';
import { NotifierError } from '#shared/core/errors.ts';

/** The connection of a name, or all of them without one. Throws a `NotifierError` (`connection_unknown`). */
export function selectConnections(
  connections: readonly Connection[],
  name: string | undefined,
): readonly Connection[] {
  const found = connections.filter((connection) => name === undefined || connection.name === name);
  if (found.length > 0) return found;
  const names = connections.map((connection) => connection.name).join(', ');
  throw new NotifierError('connection_unknown', `there is no connection "${name}"; use one of ${names}`);
}
