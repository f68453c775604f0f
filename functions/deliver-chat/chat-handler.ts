import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { toBatchResponse, toQueueMessages } from '../queue-messages.ts';
import type { ChatContainer } from './container.ts';

/** Time reserved for the response and the last log line. */
const MARGIN_MS = 2_000;

/** Posts a batch of messages in order. */
export function createChatHandler({ logger, system, delivery }: ChatContainer) {
  return middy<SQSEvent, SQSBatchResponse, Error, Context>()
    .use(injectLambdaContext(logger))
    .handler(async (event, context) => {
      const deadline = system.now() + context.getRemainingTimeInMillis() - MARGIN_MS;
      return toBatchResponse(await delivery.deliver({ messages: toQueueMessages(event), deadline }));
    });
}
