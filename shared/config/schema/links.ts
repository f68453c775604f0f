import * as z from 'zod';

const RECORD_URL_FORM =
  'recordUrl is an https address such as https://acme.example/timesheets/{timesheetId}, with {employeeId} or {connection} where needed';

/** Checked with its placeholders filled in: they may stand anywhere but in the host. */
const recordUrlSchema = z.string().max(500).refine(isRecordUrl, { error: RECORD_URL_FORM });

function isRecordUrl(text: string): boolean {
  const filled = text.replaceAll(/\{(timesheetId|employeeId|connection)\}/g, 'x');
  return (
    /^https:\/\/[^/?#{}\s]+\//.test(text) &&
    !/[\s{}<>|]/.test(filled) &&
    text.includes('{timesheetId}') &&
    URL.canParse(filled)
  );
}

/** Also http: the console of one machine is on its own loopback address. */
const consoleUrlSchema = z.string().max(200).refine(isConsoleUrl, {
  error: 'consoleUrl is the address of a console without path, such as http://127.0.0.1:4600',
});

function isConsoleUrl(text: string): boolean {
  return /^https?:\/\/[^/?#@\s{}<>|]+$/.test(text) && URL.canParse(text);
}

/** Where messages lead. */
export const linksSchema = z.strictObject({
  /** Where people open a timesheet: `https://.../{timesheetId}`. Without it messages have no links. */
  recordUrl: recordUrlSchema.optional(),
  /**
   * Where the console runs (docs/console.md), such as `http://127.0.0.1:4600`: alerts about records that have no
   * `recordUrl`, and pay periods, link to it.
   */
  consoleUrl: consoleUrlSchema.optional(),
});
export type Links = z.output<typeof linksSchema>;
