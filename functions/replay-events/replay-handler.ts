import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { type ReplayReport, readReplayRequest } from '#shared/config/requests/replay-request.ts';
import { replayEvents } from '#shared/flow/replay-events.ts';
import type { ReplayContainer } from './container.ts';

/** Time reserved for the current batch, the response and the last log line. */
const MARGIN_MS = 20_000;

/** Replays until all events are published or time is over. */
export function createReplayHandler({ logger, system, portsFor }: ReplayContainer) {
  return middy<unknown, ReplayReport, Error, Context>()
    .use(injectLambdaContext(logger))
    .handler(async (event, context) => {
      const request = readReplayRequest(event);
      const deadline = system.now() + context.getRemainingTimeInMillis() - MARGIN_MS;
      return await replayEvents({ request, deadline }, portsFor(request.target));
    });
}
