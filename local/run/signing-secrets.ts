import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import type { DataFolder } from '#local/aws/data-folder.ts';

const FILE = 'webhook-secrets.json';
/** Bytes of a secret: the specification wants 24 to 64. */
const SECRET_BYTES = 32;

const secretsSchema = z.record(z.string(), z.string());

/**
 * The secrets that webhooks of this data folder are signed with, by their names in the template. One that is asked for
 * the first time is made, and kept: a receiver that knows it goes on knowing it. `given`: the one that the user wants,
 * for all of them; it is kept as well.
 */
export function openSigningSecrets(
  folder: DataFolder,
  given: string | null = null,
): (secretName: string) => string {
  const file = folder.file(FILE);
  const known = existsSync(file) ? secretsSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
  return (secretName) => {
    const kept = known[secretName];
    const secret = given ?? kept ?? `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
    if (secret === kept) return secret;
    known[secretName] = secret;
    // A kill in the middle of writing leaves the file as it was.
    writeFileSync(`${file}.new`, JSON.stringify(known), { mode: 0o600 });
    renameSync(`${file}.new`, file);
    return secret;
  };
}
