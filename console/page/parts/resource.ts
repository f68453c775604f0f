import { useEffect, useRef, useState } from 'preact/hooks';
import { arrivals } from '../data/feed.ts';

export interface Resource<Value> {
  /** Null until the first answer; the last one while a later request fails. */
  readonly value: Value | null;
  /** Why the last request failed, in words. */
  readonly error: string | null;
  reload(): void;
}

export interface ResourceOptions<Value> {
  /** Another text is another request. */
  readonly key: string;
  readonly load: () => Promise<Value>;
  /** Real milliseconds until it is loaded again; null for never. */
  readonly everyMs: number | null;
  /** Also loads soon after events arrived. */
  readonly followsEvents?: boolean;
}

const SOON_MS = 1_500;

/** Loads something, and again as time passes and events arrive. */
export function useResource<Value>(options: ResourceOptions<Value>): Resource<Value> {
  const [state, setState] = useState<{ key: string; value: Value | null; error: string | null; at: number }>({
    key: options.key,
    value: null,
    error: null,
    at: 0,
  });
  const current = useRef(options);
  current.current = options;
  const run = async () => {
    const { key, load } = current.current;
    try {
      const value = await load();
      if (current.current.key === key) setState({ key, value, error: null, at: performance.now() });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (current.current.key === key)
        setState((known) => ({
          ...known,
          value: known.key === key ? known.value : null,
          key,
          error: reason,
        }));
    }
  };
  useRepeatedly(run, options);
  const isOwn = state.key === options.key;
  return {
    value: isOwn ? state.value : null,
    error: isOwn ? state.error : null,
    reload: () => void run(),
  };
}

/** Runs at once, and again as time passes and events arrive. Starts anew for another key. */
function useRepeatedly(
  run: () => Promise<void>,
  { key, everyMs, followsEvents }: Pick<ResourceOptions<unknown>, 'key' | 'everyMs' | 'followsEvents'>,
): void {
  useEffect(() => {
    void run();
    const interval = everyMs === null ? null : window.setInterval(() => void run(), everyMs);
    let soon: number | null = null;
    const runSoon = () => {
      soon = null;
      void run();
    };
    let isFirst = true;
    const forget = arrivals.subscribe(() => {
      // A subscription calls back at once.
      if (!isFirst && followsEvents === true && soon === null) soon = window.setTimeout(runSoon, SOON_MS);
      isFirst = false;
    });
    return () => {
      if (interval !== null) window.clearInterval(interval);
      if (soon !== null) window.clearTimeout(soon);
      forget();
    };
  }, [key, everyMs]);
}
