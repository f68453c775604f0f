import * as z from 'zod';

/** Longest name that Secrets Manager takes. */
const MAX_NAME_CHARACTERS = 512;

/**
 * Name of a secret in AWS Secrets Manager. `isMisplaced` says of a text whether it is what belongs into the secret, and
 * `content` what that is.
 */
export function secretNameSchema({ isMisplaced, content }: SecretNameOptions) {
  return z
    .string()
    .refine((text) => !isMisplaced(text), {
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
  readonly isMisplaced: (text: string) => boolean;
  readonly content: string;
}
