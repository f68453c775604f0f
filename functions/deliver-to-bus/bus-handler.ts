import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { deliverToBus } from '#shared/event-bus/flow/deliver-to-bus.ts';
import { toBatchResponse, toQueueMessages } from '../queue-messages.ts';
import type { BusContainer } from './container.ts';

/** Time reserved for the response and the last log line. */
const MARGIN_MS = 2_000;

/** Puts a batch of events on the bus. */
export function createBusHandler({ logger, system, ports }: BusContainer) {
  return middy<SQSEvent, SQSBatchResponse, Error, Context>()
    .use(injectLambdaContext(logger))
    .handler(async (event, context) => {
      const deadline = system.now() + context.getRemainingTimeInMillis() - MARGIN_MS;
      return toBatchResponse(await deliverToBus({ messages: toQueueMessages(event), deadline }, ports));
    });
}
