import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import type { DataFolder } from '#local/aws/engines/data-folder.ts';

/** Name of the file in the data folder that secrets are kept in. */
export const SIGNING_SECRETS_FILE = 'webhook-secrets.json';
/** Bytes of a secret: the specification wants 24 to 64. */
const SECRET_BYTES = 32;

const signingSecretSchema = z.object({
  secret: z.string(),
  /** By the user, by us, or so long ago that nobody wrote down by whom. */
  origin: z.enum(['given', 'made', 'unknown']),
});
/** A secret that a webhook is signed with, and where it comes from: one that was given is not to be shown. */
export type SigningSecret = z.output<typeof signingSecretSchema>;

/** Folders of earlier versions hold the secrets alone. */
const bareSecretSchema = z.string().transform((secret): SigningSecret => ({ secret, origin: 'unknown' }));
const secretsSchema = z.record(z.string(), z.union([bareSecretSchema, signingSecretSchema]));

/**
 * The secrets that webhooks of this data folder are signed with, by their names in the template. One that is asked for
 * the first time is made, and kept: a receiver that knows it goes on knowing it. `given`: the one that the user wants,
 * for all of them; it is kept as well.
 */
export function openSigningSecrets(
  folder: DataFolder,
  given: string | null = null,
): (secretName: string) => SigningSecret {
  const file = folder.file(SIGNING_SECRETS_FILE);
  const known = existsSync(file) ? secretsSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
  return (secretName) => {
    const kept = known[secretName];
    const wanted: SigningSecret = given === null ? (kept ?? made()) : { secret: given, origin: 'given' };
    if (kept?.secret === wanted.secret && kept.origin === wanted.origin) return kept;
    known[secretName] = wanted;
    // A kill in the middle of writing leaves the file as it was.
    writeFileSync(`${file}.new`, JSON.stringify(known), { mode: 0o600 });
    renameSync(`${file}.new`, file);
    return wanted;
  };
}

function made(): SigningSecret {
  return { secret: `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`, origin: 'made' };
}
