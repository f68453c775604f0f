import { SourceError, type SourceErrorCode } from '#shared/core/errors.ts';

const EXCERPT_CHARACTERS = 500;

/** What error messages say about a request, and what they must not say. */
export interface RequestContext {
  readonly purpose: 'read' | 'token';
  /** The address without its query. */
  readonly place: string;
  readonly secretName: string;
  /** Masked wherever the source repeats them. */
  readonly secrets: readonly string[];
}

/**
 * The error for a status of docs/source-api.md, Status codes. What the source said is kept apart from the message,
 * because it may contain names of people.
 */
export function toRefusalError(status: number, said: string, asked: RequestContext): SourceError {
  const { code, message } = explainStatus(status, asked);
  const excerpt = maskSecrets(said, asked.secrets);
  return new SourceError(code, message, {
    status,
    retryable: isRetryable(code),
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

/** Redirects are never followed, so that the token goes only to the configured address. */
export function redirectError(status: number, place: string): SourceError {
  return new SourceError(
    'source_redirected',
    `the source redirects (${status}) from ${place}; redirects are not followed, set baseUrl to the final address`,
    { status },
  );
}

/**
 * No answer, or not a whole one. It has no cause: the HTTP parser's error holds the text that it could not parse, and a
 * logger would print it.
 */
export function unreachableError(place: string, why: string): SourceError {
  return new SourceError(
    'source_unreachable',
    `no whole answer from ${place} (${why}); check baseUrl, the network and whether the source is up`,
    { retryable: true },
  );
}

/** A 2xx answer that is not usable. `what` describes its form, never its contents. */
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

function isRetryable(code: SourceErrorCode): boolean {
  return code === 'source_failed' || code === 'source_throttled' || code === 'source_conflict';
}

/**
 * The first 500 characters of a text in one line, with secrets masked: the given ones, and what looks like a bearer
 * token, a JWT or a named secret. Masked before it is cut, so that no half of a secret is left.
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
