import * as z from 'zod';
import { isClosesAt, parseLeadMs } from '#shared/period/deadlines.ts';

const MAX_CALENDARS = 50;
const MAX_REMINDERS = 10;
/** A shorter lead would be over before the message is read. */
const MIN_LEAD_MS = 10 * 60_000;
const MAX_LEAD_MS = 31 * 86_400_000;

const leadSchema = z.string().refine(isLead, {
  error: "a reminder is a time before the deadline such as '1d', '4h' or '30m', from 10m to 31d",
});

function isLead(text: string): boolean {
  const lead = parseLeadMs(text);
  return lead !== null && lead >= MIN_LEAD_MS && lead <= MAX_LEAD_MS;
}

/** When the periods of a pay calendar close, and how long before that people are reminded (docs/messages.md). */
const calendarSchema = z.strictObject({
  /** As the source writes it. */
  name: z.string().min(1).max(200),
  /**
   * In the zone of the connection: `Fri 10:00`, the first one after the last day of a period, or `+2d 10:00`, so many
   * days after the last day.
   */
  closesAt: z.string().refine(isClosesAt, {
    error:
      "closesAt is a weekday and a time such as 'Fri 10:00', or days after the last day of a period and a time such as '+2d 10:00'",
  }),
  /** Times before the deadline. An empty list: only daily summaries say when the period is to close. */
  remindBefore: z
    .array(leadSchema)
    .max(MAX_REMINDERS)
    .superRefine((leads, context) => {
      for (const [index, lead] of leads.entries()) {
        if (leads.findIndex((other) => parseLeadMs(other) === parseLeadMs(lead)) === index) continue;
        const message = 'this reminder is in the list already; name it once';
        context.addIssue({ code: 'custom', path: [index], message });
      }
    })
    .default(['1d', '1h']),
});

export const calendarsSchema = z
  .array(calendarSchema)
  .max(MAX_CALENDARS)
  .superRefine((calendars, context) => {
    const names = calendars.map(({ name }) => name);
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) === index) continue;
      const message = `the calendar ${JSON.stringify(name)} has an entry before it; give each calendar one`;
      context.addIssue({ code: 'custom', path: [index, 'name'], message });
    }
  });
