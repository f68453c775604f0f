import * as z from 'zod';
import {
  countCombinationsInSns,
  eventFilterSchema,
  findCombinationIssues,
  findUnreachableTypeIssues,
  topicsSchema,
} from './event-filter.ts';

/** A queue that gets events. */
export const queueSchema = z
  .strictObject({
    /** Part of the names of the queue and of its dead-letter queue. */
    name: z
      .string()
      .regex(
        /^[a-z][a-z0-9-]{0,30}$/,
        'a queue name is a-z, 0-9 and -, begins with a letter, at most 31 long',
      ),
    topics: topicsSchema,
    filter: eventFilterSchema.prefault({}),
    /**
     * Subscribes this queue instead of creating one; what cannot be delivered to it goes to a dead-letter queue of this
     * stack. It is in the account of the stack, its policy must allow `sns.amazonaws.com` to send, and its key, if it
     * has one, must allow that service too.
     */
    queueArn: z
      .string()
      .regex(
        /^arn:[a-z-]+:sqs:[a-z0-9-]+:\d{12}:[\w-]{1,80}$/,
        'queueArn is the ARN of a standard queue, such as arn:aws:sqs:ap-southeast-2:123456789012:payroll',
      )
      .optional(),
  })
  .superRefine((queue, context) => {
    for (const { path, message } of [
      ...findUnreachableTypeIssues(queue),
      ...findCombinationIssues(countCombinationsInSns(queue.filter)),
    ]) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  });
export type EventQueue = z.output<typeof queueSchema>;
