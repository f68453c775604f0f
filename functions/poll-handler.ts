import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { readPollRequest } from '#shared/config/requests/poll-request.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { poll } from '#shared/flow/poll.ts';
import type { PollContainer } from './poll-container.ts';
import type { Watchdog } from './watchdog.ts';

/** Time reserved for the response and the last log line. */
const MARGIN_MS = 1_000;

/** The handler of both poll functions. `watch` ends a poll that hangs; without it, Lambda does when its time is over. */
export function createPollHandler(
  feed: FeedName,
  { logger, system, portsFor }: PollContainer,
  watch: Watchdog = () => () => {},
) {
  return middy<unknown, PollReport, Error, Context>()
    .use(injectLambdaContext(logger))
    .handler(async (event, context) => {
      const request = readPollRequest(event);
      const deadline = system.now() + context.getRemainingTimeInMillis() - MARGIN_MS;
      const order = { feed, request, runId: system.uniqueId(), deadline };
      const end = watch({
        level: 'ERROR',
        message: 'poll.hung',
        service: process.env.POWERTOOLS_SERVICE_NAME,
        connection: request.connection.name,
        feed,
        poll: order.runId,
        reason: 'event_loop_blocked',
      });
      try {
        return await poll(order, portsFor(request.connection, deadline));
      } finally {
        end();
      }
    });
}
