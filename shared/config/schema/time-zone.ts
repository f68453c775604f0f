import * as z from 'zod';

/** IANA time zone name that this Node runtime knows, such as `Pacific/Auckland`. */
export const timeZoneSchema = z.string().refine(isTimeZone, {
  error: (issue) =>
    `unknown time zone ${JSON.stringify(issue.input)}; use an IANA name such as Pacific/Auckland`,
});

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name !== '';
  } catch {
    // Intl has no other way to ask whether a zone exists.
    return false;
  }
}
