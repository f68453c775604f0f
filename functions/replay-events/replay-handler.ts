import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { type ReplayReport, readReplayRequest } from '#shared/config/requests/replay-request.ts';
import {
  isSnapshotRequest,
  readSnapshotRequest,
  type SnapshotReport,
} from '#shared/config/requests/snapshot-request.ts';
import { isStartRequest, readStartRequest } from '#shared/config/requests/start-request.ts';
import { replayEvents } from '#shared/replay/flow/replay-events.ts';
import { sendSnapshots } from '#shared/snapshots/flow/send-snapshots.ts';
import { type StartReport, startReceivers } from '#shared/snapshots/flow/start-receivers.ts';
import type { ReplayContainer } from './container.ts';

/** Time reserved for the current batch, the response and the last log line. */
const MARGIN_MS = 20_000;

/** Replays, sends snapshots, or starts receivers with one, until all events are published or time is over. */
export function createReplayHandler(container: ReplayContainer) {
  const { logger, system, portsFor, snapshotPortsFor, startPorts } = container;
  return middy<unknown, ReplayReport | SnapshotReport | StartReport, Error, Context>()
    .use(injectLambdaContext(logger))
    .handler(async (event, context) => {
      const deadline = system.now() + context.getRemainingTimeInMillis() - MARGIN_MS;
      if (isStartRequest(event)) {
        return await startReceivers({ request: readStartRequest(event), deadline }, startPorts);
      }
      if (isSnapshotRequest(event)) {
        const request = readSnapshotRequest(event);
        return await sendSnapshots({ request, deadline }, snapshotPortsFor(request));
      }
      const request = readReplayRequest(event);
      return await replayEvents({ request, deadline }, portsFor(request.target));
    });
}
