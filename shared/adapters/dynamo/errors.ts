import {
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  IdempotentParameterMismatchException,
  ResourceNotFoundException,
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import { NotifierError } from '#shared/core/errors.ts';

/** What a failed request means for us. */
export type TableFailure =
  /** Somebody else wrote first. */
  | { readonly kind: 'conflict' }
  /** Somebody else's transaction is writing the same item right now. */
  | { readonly kind: 'contended'; readonly error: NotifierError }
  /** Too much at once: worth trying again a little later. */
  | { readonly kind: 'busy'; readonly error: NotifierError }
  | { readonly kind: 'final'; readonly error: NotifierError };

/** Reasons of a cancelled transaction that tell of another writer. */
const CONFLICT_REASONS = new Set(['ConditionalCheckFailed', 'TransactionConflict']);
const THROTTLING_REASONS = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded']);
const THROTTLING_NAMES = new Set([
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
]);

/** Judges an error of the SDK. Throws what is no error of DynamoDB or of the way to it: a bug must not hide. */
export function classifyError(cause: unknown, tableName: string): TableFailure {
  if (cause instanceof TypeError || cause instanceof RangeError || cause instanceof NotifierError)
    throw cause;
  if (cause instanceof TransactionConflictException) {
    return { kind: 'contended', error: throttledError(tableName, cause) };
  }
  if (isConflict(cause)) return { kind: 'conflict' };
  if (isThrottling(cause)) return { kind: 'busy', error: throttledError(tableName, cause) };
  if (cause instanceof ResourceNotFoundException) {
    return {
      kind: 'final',
      error: new NotifierError(
        'store_table_missing',
        `there is no table "${tableName}"; deploy the stack that makes it, or correct TABLE_NAME`,
        { cause },
      ),
    };
  }
  if (cause instanceof DynamoDBServiceException && cause.$fault === 'client') {
    return { kind: 'final', error: rejectedError(tableName, cause) };
  }
  return {
    kind: 'final',
    error: new NotifierError(
      'store_unreachable',
      `table "${tableName}" does not answer (${nameOf(cause)}); the next poll finds everything as it was`,
      { cause, retryable: true },
    ),
  };
}

export function throttledError(tableName: string, cause?: unknown): NotifierError {
  return new NotifierError(
    'store_throttled',
    `table "${tableName}" takes no more requests for now; raise its capacity limits if this goes on`,
    { cause, retryable: true },
  );
}

function rejectedError(tableName: string, cause: DynamoDBServiceException): NotifierError {
  const reasons = reasonsOf(cause);
  const why = reasons.length === 0 ? cause.name : `${cause.name}: ${reasons.join(', ')}`;
  const mend =
    cause.name === 'AccessDeniedException'
      ? 'let the function use the table in its role'
      : 'its keys or the size of what is written do not fit it';
  return new NotifierError('store_rejected', `table "${tableName}" rejects a request (${why}); ${mend}`, {
    cause,
  });
}

/**
 * A token that was used for another write belongs to the revision we are about to write: that revision is taken,
 * and what we planned on the one before is stale. So it counts as a conflict and not as an error.
 */
function isConflict(cause: unknown): boolean {
  return (
    cause instanceof ConditionalCheckFailedException ||
    cause instanceof IdempotentParameterMismatchException ||
    reasonsOf(cause).some((reason) => CONFLICT_REASONS.has(reason))
  );
}

function isThrottling(cause: unknown): boolean {
  if (cause instanceof TransactionInProgressException) return true;
  const reasons = reasonsOf(cause);
  if (reasons.length > 0) return reasons.every((reason) => THROTTLING_REASONS.has(reason));
  return THROTTLING_NAMES.has(nameOf(cause));
}

/** Why a transaction was cancelled: one code for each item that had a part in it. */
function reasonsOf(cause: unknown): string[] {
  if (!(cause instanceof TransactionCanceledException)) return [];
  return (cause.CancellationReasons ?? []).flatMap(({ Code }) =>
    Code === undefined || Code === 'None' ? [] : [Code],
  );
}

function nameOf(cause: unknown): string {
  return cause instanceof Error ? cause.name : 'unknown error';
}
