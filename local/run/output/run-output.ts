import type { Receipt } from '#shared/terminal/received.ts';
import type { Told } from '../terminal/teller.ts';
import type { Notes } from './notes.ts';
import type { RunStats } from './stats.ts';

/** All that a run writes. */
export interface RunOutput {
  /** An event as it was delivered. Settles when the line is written; rejects when the reader of the output is gone. */
  print(text: string): Promise<void>;
  /** The same for what people and systems got. */
  show(received: Receipt): Promise<void>;
  readonly notes: Notes;
  /** Says from now on whom events are about, in the time of the run, and how it is going, where that can be shown. */
  follow(run: FollowedRun): void;
  /** Says what the run did. */
  conclude(stats: RunStats): void;
  /** Leaves a terminal as a shell expects it, also when the run fails. */
  close(): void;
}

export interface FollowedRun extends Told {
  readonly stats: RunStats;
  /** Where to look: lines that are made when they are asked for, since the address of the console is valid once. */
  readonly addresses: () => readonly string[];
}

export interface OutputStreams {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** What is typed; absent where nobody types. */
  readonly stdin?: Pick<NodeJS.ReadStream, 'isTTY' | 'on' | 'off' | 'pause'> | undefined;
}
