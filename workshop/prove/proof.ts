import type { PollPorts } from '#shared/flow/poll/poll-run.ts';

/** One figure of docs/reliability.md that a machine can count. */
export interface Proof {
  /** What it runs, in the plural. */
  readonly cases: string;
  run(options: ProofOptions): Promise<ProofResult>;
}

export interface ProofOptions {
  /** Cases to run; all that there are when they are fewer. */
  readonly runs: number;
  readonly seed: number;
  /** Plants a mistake in the ports of each poll, to see that it is found. */
  readonly plant?: Plant | undefined;
}

export type Plant = (ports: PollPorts) => PollPorts;

interface ProofResult {
  readonly ran: number;
  /** Null where there is no end of them. */
  readonly of: number | null;
  /** What went wrong, each with what plays it again. */
  readonly failures: readonly string[];
  /** Other counts, to see that something was looked at. */
  readonly counts?: Readonly<Record<string, number>>;
}

/** More than these are counted, and not described. */
const MAX_DESCRIBED = 20;

/** Numbers of cases, evenly spread over all; from another start with another seed. */
export function* spread(total: number, { runs, seed }: ProofOptions): Generator<number> {
  if (runs >= total) {
    for (let number = 0; number < total; number += 1) yield number;
    return;
  }
  const step = total / runs;
  const shift = (seed * 0.618_033_988_75) % 1;
  for (let nth = 0; nth < runs; nth += 1) yield Math.floor((nth + shift) * step);
}

/** Collects failures, of which it describes the first ones. */
export class Failures {
  readonly described: string[] = [];

  add(text: string): void {
    if (this.described.length < MAX_DESCRIBED) this.described.push(text);
  }
}
