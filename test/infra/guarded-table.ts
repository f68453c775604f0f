import { type DynamoDBClient, DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import type { EmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { findGrant, listTableAccesses } from '#workshop/deployed/permissions.ts';
import type { Statement } from './synthesized.ts';

/** A client with the permissions of a role; anything else is `AccessDenied` before it is sent. */
export function createGuardedClient(
  dynamo: EmbeddedDynamo,
  permissions: readonly Statement[],
): DynamoDBClient {
  const onAnyTable = permissions.map((statement) => ({ ...statement, Resource: '*' }));
  const { endpoint, region, credentials } = dynamo.client.config;
  const client = createDynamoClient({ ...(endpoint === undefined ? {} : { endpoint }), region, credentials });
  client.middlewareStack.add(
    (next, context) => (args) => {
      const name = String(context.commandName).replace(/Command$/, '');
      const denied = listTableAccesses(name, args.input as Readonly<Record<string, unknown>>).filter(
        (access) => findGrant(access, onAnyTable) === undefined,
      );
      if (denied.length === 0) return next(args);
      throw new DynamoDBServiceException({
        name: 'AccessDeniedException',
        $fault: 'client',
        $metadata: { httpStatusCode: 400 },
        message: denied.map((it) => `${it.action} ${it.partitions}`).join(', '),
      });
    },
    { step: 'initialize' },
  );
  return client;
}
