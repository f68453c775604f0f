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

/** What the failure of a request means. */
export type TableFailure =
  /** Another writer was first. */
  | { readonly kind: 'conflict' }
  /** A transaction of another writer holds the item now. */
  | { readonly kind: 'contended'; readonly error: NotifierError }
  /** Throttled: a retry may succeed. */
  | { readonly kind: 'busy'; readonly error: NotifierError }
  | { readonly kind: 'final'; readonly error: NotifierError };

/** Reasons of a cancelled transaction that mean another writer. */
const CONFLICT_REASONS = new Set(['ConditionalCheckFailed', 'TransactionConflict']);
const THROTTLING_REASONS = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded']);
const THROTTLING_NAMES = new Set([
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
]);

/** Classifies an error of a request. Throws a programming error again: it must not look like a failure of DynamoDB. */
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
        `there is no table "${tableName}"; deploy the stack that creates it, or correct TABLE_NAME`,
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
      `table "${tableName}" does not answer (${nameOf(cause)}); nothing is lost, the next run continues from what is stored`,
      { cause, retryable: true },
    ),
  };
}

export function throttledError(tableName: string, cause?: unknown): NotifierError {
  return new NotifierError(
    'store_throttled',
    `DynamoDB throttles table "${tableName}"; raise its capacity limits if this continues`,
    { cause, retryable: true },
  );
}

function rejectedError(tableName: string, cause: DynamoDBServiceException): NotifierError {
  const reasons = reasonsOf(cause);
  const why = reasons.length === 0 ? cause.name : `${cause.name}: ${reasons.join(', ')}`;
  const mend =
    cause.name === 'AccessDeniedException'
      ? 'grant its role access to the table'
      : 'check the keys of the table and the size of the items';
  return new NotifierError(
    'store_rejected',
    `DynamoDB rejected a request to table "${tableName}" (${why}); ${mend}`,
    {
      cause,
    },
  );
}

/**
 * A token that was used for another write belongs to the revision that this write would create. That revision exists,
 * and this write was planned on the one before: a conflict, not an error.
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

/** Codes of why a transaction was cancelled, one for each item that caused it. */
function reasonsOf(cause: unknown): string[] {
  if (!(cause instanceof TransactionCanceledException)) return [];
  return (cause.CancellationReasons ?? []).flatMap(({ Code }) =>
    Code === undefined || Code === 'None' ? [] : [Code],
  );
}

function nameOf(cause: unknown): string {
  return cause instanceof Error ? cause.name : 'unknown error';
}
