import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { readPollRequest } from '#shared/config/requests/poll-request.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { poll } from '#shared/flow/poll.ts';
import type { PollContainer } from './poll-container.ts';

/** Time reserved for the response and the last log line. */
const MARGIN_MS = 1_000;

/** The handler of both poll functions. */
export function createPollHandler(feed: FeedName, { logger, system, portsFor }: PollContainer) {
  return middy<unknown, PollReport, Error, Context>()
    .use(injectLambdaContext(logger))
    .handler(async (event, context) => {
      const request = readPollRequest(event);
      const deadline = system.now() + context.getRemainingTimeInMillis() - MARGIN_MS;
      const order = { feed, request, runId: system.uniqueId(), deadline };
      return await poll(order, portsFor(request.connection, deadline));
    });
}
