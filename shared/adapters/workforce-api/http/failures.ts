import { SourceError, type SourceErrorCode } from '#shared/core/errors.ts';

const EXCERPT_CHARACTERS = 500;

/** Where a request went, without its query, what for, and what must not be told. */
export interface RequestContext {
  readonly purpose: 'read' | 'token';
  readonly place: string;
  readonly secretName: string;
  /** Texts that are masked wherever the source repeats them. */
  readonly secrets: readonly string[];
}

/** The failure an error status of section 7 means. What the source said stands apart: it may name people. */
export function toRefusalError(status: number, said: string, asked: RequestContext): SourceError {
  const { code, message } = explainStatus(status, asked);
  const excerpt = maskSecrets(said, asked.secrets);
  return new SourceError(code, message, {
    status,
    retryable: retryable(code),
    ...(excerpt === '' ? {} : { said: excerpt }),
  });
}

function explainStatus(status: number, asked: RequestContext): { code: SourceErrorCode; message: string } {
  const { place, secretName } = asked;
  const at = `(${status}) at ${place}`;
  if (status >= 500 || status === 408)
    return { code: 'source_failed', message: `the source failed ${at}; ask who runs it if this lasts` };
  if (asked.purpose === 'token' && status !== 429)
    return {
      code: 'source_unauthorised',
      message: `the source gave no token ${at}; check clientId, clientSecret and tokenPath in the secret "${secretName}"`,
    };
  switch (status) {
    case 401:
      return {
        code: 'source_unauthorised',
        message: `the source refused the token ${at}; put a valid token into the secret "${secretName}"`,
      };
    case 403:
      return {
        code: 'source_forbidden',
        message: `the source forbids this ${at}; let the credential in the secret "${secretName}" read it`,
      };
    case 404:
      return { code: 'source_not_found', message: `the source has nothing ${at}; check baseUrl` };
    case 409:
      return { code: 'source_conflict', message: `the source is in conflict ${at}; ask again later` };
    case 429:
      return {
        code: 'source_throttled',
        message: `the source wants fewer requests ${at}; lower requests.maxPerSecond if this lasts`,
      };
    default:
      return {
        code: 'source_bad_request',
        message: `the source does not accept the request ${at}; check baseUrl and requests.pageSize`,
      };
  }
}

/** A redirect: never followed, so that the token goes nowhere but to the address that was configured. */
export function redirectError(status: number, place: string): SourceError {
  return new SourceError(
    'source_redirected',
    `the source redirects (${status}) from ${place}; redirects are not followed, set baseUrl to the final address`,
    { status },
  );
}

/**
 * No answer, or not a whole one. The error underneath is left out: of what is no HTTP its parser keeps the text, which
 * whoever logs the error would print.
 */
export function unreachableError(place: string, why: string): SourceError {
  return new SourceError(
    'source_unreachable',
    `no whole answer from ${place} (${why}); check baseUrl, the network and whether the source is up`,
    { retryable: true },
  );
}

/** An answer that says it is good and is not. `what` tells its form, nothing of its contents. */
export function badResponseError(
  what: string,
  place: string,
  { final = false, status = 200 }: { final?: boolean; status?: number } = {},
): SourceError {
  return new SourceError(
    'source_bad_response',
    `the source answered ${what} at ${place}; check that baseUrl leads to the API itself`,
    { status, retryable: !final },
  );
}

function retryable(code: SourceErrorCode): boolean {
  return code === 'source_failed' || code === 'source_throttled' || code === 'source_conflict';
}

/**
 * The beginning of a text of the source in one line, with secrets masked: those we know, and whatever looks like a
 * bearer token, a JWT or a named secret. Masked before it is cut, so that no half of a secret is left.
 */
function maskSecrets(text: string, secrets: readonly string[]): string {
  let masked = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029\s]+/gu, ' ');
  for (const secret of secrets) if (secret.length > 3) masked = masked.replaceAll(secret, '[masked]');
  return masked
    .replace(/\b(bearer|basic)\s+[^\s"'<>,;]+/gi, '$1 [masked]')
    .replace(/[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, '[masked]')
    .replace(
      /\b(\w*(?:token|secret|password|api[_-]?key)\w*)(["']?\s*[:=]\s*["']?)[^\s"'<>,;&]+/gi,
      '$1$2[masked]',
    )
    .slice(0, EXCERPT_CHARACTERS)
    .trim();
}
