import * as z from 'zod';
import { ENVIRONMENT } from '../names.ts';
import { type Alerting, alertingSchema } from '../schema/alerting.ts';
import { settingSchema } from './setting.ts';

const text = z.string().min(1);
const days = z.coerce.number().pipe(z.int().min(1));
const queueUrls = settingSchema(z.record(z.string(), z.string().min(1)));

const collectSchema = z.object({
  [ENVIRONMENT.tableName]: text,
  [ENVIRONMENT.alerting]: settingSchema(alertingSchema),
  [ENVIRONMENT.retentionDays]: days,
});

const releaseSchema = collectSchema.extend({
  [ENVIRONMENT.chatQueueUrls]: queueUrls,
  [ENVIRONMENT.alertsTopicArn]: text,
  [ENVIRONMENT.stackName]: text,
});

/** Settings of the function that collects alerts. */
export interface CollectEnvironment {
  readonly tableName: string;
  readonly alerting: Alerting;
  /** Days for which alerts are remembered. */
  readonly retentionDays: number;
}

/** Settings of the function that releases alerts. */
export interface ReleaseEnvironment extends CollectEnvironment {
  /** URLs of queues by the names of their channels. */
  readonly chatQueueUrls: Readonly<Record<string, string>>;
  readonly alertsTopicArn: string;
  readonly stackName: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads the environment of the function that collects alerts. Throws a ZodError that names what is missing. */
export function readCollectEnvironment(variables: Variables): CollectEnvironment {
  return toCollectEnvironment(collectSchema.parse(variables));
}

/** Reads the environment of the function that releases alerts. Throws a ZodError that names what is missing. */
export function readReleaseEnvironment(variables: Variables): ReleaseEnvironment {
  const read = releaseSchema.parse(variables);
  return {
    ...toCollectEnvironment(read),
    chatQueueUrls: read[ENVIRONMENT.chatQueueUrls],
    alertsTopicArn: read[ENVIRONMENT.alertsTopicArn],
    stackName: read[ENVIRONMENT.stackName],
  };
}

function toCollectEnvironment(read: z.output<typeof collectSchema>): CollectEnvironment {
  return {
    tableName: read[ENVIRONMENT.tableName],
    alerting: read[ENVIRONMENT.alerting],
    retentionDays: read[ENVIRONMENT.retentionDays],
  };
}
