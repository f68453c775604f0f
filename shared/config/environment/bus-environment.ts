import * as z from 'zod';
import { ENVIRONMENT } from '../names.ts';

const text = z.string().min(1);

const environmentSchema = z.object({
  [ENVIRONMENT.eventBus]: text,
  [ENVIRONMENT.deadLetterQueueUrl]: text,
});

/** Settings of the function that puts events on a bus. */
export interface BusEnvironment {
  /** Name or ARN of the bus. */
  readonly eventBus: string;
  readonly deadLetterQueueUrl: string;
}

/** Reads the environment of the function that puts events on a bus. Throws a ZodError that names what is missing. */
export function readBusEnvironment(variables: Readonly<Record<string, string | undefined>>): BusEnvironment {
  const read = environmentSchema.parse(variables);
  return {
    eventBus: read[ENVIRONMENT.eventBus],
    deadLetterQueueUrl: read[ENVIRONMENT.deadLetterQueueUrl],
  };
}
