import * as z from 'zod';

/** Longest name that Secrets Manager takes. */
const MOST_CHARACTERS = 512;

/**
 * Name of a secret in AWS Secrets Manager. `misplaced` says of a text whether it is what belongs into the secret, and
 * `content` what that is.
 */
export function secretNameSchema({ misplaced, content }: Misplaced) {
  return z
    .string()
    .refine((text) => !misplaced(text), {
      error: `secretName is the name of a secret; put the ${content} into that secret, and its name here`,
      abort: true,
    })
    .regex(
      /^[\w/+=.@-]+$/,
      'a secret name is letters, digits and /_+=.@-, such as workforce-notifier/main; the secret itself does not belong here',
    )
    .max(MOST_CHARACTERS);
}

interface Misplaced {
  readonly misplaced: (text: string) => boolean;
  readonly content: string;
}
