import * as z from 'zod';
import { ENVIRONMENT } from '../names.ts';
import { CHAT_KINDS } from '../schema/chat-kind.ts';
import { settingSchema } from './setting.ts';

const text = z.string().min(1);

const chatSettingSchema = z.object({
  kind: z.enum(CHAT_KINDS),
  name: text,
  /** Name of the secret that holds the address to post to. */
  secretName: text,
  /** Id of a Slack channel that a bot posts to; the secret then holds its token. */
  channelId: text.optional(),
  /** Only set by the local run: where its stand-in of Slack answers. */
  apiUrl: z.url().optional(),
  /** Only set by the local run, whose receiver has no certificate. */
  allowHttp: z.boolean().default(false),
});
type ChatSetting = z.output<typeof chatSettingSchema>;

const environmentSchema = z.object({
  [ENVIRONMENT.tableName]: text,
  [ENVIRONMENT.channel]: settingSchema(chatSettingSchema),
  [ENVIRONMENT.deadLetterQueueUrl]: text,
  [ENVIRONMENT.retentionDays]: z.coerce.number().pipe(z.int().min(1)),
});

/** Settings of a function that delivers to a channel of Slack or Teams. */
export interface ChatEnvironment {
  readonly tableName: string;
  readonly channel: ChatSetting;
  readonly deadLetterQueueUrl: string;
  readonly retentionDays: number;
}

/** Reads the environment of a function that delivers to Slack or Teams. Throws a ZodError that names what is missing. */
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
