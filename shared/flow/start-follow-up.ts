import type { PollReport } from '#shared/config/requests/poll-report.ts';
import type { PollRequest } from '#shared/config/requests/poll-request.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { FOLLOW_UPS_FOR_MS } from '#shared/core/plan/plan.ts';
import type { Clock, Telemetry } from './system.ts';

/** Starts a poll with this request after so many seconds. */
type StartLater = (request: PollRequest, delaySeconds: number) => Promise<void>;

interface FollowUpPorts {
  readonly startLater: StartLater;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/** A poll that began, by the clock of its function. */
interface EndedPoll {
  readonly request: PollRequest;
  readonly report: PollReport;
  readonly startedAt: number;
}

/**
 * Starts the poll that follows before the next schedule, if one is due by then. A lost one is made up for by the
 * schedule.
 */
export async function startFollowUp(
  { request, report: { connection, followUpAt }, startedAt }: EndedPoll,
  { startLater, clock, telemetry }: FollowUpPorts,
): Promise<void> {
  if (followUpAt === undefined) return;
  const { followUpUntil = startedAt + FOLLOW_UPS_FOR_MS } = request;
  const delaySeconds = Math.max(0, Math.ceil((followUpAt - clock.now()) / 1_000));
  try {
    await startLater({ ...request, followUpUntil }, delaySeconds);
  } catch (error) {
    if (!(error instanceof NotifierError)) throw error;
    telemetry.report({ outcome: 'follow_up.failed', connection, reason: error.code });
  }
}
