import * as z from 'zod';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';

/** The text of a secret, or its member when it is an object in JSON: empty where that has no such text. */
export function readSecretText(secret: string, member: string): string {
  const text = secret.trim();
  if (!text.startsWith('{')) return text;
  const { data } = z.object({ [member]: z.string() }).safeParse(parseJsonOrNull(text));
  return data?.[member]?.trim() ?? '';
}
