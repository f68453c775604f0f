import { readFileSync } from 'node:fs';
import type { EventType, WorkforceEvent } from './workforce-event.ts';

const EVENTS: readonly WorkforceEvent[] = JSON.parse(
  readFileSync(new URL('./testing/example-events.json', import.meta.url), 'utf8'),
);

/**
 * One event of each type, in the order of `docs/events.md`, as the notifier published them of a sample company. Those of
 * timesheets are the life of one: created, approved, changed, processed, and all of it taken back.
 */
export const EXAMPLE_EVENTS = Object.fromEntries(EVENTS.map((event) => [event.type, event])) as {
  readonly [Type in EventType]: WorkforceEvent<Type>;
};
