import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import * as z from 'zod';

/** Bytes of a value as JSON up to which it stays readable in the console. */
const READABLE_BYTES = 1_000;

/**
 * A value for an environment variable. Lambda takes 4 KB in all, so that what is long is compressed; JSON of an object
 * begins with a brace, which base64 does not know.
 */
export function writeSetting(value: object): string {
  const text = JSON.stringify(value);
  return text.length <= READABLE_BYTES ? text : brotliCompressSync(text).toString('base64');
}

/** The value that `writeSetting` wrote, unchecked. Throws when the text is neither of its two forms. */
export function readSetting(text: string): unknown {
  return JSON.parse(
    text.startsWith('{') ? text : brotliDecompressSync(Buffer.from(text, 'base64')).toString(),
  );
}

/** A variable that `writeSetting` wrote, checked by a schema of what it holds. */
export function settingSchema<Schema extends z.ZodType>(schema: Schema) {
  return z.string().min(1).transform(parseSetting).pipe(schema);
}

/** An issue in place of the error of whoever reads it, which would not name the variable. */
function parseSetting(text: string, context: z.RefinementCtx): unknown {
  try {
    return readSetting(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'is not what the template writes; deploy the stack again' });
    return z.NEVER;
  }
}
