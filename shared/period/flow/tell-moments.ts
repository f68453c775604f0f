import type { PollRun } from '#shared/flow/poll/run.ts';

export async function tellMoments(_run: PollRun): Promise<void> {}
