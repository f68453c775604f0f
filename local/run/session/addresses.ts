import { LOCAL_ACCOUNT, LOCAL_REGION, toCredentials } from '#local/aws/template/local-account.ts';
import type { DeployedConfig } from '#shared/config/deployed-config.ts';
import { toEventQueueName } from '#shared/config/part-names.ts';
import type { Machine } from './machine.ts';

/** Where to look into a run: its console, and each queue that the stack creates with lines that receive from it. */
export function listAddresses(
  { aws: { endpoints }, config }: Pick<Machine, 'aws' | 'config'>,
  consoleAddress: string | null,
): string[] {
  const { accessKeyId, secretAccessKey } = toCredentials(endpoints);
  const { messaging } = endpoints;
  return [
    ...(consoleAddress === null ? [] : [`console  ${consoleAddress}`]),
    ...listQueues(config).map(({ name, queueName }) =>
      [
        `queue    ${name}, to receive from it:`,
        `  export AWS_ACCESS_KEY_ID=${accessKeyId}`,
        `  export AWS_SECRET_ACCESS_KEY=${secretAccessKey} AWS_DEFAULT_REGION=${LOCAL_REGION}`,
        `  aws sqs receive-message --endpoint-url ${messaging} \\`,
        `    --queue-url ${messaging}/${LOCAL_ACCOUNT}/${queueName}`,
      ].join('\n'),
    ),
  ];
}

function listQueues({ stackName, queues }: DeployedConfig) {
  return queues
    .filter(({ queueArn }) => queueArn === undefined)
    .map(({ name }) => ({ name, queueName: toEventQueueName(stackName, name) }));
}
