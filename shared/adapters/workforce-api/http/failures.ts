import { SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import { USER_AGENT } from '#shared/core/user-agent.ts';

/** What error messages say about a request, and what they must not say. */
export interface RequestContext {
  readonly purpose: 'read' | 'token';
  /** The address without its query. */
  readonly place: string;
  readonly secretName: string;
  /** Masked wherever the source repeats them. */
  readonly secrets: readonly string[];
}

interface Explained {
  readonly code: SourceErrorCode;
  /** What the source did, and how to mend it. */
  readonly what: string;
  readonly mend: string;
}

/** docs/source-api.md, Status codes. `secret`: the name of the secret, in quotes. */
const REFUSALS: Readonly<Record<number, (secret: string) => Explained>> = {
  401: (secret) => ({
    code: 'source_unauthorised',
    what: 'the source refused the token',
    mend: `put a valid token into the secret ${secret}`,
  }),
  403: (secret) => ({
    code: 'source_forbidden',
    what: 'the source forbids this',
    mend: `let the credential in the secret ${secret} read it`,
  }),
  404: () => ({ code: 'source_not_found', what: 'the source has nothing', mend: 'check baseUrl' }),
  409: () => ({ code: 'source_conflict', what: 'the source is in conflict', mend: 'ask again later' }),
  429: () => ({
    code: 'source_throttled',
    what: 'the source wants fewer requests',
    mend: 'lower requests.maxPerSecond if this lasts',
  }),
};
const OTHER_REFUSAL: Explained = {
  code: 'source_bad_request',
  what: 'the source does not accept the request',
  mend: 'check baseUrl and requests.pageSize',
};
const FAILURE: Explained = {
  code: 'source_failed',
  what: 'the source failed',
  mend: 'ask who runs it if this lasts',
};
const BLOCKED: Explained = {
  code: 'source_bad_response',
  what: 'a firewall or proxy between refused it',
  mend: `ask who runs it to let requests of ${USER_AGENT} through`,
};
const RETRYABLE: readonly SourceErrorCode[] = ['source_failed', 'source_throttled', 'source_conflict'];

/**
 * The error for a status of 400 or more. What the source said is kept apart from the message, because it may contain
 * names of people.
 */
export function toRefusalError(status: number, said: string, asked: RequestContext): SourceError {
  const { code, what, mend } = explainStatus(status, said, asked);
  const excerpt = maskSecrets(said, asked.secrets);
  return new SourceError(code, `${what} (${status}) at ${asked.place}; ${mend}`, {
    status,
    retryable: RETRYABLE.includes(code),
    ...(excerpt === '' ? {} : { said: excerpt }),
  });
}

/** The API speaks JSON. */
const JSON_START = /^\s*[{["]/;

function explainStatus(status: number, said: string, { purpose, secretName }: RequestContext): Explained {
  // 407 is always of a proxy; 403 is of a firewall when somebody else than the API says it.
  if (status === 407 || (status === 403 && said.trim() !== '' && !JSON_START.test(said))) return BLOCKED;
  if (status >= 500 || status === 408) return FAILURE;
  const secret = `"${secretName}"`;
  if (purpose === 'token' && status !== 429)
    return {
      code: 'source_unauthorised',
      what: 'the source gave no token',
      mend: `check clientId, clientSecret and tokenPath in the secret ${secret}`,
    };
  return REFUSALS[status]?.(secret) ?? OTHER_REFUSAL;
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

/** An answer that is not read, or not whole, because of its size. `what` names the bound that it exceeds. */
export function tooLargeError(what: string, place: string): SourceError {
  return new SourceError(
    'source_too_large',
    `the source answered with ${what} at ${place}; check that baseUrl leads to the API itself, or lower requests.pageSize`,
  );
}

const EXCERPT_CHARACTERS = 500;
/** Characters of an answer that are looked through. */
const MAX_SAID_CHARACTERS = 16 * 1024;
/** A shorter secret is a word that stands in any text. */
const MIN_SECRET_CHARACTERS = 4;
const MASKED = '[masked]';
const NAMED_SECRET =
  /(?<![\w-])(?=[\w-]*(?:token|secret|password|api[_-]?key))([\w-]+)(["']? ?[:=] ?["']?)[^\s"'<>,;&]+/gi;

/**
 * The first 500 characters of a text in one line, with secrets masked: the given ones, and what looks like a bearer
 * token, a JWT or a named secret. The text is bounded first, so that no answer keeps the process busy; masked before it
 * is cut to the excerpt, so that no half of a secret is left. Each pattern begins only where a word does: none reads a
 * long word more than a few times.
 */
function maskSecrets(text: string, secrets: readonly string[]): string {
  let masked = text.slice(0, MAX_SAID_CHARACTERS).replace(/[\p{Cc}\p{Cf}\u2028\u2029\s]+/gu, ' ');
  for (const secret of secrets)
    if (secret.length >= MIN_SECRET_CHARACTERS) masked = masked.replaceAll(secret, MASKED);
  return masked
    .replace(/\b(bearer|basic) [^\s"'<>,;]+/gi, `$1 ${MASKED}`)
    .replace(/(?<![\w-])(?:eyJ[\w-]{5,}(?:\.[\w-]*){0,2}|[\w-]{8,}\.[\w-]{8,}\.[\w-]*)/g, MASKED)
    .replace(NAMED_SECRET, `$1$2${MASKED}`)
    .slice(0, EXCERPT_CHARACTERS)
    .trim();
}
