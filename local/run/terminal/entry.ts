import * as z from 'zod';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { describeEvent, type EventDescription } from '#shared/terminal/describe-event.ts';
import type { ReceivedMessage } from '#shared/terminal/format-message.ts';
import { escapeUnprintable, type Style } from '#shared/terminal/output.ts';
import { findStyle } from '../output/printer.ts';

/** One thing that a run tells on the terminal. */
export type Entry =
  | EventEntry
  | { readonly kind: 'message'; readonly message: ReceivedMessage }
  | { readonly kind: 'note'; readonly text: string }
  /** A new day of the company; `date` such as `Fri 20 Nov 2026`. */
  | { readonly kind: 'day'; readonly date: string };

export interface EventEntry extends EventDescription {
  readonly kind: 'event';
  /** Of the record; empty for events about the watching itself. */
  readonly id: string;
  /** The company's date when it arrived, `2026-11-20`. */
  readonly today: string;
  readonly style: Style | undefined;
  readonly departmentId: string | null;
  readonly employeeId: string | null;
  readonly isLate: boolean;
}

/** The facts of an event that are counted when many become one line. */
const factsSchema = z.looseObject({
  subject: z.string().catch(''),
  data: z
    .looseObject({
      departmentId: z.string().nullable().catch(null),
      employeeId: z.string().nullable().catch(null),
      late: z.array(z.unknown()).catch([]),
    })
    .catch({ departmentId: null, employeeId: null, late: [] }),
});

/** Reads a delivered text; one that is not an event is shown as it is. */
export function readEntry(
  text: string,
  { timeZone, today }: { readonly timeZone: string; readonly today: string },
): Entry {
  const description = describeEvent(text, timeZone);
  if (description === null) return { kind: 'note', text };
  const { subject, data } = factsSchema.parse(parseJsonOrNull(text));
  return {
    kind: 'event',
    ...description,
    id: escapeUnprintable(subject),
    today,
    style: findStyle(description.type),
    departmentId: data.departmentId,
    employeeId: data.employeeId,
    isLate: data.late.length > 0,
  };
}
