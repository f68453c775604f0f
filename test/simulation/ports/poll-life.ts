import type { FaultKind, Faults, PortCall } from '../faults.ts';
import type { PollEntry } from '../journal.ts';
import type { Life } from '../scheduler.ts';

/** What the ports of one poll share: its task in virtual time and the faults. */
export interface PollLife {
  readonly poll: number;
  readonly entry: PollEntry;
  readonly life: Life;
  readonly faults: Faults;
  /** Its own clock, which may be skewed. */
  readonly now: () => number;
  /** Virtual time. */
  readonly time: () => number;
}

/** Time passes before the effect of a call; the poll may crash. */
export async function goTo(call: PortCall, { life, faults }: PollLife, milliseconds: number): Promise<void> {
  await life.pause(milliseconds);
  await dieOf(`crash_before:${call}`, life, faults);
}

/** Time passes after the effect of a call; the poll may crash, and the effect stays. */
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
