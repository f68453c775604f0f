import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { readNamesRequest } from '#shared/config/requests/names-request.ts';
import { type RefreshNamesReport, refreshNames } from '#shared/names/flow/refresh-names.ts';
import type { NamesContainer } from './container.ts';

/** Time reserved for storing the last list, the response and the log line. */
const MARGIN_MS = 5_000;

/** Refreshes the names of the connection in the request. */
export function createNamesHandler({ logger, system, portsFor }: NamesContainer) {
  return middy<unknown, RefreshNamesReport, Error, Context>()
    .use(injectLambdaContext(logger))
    .handler(async (event, context) => {
      const request = readNamesRequest(event);
      const deadline = system.now() + context.getRemainingTimeInMillis() - MARGIN_MS;
      return await refreshNames(request, portsFor(request.connection, deadline));
    });
}
