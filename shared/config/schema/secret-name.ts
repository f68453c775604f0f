import * as z from 'zod';

/** What the name of a parameter begins with, in the place of a secret's. */
const PARAMETER = 'ssm:';
/** Below another path than what the stack publishes, which more people may read. AWS allows 15 levels. */
const PARAMETER_NAME = /^ssm:\/secrets(?:\/[\w.-]+){1,14}$/;

/** The name of the parameter of Systems Manager that holds a secret; null when it is in Secrets Manager. */
export function readParameterName(secretName: string): string | null {
  return secretName.startsWith(PARAMETER) ? secretName.slice(PARAMETER.length) : null;
}

/** The reverse of `readParameterName`. */
export function nameParameter(parameter: string): string {
  return `${PARAMETER}${parameter}`;
}

/** Limit of Secrets Manager. */
const MAX_NAME_CHARACTERS = 512;

const SECRET_NAME = /^[\w/+=.@-]+$/;

/** A JSON Web Token: base64url of a JSON object, then two to four more parts, of which some may be empty (RFC 7515, RFC 7516). */
const JSON_WEB_TOKEN = /^eyJ[\w-]*(?:\.[\w-]*){2,4}$/;

/** Name of a secret in AWS Secrets Manager, or `ssm:` and that of a parameter. Refuses a secret that was written in place of its name. */
export function secretNameSchema({ isMisplaced, content }: SecretNameOptions) {
  return z
    .string()
    .refine((text) => !(isMisplaced(text) || JSON_WEB_TOKEN.test(text)), {
      error: `secretName is the name of a secret; put the ${content} into that secret, and its name here`,
      abort: true,
    })
    .refine((text) => !text.startsWith(PARAMETER) || PARAMETER_NAME.test(text), {
      error: ({ input }) =>
        `a parameter is ssm:/secrets/ and up to 14 levels of letters, digits and _.-, such as ssm:/secrets/workforce-notifier/main${showPath(String(input))}`,
      abort: true,
    })
    .regex(
      new RegExp(`${SECRET_NAME.source}|${PARAMETER_NAME.source}`),
      'a secret name is letters, digits and /_+=.@-, such as workforce-notifier/main, or that of a parameter, such as ssm:/secrets/workforce-notifier/main; the secret itself does not belong here',
    )
    .max(MAX_NAME_CHARACTERS);
}

/** What cannot be a secret may be shown. */
function showPath(secretName: string): string {
  return secretName.startsWith(`${PARAMETER}/`) ? `, got ${JSON.stringify(secretName)}` : '';
}

interface SecretNameOptions {
  /** Whether a text looks like the content of the secret. */
  readonly isMisplaced: (text: string) => boolean;
  /** What the secret contains, in words. */
  readonly content: string;
}
