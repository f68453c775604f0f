import type { Connection } from '#shared/config/schema/connection.ts';
import { alignDescription, describeEvent } from './describe-event.ts';

/** One line about an event, as `npm start` prints it; the text itself when it is none. */
export function formatEventLine(text: string, { timeZone }: Connection): string {
  const description = describeEvent(text, timeZone);
  if (description === null) return text;
  const { when, type, who, what } = alignDescription(description);
  return `${when}  ${type}  ${who}  ${what}`.trimEnd();
}
