import { NotifierError, SourceError } from '../../core/errors.ts';
import type { ReadSecret } from './credential.ts';

/**
 * A reader of a connection's secret, whose failures count as failures of the source. Throws `SourceError`:
 * `source_unauthorised` if the secret does not exist or may not be read, `source_unreachable` (retryable) if Secrets
 * Manager does not answer.
 */
export function toSourceSecretReader(readSecret: ReadSecret): ReadSecret {
  return async (ask) => {
    try {
      return await readSecret(ask);
    } catch (cause) {
      if (!(cause instanceof NotifierError)) throw cause;
      const { message, retryable } = cause;
      throw new SourceError(retryable ? 'source_unreachable' : 'source_unauthorised', message, {
        cause,
        retryable,
      });
    }
  };
}
