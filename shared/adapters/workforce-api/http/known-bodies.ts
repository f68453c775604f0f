import { hash } from 'node:crypto';

/** Bytes of JSON whose values are kept: about 9,000 timesheets, which take 14 MB with what a scan derives from them. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;
/** Addresses whose last body is remembered by its hash. */
const MAX_ADDRESSES = 2_000;
/** Values unused for this long make room for others. Younger ones stay, or a long walk would drop all of them. */
const MIN_IDLE_MS = 5 * 60_000;
/** Answers below this are too small to be pages. */
const MIN_BODY_BYTES = 2_048;

interface Known {
  readonly hash: string;
  /** Set once an address has answered twice with the same bytes. */
  readonly kept: { readonly value: unknown; readonly bytes: number } | null;
  readonly at: number;
}

/** Values of pages that come again with the same bytes, so that they are neither unpacked nor parsed again. */
export class KnownBodies {
  readonly #known = new Map<string, Known>();
  #keptBytes = 0;

  /**
   * The value of a body. From the third time on that an address answers with the same bytes, it is the value of the
   * second time, deeply frozen; before that it is what `parse` returns, with the number of bytes that it parsed.
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
      this.#remember(address, { ...before, at: now });
      return before.kept.value;
    }
    const { value, bytes } = await parse();
    this.#forget(address);
    const isKept = isSame && this.#makeRoom(bytes, now);
    this.#remember(address, {
      hash: bodyHash,
      kept: isKept ? { value: deepFreeze(value), bytes } : null,
      at: now,
    });
    return value;
  }

  /** Puts an address last, so that the first one in the map is the one unused for longest. */
  #remember(address: string, known: Known): void {
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

/** Without recursion: the source may nest values deeper than the stack goes. */
function deepFreeze<Value>(value: Value): Value {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    for (const member of Object.values(next)) left.push(member);
    Object.freeze(next);
  }
  return value;
}
