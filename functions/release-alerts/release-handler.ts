import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { releaseAlerts } from '#shared/alerts/flow/release-alerts.ts';
import { readReleaseRequest } from '#shared/config/requests/release-request.ts';
import type { ReleaseContainer } from './container.ts';

/** Sends the alerts that are due. */
export function createReleaseHandler({ logger, settings, ports }: ReleaseContainer) {
  return middy<unknown, void, Error, Context>()
    .use(injectLambdaContext(logger))
    .handler(async (event) => await releaseAlerts(readReleaseRequest(event), settings, ports));
}
