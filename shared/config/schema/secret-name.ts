import * as z from 'zod';

/** Limit of Secrets Manager. */
const MAX_NAME_CHARACTERS = 512;

/** A JSON Web Token: base64url of a JSON object, then two to four more parts, of which some may be empty (RFC 7515, RFC 7516). */
const JSON_WEB_TOKEN = /^eyJ[\w-]*(?:\.[\w-]*){2,4}$/;

/** Name of a secret in AWS Secrets Manager. Refuses a secret that was written in place of its name. */
export function secretNameSchema({ isMisplaced, content }: SecretNameOptions) {
  return z
    .string()
    .refine((text) => !(isMisplaced(text) || JSON_WEB_TOKEN.test(text)), {
      error: `secretName is the name of a secret; put the ${content} into that secret, and its name here`,
      abort: true,
    })
    .regex(
      /^[\w/+=.@-]+$/,
      'a secret name is letters, digits and /_+=.@-, such as workforce-notifier/main; the secret itself does not belong here',
    )
    .max(MAX_NAME_CHARACTERS);
}

interface SecretNameOptions {
  /** Whether a text looks like the content of the secret. */
  readonly isMisplaced: (text: string) => boolean;
  /** What the secret contains, in words. */
  readonly content: string;
}
