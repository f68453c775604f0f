import type * as z from 'zod';
import { type EventType, type ShortEventType, toShortType } from '../event-types.ts';
import type { ChangeEvents, Misfit } from '../events/events.ts';
import { eventSchema } from './event-schemas.ts';

/** Changes by whether subscribers could read their events. */
interface CheckedChanges {
  readonly fitting: readonly ChangeEvents[];
  readonly misfits: readonly Misfit[];
}

/** Checks the events of changes against their published schemas. One that does not fit sets its whole change aside. */
export function checkEvents(changeEvents: readonly ChangeEvents[]): CheckedChanges {
  const fitting: ChangeEvents[] = [];
  const misfits: Misfit[] = [];
  for (const each of changeEvents) {
    const issues = [...new Set(each.texts.flatMap(findIssues))];
    if (issues.length === 0) fitting.push(each);
    else misfits.push({ ...each, issues });
  }
  return { fitting, misfits };
}

/** Built when a type is met first: most polls make events of a few types. */
const schemas = new Map<ShortEventType, z.ZodType>();

/** Paths of the members of an event that do not fit its published schema, never their values; none where it fits. */
export function findIssues(text: string): readonly string[] {
  const event = JSON.parse(text) as { readonly type: EventType };
  const { error } = schemaOf(toShortType(event.type)).safeParse(event);
  return error?.issues.map(({ path, code }) => (path.length === 0 ? code : path.join('.'))) ?? [];
}

function schemaOf(type: ShortEventType): z.ZodType {
  const schema = schemas.get(type) ?? eventSchema(type);
  schemas.set(type, schema);
  return schema;
}
