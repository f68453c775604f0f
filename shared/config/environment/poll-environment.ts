import * as z from 'zod';
import { ENVIRONMENT, type EventTopicName } from '../names.ts';

const text = z.string().min(1);

const publishSchema = z.object({
  [ENVIRONMENT.tableName]: text,
  [ENVIRONMENT.topicArns.timesheets]: text,
  [ENVIRONMENT.topicArns.clockings]: text,
  [ENVIRONMENT.topicArns['pay-periods']]: text,
  [ENVIRONMENT.topicArns.operations]: text,
});
const pollSchema = publishSchema.extend({ [ENVIRONMENT.stackName]: text });

/** Settings of a function that publishes events of the table. */
export interface PublishEnvironment {
  readonly tableName: string;
  readonly topicArns: Readonly<Record<EventTopicName, string>>;
}

/** Settings of a poll function. */
export interface PollEnvironment extends PublishEnvironment {
  readonly stackName: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads a poll function's environment. Throws a ZodError that names what is missing. */
export function readPollEnvironment(variables: Variables): PollEnvironment {
  const read = pollSchema.parse(variables);
  return { ...toPublishEnvironment(read), stackName: read[ENVIRONMENT.stackName] };
}

/** Reads the environment of a function that publishes events. Throws a ZodError that names what is missing. */
export function readPublishEnvironment(variables: Variables): PublishEnvironment {
  return toPublishEnvironment(publishSchema.parse(variables));
}

function toPublishEnvironment(read: z.output<typeof publishSchema>): PublishEnvironment {
  const { tableName, topicArns } = ENVIRONMENT;
  return {
    tableName: read[tableName],
    topicArns: {
      timesheets: read[topicArns.timesheets],
      clockings: read[topicArns.clockings],
      'pay-periods': read[topicArns['pay-periods']],
      operations: read[topicArns.operations],
    },
  };
}
