import type { PollReport } from '#shared/config/requests/poll-report.ts';
import type { PollRequest } from '#shared/config/requests/poll-request.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { Clock, Telemetry } from './system.ts';

/** Starts a poll with this request after so many seconds. */
export type StartLater = (request: PollRequest, delaySeconds: number) => Promise<void>;

interface FollowUpPorts {
  readonly startLater: StartLater;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/** Starts the follow-up of a poll, if one is due. The next scheduled poll makes up for a lost one. */
export async function startFollowUp(
  request: PollRequest,
  { connection, followUp }: PollReport,
  { startLater, clock, telemetry }: FollowUpPorts,
): Promise<void> {
  if (followUp === undefined) return;
  const { at, until } = followUp;
  const delaySeconds = Math.max(0, Math.ceil((at - clock.now()) / 1_000));
  try {
    await startLater({ ...request, scope: 'owed', repeatUntil: until }, delaySeconds);
  } catch (error) {
    if (!(error instanceof NotifierError)) throw error;
    telemetry.report({ outcome: 'follow_up.failed', connection, reason: error.code });
  }
}
