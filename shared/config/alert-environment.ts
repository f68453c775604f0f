import * as z from 'zod';
import { type Alerting, alertingSchema } from './alerting.ts';
import { ENVIRONMENT } from './names.ts';
import { readSetting } from './setting.ts';

const text = z.string().min(1);
const days = z.coerce.number().pipe(z.int().min(1));
const alerting = text.transform(settingOf).pipe(alertingSchema);
const queueUrls = text
  .transform((value, context) => parsed(() => JSON.parse(value), context))
  .pipe(z.record(z.string(), z.string().min(1)));

const collectSchema = z.object({
  [ENVIRONMENT.tableName]: text,
  [ENVIRONMENT.alerting]: alerting,
  [ENVIRONMENT.retentionDays]: days,
});

const releaseSchema = collectSchema.extend({
  [ENVIRONMENT.slackQueueUrls]: queueUrls,
  [ENVIRONMENT.alertsTopicArn]: text,
  [ENVIRONMENT.stackName]: text,
});

/** What the template tells the function that collects alerts. */
export interface CollectEnvironment {
  readonly tableName: string;
  readonly alerting: Alerting;
  readonly retentionDays: number;
}

/** What the template tells the function that releases alerts. */
export interface ReleaseEnvironment extends CollectEnvironment {
  /** URLs of queues by the names of their channels. */
  readonly slackQueueUrls: Readonly<Record<string, string>>;
  readonly alertsTopicArn: string;
  readonly stackName: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads the environment of the function that collects alerts. Throws a ZodError that names what is missing. */
export function readCollectEnvironment(variables: Variables): CollectEnvironment {
  return collectPart(collectSchema.parse(variables));
}

/** Reads the environment of the function that releases alerts. Throws a ZodError that names what is missing. */
export function readReleaseEnvironment(variables: Variables): ReleaseEnvironment {
  const read = releaseSchema.parse(variables);
  return {
    ...collectPart(read),
    slackQueueUrls: read[ENVIRONMENT.slackQueueUrls],
    alertsTopicArn: read[ENVIRONMENT.alertsTopicArn],
    stackName: read[ENVIRONMENT.stackName],
  };
}

function collectPart(read: z.output<typeof collectSchema>): CollectEnvironment {
  return {
    tableName: read[ENVIRONMENT.tableName],
    alerting: read[ENVIRONMENT.alerting],
    retentionDays: read[ENVIRONMENT.retentionDays],
  };
}

function settingOf(value: string, context: z.RefinementCtx): unknown {
  return parsed(() => readSetting(value), context);
}

/** What a text stands for; an issue in place of the error of whoever reads it, which would not name the variable. */
function parsed(read: () => unknown, context: z.RefinementCtx): unknown {
  try {
    return read();
  } catch {
    context.addIssue({ code: 'custom', message: 'is not what the template writes; deploy the stack again' });
    return z.NEVER;
  }
}
