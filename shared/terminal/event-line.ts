import { alignDescription, describeEvent } from './describe-event.ts';
import { escapeUnprintable } from './output.ts';

/** One line about an event, in the columns of `npm start`; the text itself when it is not an event. */
export function formatEventLine(text: string, timeZone: string): string {
  const description = describeEvent(text, timeZone);
  if (description === null) return escapeUnprintable(text);
  const { when, type, who, tail } = alignDescription(description);
  return `${when}  ${type}  ${who}  ${tail}`.trimEnd();
}
