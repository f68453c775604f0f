import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import * as z from 'zod';
import { ENVIRONMENT } from './names.ts';

/** A variable that is set. */
export const textSchema = z.string().min(1);

/** A number of days. Made on demand: only bundles that read one contain how. */
export function daysSchema() {
  return z.coerce.number().pipe(z.int().min(1));
}

/** The topics of all events, as `readEnvironment` takes them. */
export function topicArns() {
  return {
    timesheets: [ENVIRONMENT.topicArns.timesheets, textSchema],
    clockings: [ENVIRONMENT.topicArns.clockings, textSchema],
    'pay-periods': [ENVIRONMENT.topicArns['pay-periods'], textSchema],
    directory: [ENVIRONMENT.topicArns.directory, textSchema],
    operations: [ENVIRONMENT.topicArns.operations, textSchema],
  } as const;
}

/** Variables of a function by what its code calls them: the name of each, and what it holds. */
type Settings = Readonly<Record<string, readonly [variable: string, schema: z.ZodType]>>;

/** Reads what a function needs of its environment. Throws a ZodError that names every variable that is missing or wrong. */
export function readEnvironment<const Needed extends Settings>(
  needed: Needed,
  variables: Readonly<Record<string, string | undefined>>,
): { readonly [Name in keyof Needed]: z.output<Needed[Name][1]> } {
  const read = z.object(Object.fromEntries(Object.values(needed))).parse(variables);
  const named = Object.entries(needed).map(([name, [variable]]) => [name, read[variable]]);
  return Object.fromEntries(named);
}

/** Longer values are compressed; shorter ones stay readable in the console of AWS. */
const MAX_READABLE_BYTES = 1_000;

/**
 * Writes a value for an environment variable. Lambda allows 4 KB for all of them, so a long value is compressed. JSON
 * of an object begins with a brace, which base64 never does.
 */
export function writeSetting(value: object): string {
  const text = JSON.stringify(value);
  return text.length <= MAX_READABLE_BYTES ? text : brotliCompressSync(text).toString('base64');
}

/** The value that `writeSetting` wrote, unchecked. Throws when the text is not of either form. */
export function readSetting(text: string): unknown {
  return JSON.parse(
    text.startsWith('{') ? text : brotliDecompressSync(Buffer.from(text, 'base64')).toString(),
  );
}

/** Schema of an environment variable that `writeSetting` wrote; `schema` checks the value. */
export function settingSchema<Schema extends z.ZodType>(schema: Schema) {
  return textSchema.transform(parseSetting).pipe(schema);
}

/** Reports an issue instead of throwing, so that the error names the variable. */
function parseSetting(text: string, context: z.RefinementCtx): unknown {
  try {
    return readSetting(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'is not what the template writes; deploy the stack again' });
    return z.NEVER;
  }
}
