import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

/** The clock, the timer and the random numbers of this process. Nothing else reads them. */
export interface System {
  /** Milliseconds since 1970. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  /** From 0 up to 1. */
  random(): number;
  /** 96 random bits as 24 hexadecimal digits. */
  uniqueId(): string;
}

export const system: System = {
  now: () => Date.now(),
  sleep: async (milliseconds) => {
    await wait(milliseconds);
  },
  random: () => Math.random(),
  uniqueId: () => randomBytes(12).toString('hex'),
};
