/** A clock that advances only while everything waits for it: hours pass in milliseconds. */
export interface VirtualTime {
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  /** The clock stands until this work is done, which takes real time: an answer of another process. */
  outside<T>(work: Promise<T>): Promise<T>;
  /** Awaits a promise, advancing the clock from one sleeper to the next. */
  run<T>(work: Promise<T>): Promise<T>;
}

export function createVirtualTime(start = Date.parse('2026-03-02T00:00:00Z')): VirtualTime {
  let time = start;
  let sleepers: { at: number; wake: () => void }[] = [];
  const outside = new Set<Promise<unknown>>();
  return {
    now: () => time,
    sleep: (milliseconds) =>
      new Promise((wake) => {
        sleepers.push({ at: time + Math.max(0, milliseconds), wake });
      }),
    outside: async (work) => {
      outside.add(work);
      return await work.finally(() => outside.delete(work));
    },
    async run(work) {
      let done = false;
      const finish = () => {
        done = true;
      };
      work.then(finish, finish);
      while (!done) {
        await settlePromises();
        if (outside.size > 0) {
          await Promise.allSettled(outside);
          continue;
        }
        const next = Math.min(...sleepers.map(({ at }) => at));
        if (done || next === Number.POSITIVE_INFINITY) continue;
        time = Math.max(time, next);
        const awake = sleepers.filter(({ at }) => at <= time);
        sleepers = sleepers.filter(({ at }) => at > time);
        for (const { wake } of awake) wake();
      }
      return work;
    },
  };
}

/** Numbers from 0 up to 1 that are the same in every run (mulberry32). */
export function createSeededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Promises settle before immediates run. */
function settlePromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
