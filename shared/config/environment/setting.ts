import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import * as z from 'zod';

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
  return z.string().min(1).transform(parseSetting).pipe(schema);
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
