import type { VirtualTime } from '#test/shared/adapters/workforce-api/virtual-time.ts';

/** Milliseconds until DynamoDB has answered, and SNS. */
export const TABLE_MS = 10;
export const SNS_MS = 25;

/**
 * CPU of a poll, of a request, of each record of a page and of an event, in milliseconds of a whole processor: but for the
 * first, from what `npm run bench -- --only cpu` measured at most.
 */
export const POLL_CPU_MS = 10;
export const REQUEST_CPU_MS = 1.2;
export const RECORD_CPU_MS = 0.009;
export const EVENT_CPU_MS = 0.7;

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html */
const WHOLE_PROCESSOR_MB = 1_769;

/** The share of a processor that Lambda gives to a function of so much memory, at most one. */
function shareOfProcessor(memoryMb: number): number {
  return Math.min(1, memoryMb / WHOLE_PROCESSOR_MB);
}

/**
 * The processor of one function: what it computes takes time, one thing after the other, and longer the less memory the
 * function has, while its requests are answered side by side.
 */
export class Processor {
  readonly #time: VirtualTime;
  readonly #share: number;
  #freeAt = 0;

  constructor(time: VirtualTime, memoryMb: number) {
    this.#time = time;
    this.#share = shareOfProcessor(memoryMb);
  }

  /** `cpuMs`: milliseconds of a whole processor. */
  async compute(cpuMs: number): Promise<void> {
    const now = this.#time.now();
    this.#freeAt = Math.max(now, this.#freeAt) + cpuMs / this.#share;
    await this.#time.sleep(this.#freeAt - now);
  }
}
