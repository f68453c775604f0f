import type { VirtualClock } from '#local/aws/functions/virtual-clock.ts';
import type { Notes } from './notes.ts';
import type { Printer } from './printer.ts';
import type { RunStats } from './stats.ts';

/** All that a run writes. */
export interface RunOutput extends Printer {
  readonly notes: Notes;
  /** Shows from now on how the run is going, where that can be shown. */
  follow(run: FollowedRun): void;
  /** Says what the run did. */
  conclude(stats: RunStats): void;
  /** Leaves a terminal as a shell expects it, also when the run fails. */
  close(): void;
}

export interface FollowedRun {
  readonly stats: RunStats;
  /** Null for real time. */
  readonly clock: VirtualClock | null;
  /** With the one-time token; null as long as there is no console. */
  readonly consoleAddress: () => string | null;
}

export interface OutputStreams {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}
