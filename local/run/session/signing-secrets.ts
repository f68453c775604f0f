import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import type { DataFolder } from '#local/aws/engines/data-folder.ts';
import { replaceFile } from '#shared/adapters/system/replace-file.ts';

/** File in the data folder. */
export const SIGNING_SECRETS_FILE = 'webhook-secrets.json';
/** The Standard Webhooks specification allows 24 to 64. */
const SECRET_BYTES = 32;

const signingSecretSchema = z.object({
  secret: z.string(),
  /** By the user, or generated. */
  origin: z.enum(['given', 'made']),
});
/** A signing secret and its origin. A `given` one must not be shown. */
export type SigningSecret = z.output<typeof signingSecretSchema>;

const secretsSchema = z.record(z.string(), signingSecretSchema);

/**
 * The signing secrets of a data folder by their names in the template. A secret is generated when first requested and
 * stored, so that receivers keep working in later runs. `given`: the user's secret for all webhooks; it is stored too.
 */
export function openSigningSecrets(
  folder: DataFolder,
  given: string | null = null,
): (secretName: string) => SigningSecret {
  const file = folder.file(SIGNING_SECRETS_FILE);
  const known = existsSync(file) ? secretsSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
  return (secretName) => {
    const kept = known[secretName];
    const wanted: SigningSecret =
      given === null ? (kept ?? generateSecret()) : { secret: given, origin: 'given' };
    if (kept?.secret === wanted.secret && kept.origin === wanted.origin) return kept;
    known[secretName] = wanted;
    replaceFile(file, JSON.stringify(known), 0o600);
    return wanted;
  };
}

function generateSecret(): SigningSecret {
  return { secret: `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`, origin: 'made' };
}
