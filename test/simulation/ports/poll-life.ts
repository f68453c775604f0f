import type { FaultKind, Faults, PortCall } from '../faults.ts';
import type { PollEntry } from '../journal.ts';
import type { Life } from '../scheduler.ts';

/** What every port of one poll is made of: its life in virtual time, and what may go wrong. */
export interface PollLife {
  readonly poll: number;
  readonly entry: PollEntry;
  readonly life: Life;
  readonly faults: Faults;
  /** What its clock says. */
  readonly now: () => number;
  /** Virtual time. */
  readonly time: () => number;
}

/** Lets time pass on the way to a port, where the poll may die. */
export async function goTo(call: PortCall, { life, faults }: PollLife, milliseconds: number): Promise<void> {
  await life.pause(milliseconds);
  await dieOf(`crash_before:${call}`, life, faults);
}

/** Lets time pass on the way back from a port, where the poll may die as well: the effect stays. */
export async function comeBack(
  call: PortCall,
  { life, faults }: PollLife,
  milliseconds: number,
): Promise<void> {
  await dieOf(`crash_after:${call}`, life, faults);
  await life.pause(milliseconds);
}

async function dieOf(kind: FaultKind, life: Life, faults: Faults): Promise<void> {
  if (faults.happens(kind)) await life.crash();
}
