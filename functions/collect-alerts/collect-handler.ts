import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { collectAlerts } from '#shared/alerts/flow/collect-alerts.ts';
import { toBatchResponse, toQueueMessages } from '../queue-messages.ts';
import type { CollectContainer } from './container.ts';

/** Collects alerts from a batch of events. */
export function createCollectHandler({ logger, settings, ports }: CollectContainer) {
  return middy<SQSEvent, SQSBatchResponse, Error, Context>()
    .use(injectLambdaContext(logger))
    .handler(async (event) => toBatchResponse(await collectAlerts(toQueueMessages(event), settings, ports)));
}
