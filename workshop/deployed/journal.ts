import { createHash } from 'node:crypto';

/** A request to the emulator, and its answer. */
export interface Exchange {
  /** Its service and operation, such as `cloudformation:DescribeStacks`. */
  readonly name: string;
  readonly request: Buffer;
  readonly status: number;
  readonly answer: Buffer;
}

/** What was asked of the emulator last. */
export interface Journal {
  note(exchange: Exchange): void;
  /** When something was last asked or answered that was not just asked and answered before (ms of `performance.now`). */
  lastNewAt(): number;
  /** How often something was asked and answered once more since then. */
  repeats(): number;
  /** The last requests, the latest at the end, one a line. */
  describe(): string;
}

/** More than one round of requests that somebody repeats who waits. */
const MAX_KEPT = 20;
/** Of these, two answers that say the same differ. */
const CHANGING = /<RequestId>[^<]*<\/RequestId>/g;

export function createJournal(now = () => performance.now()): Journal {
  /** By digest, in the order in which they were last seen. */
  const kept = new Map<string, { readonly line: string; times: number }>();
  let lastNewAt = now();
  let repeats = 0;
  return {
    note: (exchange) => {
      const digest = digestExchange(exchange);
      const known = kept.get(digest);
      kept.delete(digest);
      kept.set(digest, { line: `${exchange.name} ${exchange.status}`, times: (known?.times ?? 0) + 1 });
      const [oldest = ''] = kept.keys();
      if (kept.size > MAX_KEPT) kept.delete(oldest);
      repeats = known === undefined ? 0 : repeats + 1;
      if (known === undefined) lastNewAt = now();
    },
    lastNewAt: () => lastNewAt,
    repeats: () => repeats,
    describe: () =>
      [...kept.values()]
        .map(({ line, times }) => (times === 1 ? line : `${line} (${times} times)`))
        .join('\n'),
  };
}

function digestExchange({ name, request, status, answer }: Exchange): string {
  const said = answer.toString('latin1').replace(CHANGING, '');
  return createHash('sha1').update(`${name} ${status} `).update(request).update(said, 'latin1').digest('hex');
}
