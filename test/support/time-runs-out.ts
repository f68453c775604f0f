import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { vi } from 'vitest';

/** What Node says of HTTP in this process. */
const MOMENTS = {
  'a server has the request': 'http.server.request.start',
  'a client has the head of the answer': 'http.client.response.finish',
} as const;

/** So long is the time that runs out. */
export const TIME_MS = 10_000;

/** While work is done, timers stand still, but run out at each such moment: it does not matter how busy the machine is. */
export async function runOutWhen<T>(moment: keyof typeof MOMENTS, work: () => Promise<T>): Promise<T> {
  const runOut = () => void setImmediate(() => vi.advanceTimersByTime(TIME_MS));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  subscribe(MOMENTS[moment], runOut);
  try {
    return await work();
  } finally {
    unsubscribe(MOMENTS[moment], runOut);
    vi.useRealTimers();
  }
}
