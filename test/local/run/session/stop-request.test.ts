import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { listenForStop } from '#local/run/run.ts';

let handlers: Map<string | symbol, () => void>;

beforeEach(() => {
  vi.useFakeTimers();
  handlers = new Map();
  vi.spyOn(process, 'on').mockImplementation((name, handler) => {
    handlers.set(name, handler);
    return process;
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('what does not end by itself is ended within two seconds of the first signal, whatever comes after it', async () => {
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  const { signal, requested } = listenForStop(7);
  handlers.get('SIGINT')?.();
  await requested;
  expect(signal.aborted).toBe(true);
  vi.advanceTimersByTime(1_000);
  handlers.get('SIGTERM')?.();
  expect(exit).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1_000);
  expect(exit.mock.calls).toEqual([[7]]);
});
