import type { Faults, PortCall } from '../faults.ts';
import type { PollEntry } from '../journal.ts';
import type { Life } from '../scheduler.ts';

/** What the ports of one poll share: its task in virtual time and the faults. */
export interface PollLife {
  readonly entry: PollEntry;
  readonly life: Life;
  readonly faults: Faults;
  /** Its own clock, which may be skewed. */
  readonly now: () => number;
  /** Virtual time. */
  readonly time: () => number;
  /** Its machine sleeps for so long, and another whole poll runs meanwhile. */
  readonly freeze: () => Promise<void>;
}

/** Time passes before the effect of a call; the poll may crash or freeze. */
export async function goTo(call: PortCall, poll: PollLife, milliseconds: number): Promise<void> {
  await poll.life.pause(milliseconds);
  if (poll.faults.happens(`crash_before:${call}`)) await poll.life.crash();
  if (poll.faults.happens(`freeze_before:${call}`)) await poll.freeze();
}

/** Time passes after the effect of a call; the poll may crash or freeze, and the effect stays. */
export async function comeBack(call: PortCall, poll: PollLife, milliseconds: number): Promise<void> {
  if (poll.faults.happens(`crash_after:${call}`)) await poll.life.crash();
  if (poll.faults.happens(`freeze_after:${call}`)) await poll.freeze();
  await poll.life.pause(milliseconds);
}
