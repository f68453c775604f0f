import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { deliverWebhooks } from '#shared/webhooks/flow/deliver-webhooks.ts';
import { toBatchResponse, toQueueMessages } from '../queue-messages.ts';
import type { WebhookContainer } from './container.ts';

/** Time reserved for the response and the last log line. */
const MARGIN_MS = 2_000;

/** Delivers a batch of events to the endpoint. */
export function createWebhookHandler({ logger, system, webhook, retentionDays, ports }: WebhookContainer) {
  return middy<SQSEvent, SQSBatchResponse, Error, Context>()
    .use(injectLambdaContext(logger))
    .handler(async (event, context) => {
      const deadline = system.now() + context.getRemainingTimeInMillis() - MARGIN_MS;
      const messages = toQueueMessages(event);
      return toBatchResponse(await deliverWebhooks({ messages, webhook, retentionDays, deadline }, ports));
    });
}
