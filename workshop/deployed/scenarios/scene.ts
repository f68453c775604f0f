import type { Aws } from '../aws.ts';
import type { Stack } from '../stage.ts';
import type { World } from '../world/world.ts';

/** A stack in its account, and what is around it. */
export interface Scene {
  readonly aws: Aws;
  readonly world: World;
  readonly stack: Stack;
  /** Stopped at the end of the run, whatever happens. */
  readonly running: { stop(): Promise<void> }[];
}
