import type { ConsoleContext } from './context.ts';
import { createDoctor } from './doctor.ts';
import { LogFollower } from './lines/log-follower.ts';
import { createPeriodReader } from './periods/read-periods.ts';
import { rememberFor } from './remember.ts';
import { hasRunEnded } from './trouble.ts';

/** A target that is open, and what is remembered of it. */
export interface Opened {
  readonly context: ConsoleContext;
  readonly follower: LogFollower;
  readonly doctor: ReturnType<typeof createDoctor>;
  readonly periods: ReturnType<typeof createPeriodReader>;
}

export interface OpenedOnDemand {
  /** Reads from the target. A data folder whose run has ended is opened again, as the run left it. */
  use<Answer>(read: (opened: Opened) => Promise<Answer>): Promise<Answer>;
  stop(): void;
}

/** `open` is asked when the first page is, and again after it failed. */
export function openOnDemand(open: () => Promise<ConsoleContext>): OpenedOnDemand {
  let last: Opened | null = null;
  const load = rememberFor(Number.POSITIVE_INFINITY, async () => {
    last?.follower.stop();
    last = openParts(await open());
    return last;
  });
  return {
    use: async (read) => {
      const opened = await load();
      try {
        return await read(opened);
      } catch (error) {
        if (!hasRunEnded(error, opened.context)) throw error;
        const isKnown = (await load()) !== opened;
        return await read(await load(!isKnown));
      }
    },
    stop: () => last?.follower.stop(),
  };
}

function openParts(context: ConsoleContext): Opened {
  return {
    context,
    follower: new LogFollower(context),
    doctor: createDoctor(context),
    periods: createPeriodReader(context),
  };
}
