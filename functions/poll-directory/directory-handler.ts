import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { readDirectoryRequest } from '#shared/config/requests/names-request.ts';
import { type DirectoryReport, pollDirectory } from '#shared/flow/refresh-names.ts';
import type { DirectoryContainer } from './container.ts';

/** Of the function's time, what is left for storing the last list, the answer and the log line. */
const MARGIN_MS = 5_000;

/** Checks what the schedule sent, and refreshes names. */
export function directoryHandler({ logger, system, portsFor }: DirectoryContainer) {
  return middy<unknown, DirectoryReport, Error, Context>()
    .use(injectLambdaContext(logger))
    .handler(async (event, context) => {
      const request = readDirectoryRequest(event);
      const deadline = system.now() + context.getRemainingTimeInMillis() - MARGIN_MS;
      return await pollDirectory(request, portsFor(request.connection, deadline));
    });
}
