import { ForbiddenTarget } from './target.ts';

/** Patterns of codes of Node and OpenSSL; the first that matches counts. */
const REASONS: readonly (readonly [code: RegExp, reason: string])[] = [
  [/^(?:ENOTFOUND$|EAI_)/, 'name_unknown'],
  [/^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|HOSTNAME_MISMATCH$|EPROTO$)|SELF_SIGNED/, 'tls_failed'],
  [/^HPE_HEADER_OVERFLOW$/, 'answer_too_long'],
  [/^HPE_/, 'answer_invalid'],
];

export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/** Why there was no answer, as a stable code. */
export function classifyFailure(error: unknown): string {
  if (error instanceof ForbiddenTarget) return 'target_forbidden';
  if (error instanceof TimedOut) return 'timeout';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? 'connection_failed';
}
