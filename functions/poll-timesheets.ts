import { SQSClient } from '@aws-sdk/client-sqs';
import { createDelayedSender } from '#shared/adapters/sqs/sender.ts';
import { readEnvironment, textSchema } from '#shared/config/environment.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import type { StartLater } from '#shared/flow/start-follow-up.ts';
import { SQS_CLIENT_OPTIONS } from './parts/client-options.ts';
import { entry } from './parts/compose.ts';
import { createPollHandler } from './parts/poll-handler.ts';

/** Polls the timesheets of the connection in the request, and starts its own follow-ups by messages to its queue. */
export const handler = entry((variables) =>
  createPollHandler('timesheets', variables, { startLater: createFollowUps(variables) }),
);

const FOLLOW_UP_ENVIRONMENT = { queueUrl: [ENVIRONMENT.followUpQueueUrl, textSchema.optional()] } as const;

/** Undefined where the config wants none. */
function createFollowUps(variables: NodeJS.ProcessEnv): StartLater | undefined {
  const { queueUrl } = readEnvironment(FOLLOW_UP_ENVIRONMENT, variables);
  return queueUrl === undefined
    ? undefined
    : createDelayedSender(new SQSClient(SQS_CLIENT_OPTIONS), queueUrl);
}
