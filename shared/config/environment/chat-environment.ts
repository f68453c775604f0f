import * as z from 'zod';
import { ENVIRONMENT } from '../names.ts';
import { settingSchema } from './setting.ts';

const text = z.string().min(1);

const slackSettingSchema = z.object({
  name: text,
  /** Name of the secret that holds the address of the incoming webhook. */
  secretName: text,
  /** Only set by the local run, whose receiver has no certificate. */
  allowHttp: z.boolean().default(false),
});
type SlackSetting = z.output<typeof slackSettingSchema>;

const environmentSchema = z.object({
  [ENVIRONMENT.tableName]: text,
  [ENVIRONMENT.channel]: settingSchema(slackSettingSchema),
  [ENVIRONMENT.deadLetterQueueUrl]: text,
  [ENVIRONMENT.retentionDays]: z.coerce.number().pipe(z.int().min(1)),
});

/** Settings of a function that delivers to a Slack channel. */
export interface ChatEnvironment {
  readonly tableName: string;
  readonly channel: SlackSetting;
  readonly deadLetterQueueUrl: string;
  readonly retentionDays: number;
}

/** Reads the environment of a function that delivers to Slack. Throws a ZodError that names what is missing. */
export function readChatEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
): ChatEnvironment {
  const read = environmentSchema.parse(variables);
  return {
    tableName: read[ENVIRONMENT.tableName],
    channel: read[ENVIRONMENT.channel],
    deadLetterQueueUrl: read[ENVIRONMENT.deadLetterQueueUrl],
    retentionDays: read[ENVIRONMENT.retentionDays],
  };
}
