import * as z from 'zod';
import { ENVIRONMENT, type EventTopicName } from '../names.ts';

const text = z.string().min(1);

const environmentSchema = z.object({
  [ENVIRONMENT.tableName]: text,
  [ENVIRONMENT.topicArns.timesheets]: text,
  [ENVIRONMENT.topicArns.clockings]: text,
  [ENVIRONMENT.topicArns['pay-periods']]: text,
  [ENVIRONMENT.topicArns.operations]: text,
});

/** Settings of a poll function. */
export interface PollEnvironment {
  readonly tableName: string;
  readonly topicArns: Readonly<Record<EventTopicName, string>>;
}

/** Reads a poll function's environment. Throws a ZodError that names what is missing. */
export function readPollEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
): PollEnvironment {
  const read = environmentSchema.parse(variables);
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
