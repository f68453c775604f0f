import * as z from 'zod';
import { ENVIRONMENT } from '../names.ts';
import { type Webhook, webhookSchema } from '../schema/webhook.ts';
import { settingSchema } from './setting.ts';

const text = z.string().min(1);

const environmentSchema = z.object({
  [ENVIRONMENT.tableName]: text,
  [ENVIRONMENT.webhook]: settingSchema(webhookSchema),
  [ENVIRONMENT.queueUrl]: text,
  [ENVIRONMENT.deadLetterQueueUrl]: text,
  [ENVIRONMENT.topicArns.operations]: text,
  [ENVIRONMENT.retentionDays]: z.coerce.number().pipe(z.int().min(1)),
});

/** Settings of a function that delivers to a webhook. */
export interface WebhookEnvironment {
  readonly tableName: string;
  readonly webhook: Webhook;
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
  readonly operationsTopicArn: string;
  readonly retentionDays: number;
}

/** Reads the environment of a function that delivers to a webhook. Throws a ZodError that names what is missing. */
export function readWebhookEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
): WebhookEnvironment {
  const read = environmentSchema.parse(variables);
  return {
    tableName: read[ENVIRONMENT.tableName],
    webhook: read[ENVIRONMENT.webhook],
    queueUrl: read[ENVIRONMENT.queueUrl],
    deadLetterQueueUrl: read[ENVIRONMENT.deadLetterQueueUrl],
    operationsTopicArn: read[ENVIRONMENT.topicArns.operations],
    retentionDays: read[ENVIRONMENT.retentionDays],
  };
}
