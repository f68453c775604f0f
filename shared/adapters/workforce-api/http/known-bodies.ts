import { hash } from 'node:crypto';

/** Bytes of JSON whose values are kept at most: some 9,000 timesheets, and 14 MB with what a scan reads from them. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;
/** Addresses of which the last body is known by its hash. */
const MAX_ADDRESSES = 2_000;
/** Values that were not asked for so long may go to make room; younger ones stay, or a long walk would clear all. */
const MIN_IDLE_MS = 5 * 60_000;
/** Answers below this are no pages. */
const MIN_BODY_BYTES = 2_048;

interface Known {
  readonly hash: string;
  /** Kept from the second time on that an address answers with the same bytes. */
  readonly kept: { readonly value: unknown; readonly bytes: number } | null;
  readonly at: number;
}

/** What pages held that came again with the very same bytes: they need no unpacking and no parsing. */
export class KnownBodies {
  readonly #known = new Map<string, Known>();
  #keptBytes = 0;

  /**
   * The value of a body: the one of before, deeply frozen, when the address answers with the same bytes for the third
   * time; else what `parse` makes of it, with the number of bytes that it parsed.
   */
  async readValue(
    address: string,
    { body, now }: { readonly body: Uint8Array; readonly now: number },
    parse: () => Promise<{ readonly value: unknown; readonly bytes: number }>,
  ): Promise<unknown> {
    if (body.byteLength < MIN_BODY_BYTES) return (await parse()).value;
    const bodyHash = hash('sha256', body, 'base64');
    const before = this.#known.get(address);
    const isSame = before?.hash === bodyHash;
    if (isSame && before.kept !== null) {
      this.#note(address, { ...before, at: now });
      return before.kept.value;
    }
    const { value, bytes } = await parse();
    this.#forget(address);
    const isKept = isSame && this.#makeRoom(bytes, now);
    this.#note(address, { hash: bodyHash, kept: isKept ? { value: frozen(value), bytes } : null, at: now });
    return value;
  }

  /** Puts an address last: the first one in the map is the one that was asked for longest ago. */
  #note(address: string, known: Known): void {
    this.#forget(address);
    this.#known.set(address, known);
    this.#keptBytes += known.kept?.bytes ?? 0;
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_ADDRESSES && oldest !== undefined) this.#forget(oldest);
  }

  #forget(address: string): void {
    this.#keptBytes -= this.#known.get(address)?.kept?.bytes ?? 0;
    this.#known.delete(address);
  }

  #makeRoom(bytes: number, now: number): boolean {
    for (const [address, { kept, at }] of this.#known) {
      if (this.#keptBytes + bytes <= MAX_KEPT_BYTES || at > now - MIN_IDLE_MS) break;
      if (kept !== null) this.#forget(address);
    }
    return this.#keptBytes + bytes <= MAX_KEPT_BYTES;
  }
}

function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
