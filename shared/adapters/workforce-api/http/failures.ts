import { SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import { USER_AGENT } from '#shared/core/user-agent.ts';

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
  const { code, message } = isFromBetween(status, said)
    ? blameBetween(status, asked)
    : explainStatus(status, asked, said);
  const excerpt = maskSecrets(said, asked.secrets);
  return new SourceError(code, message, {
    status,
    retryable: isRetryable(code),
    ...(excerpt === '' ? {} : { said: excerpt }),
  });
}

/** The API speaks JSON. */
const JSON_START = /^\s*[{["]/;

/** 407 is always of a proxy; 403 is of a firewall when somebody else than the API says it. */
function isFromBetween(status: number, said: string): boolean {
  return status === 407 || (status === 403 && said.trim() !== '' && !JSON_START.test(said));
}

interface Explained {
  readonly code: SourceErrorCode;
  readonly message: string;
}

function blameBetween(status: number, { place }: RequestContext): Explained {
  return {
    code: 'source_bad_response',
    message: `a firewall or proxy between refused it (${status}) at ${place}; ask who runs it to let requests of ${USER_AGENT} through`,
  };
}

function explainStatus(status: number, asked: RequestContext, said: string): Explained {
  const { place, secretName } = asked;
  const at = `(${status}) at ${place}`;
  // Nobody says who refused it.
  const orBetween =
    status === 403 && said.trim() === ''
      ? `, or let requests of ${USER_AGENT} through a firewall or proxy between`
      : '';
  if (status >= 500 || status === 408)
    return { code: 'source_failed', message: `the source failed ${at}; ask who runs it if this lasts` };
  if (asked.purpose === 'token' && status !== 429)
    return {
      code: 'source_unauthorised',
      message: `the source gave no token ${at}; check clientId, clientSecret and tokenPath in the secret "${secretName}"${orBetween}`,
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
        message: `the source forbids this ${at}; let the credential in the secret "${secretName}" read it${orBetween}`,
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

/** An answer that is not read, or not whole, because of its size. `what` names the bound that it exceeds. */
export function tooLargeError(what: string, place: string): SourceError {
  return new SourceError(
    'source_too_large',
    `the source answered with ${what} at ${place}; check that baseUrl leads to the API itself, or lower requests.pageSize`,
  );
}

function isRetryable(code: SourceErrorCode): boolean {
  return code === 'source_failed' || code === 'source_throttled' || code === 'source_conflict';
}

/** Characters of an answer that are looked through. */
const MAX_SAID_CHARACTERS = 16 * 1024;
/** Shorter parts of a secret are not looked for at the end of a text that broke off. */
const MIN_SECRET_PART = 4;

/**
 * The first 500 characters of a text in one line, with secrets masked: the given ones, and what looks like a bearer
 * token, a JWT or a named secret. The text is bounded first, so that no answer keeps the process busy; masked before it
 * is cut to the excerpt, so that no half of a secret is left. Each pattern begins only where a word does: none reads a
 * long word more than a few times.
 */
function maskSecrets(text: string, secrets: readonly string[]): string {
  let masked = text.slice(0, MAX_SAID_CHARACTERS).replace(/[\p{Cc}\p{Cf}\u2028\u2029\s]+/gu, ' ');
  for (const secret of secrets.filter(({ length }) => length >= MIN_SECRET_PART))
    masked = maskBrokenOff(masked.replaceAll(secret, MASKED), secret);
  return masked
    .replace(/\b(bearer|basic) [^\s"'<>,;]+/gi, `$1 ${MASKED}`)
    .replace(/(?<![\w-])(?:eyJ[\w-]{5,}(?:\.[\w-]*){0,2}|[\w-]{8,}\.[\w-]{8,}\.[\w-]*)/g, MASKED)
    .replace(NAMED_SECRET, `$1$2${MASKED}`)
    .slice(0, EXCERPT_CHARACTERS)
    .trim();
}

const MASKED = '[masked]';
const NAMED_SECRET =
  /(?<![\w-])(?=[\w-]*(?:token|secret|password|api[_-]?key))([\w-]+)(["']? ?[:=] ?["']?)[^\s"'<>,;&]+/gi;

/** Masks the beginning of a secret in which a text ends, because it was cut or the connection broke. */
function maskBrokenOff(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= MIN_SECRET_PART; length -= 1)
    if (text.endsWith(secret.slice(0, length))) return `${text.slice(0, -length)}${MASKED}`;
  return text;
}
