import { NotifierError, SourceError } from '../../core/errors.ts';
import type { ReadSecret } from './credential.ts';

/**
 * A reader of a connection's secret: what cannot be read is a failure of the source. Throws `SourceError`:
 * `source_unauthorised` when the secret is not there or not ours to read, `source_unreachable` (retryable) when nobody
 * answers for it.
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
