import * as z from 'zod';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';

/** The latest events, of which an attempt may tell. */
const MAX_KEPT = 10_000;

/** What the ids of events stand for: the log of attempts has them alone, since it holds nothing of an event. */
export interface SeenEvents {
  add(text: string): void;
  /** `101206_1, sequence 2`; of an event that was not seen, its id. */
  describe(eventId: string): string;
}

const eventSchema = z.looseObject({
  id: z.string(),
  subject: z.string().default(''),
  sequence: z.int(),
});

export function createSeenEvents(): SeenEvents {
  const known = new Map<string, string>();
  return {
    add: (text) => {
      const event = eventSchema.safeParse(parseJsonOrNull(text)).data;
      if (event === undefined) return;
      const { id, subject, sequence } = event;
      known.set(id, subject === '' ? '' : `${subject}, sequence ${sequence}`);
      const [oldest] = known.keys();
      if (known.size > MAX_KEPT && oldest !== undefined) known.delete(oldest);
    },
    describe: (eventId) => known.get(eventId) ?? eventId,
  };
}
