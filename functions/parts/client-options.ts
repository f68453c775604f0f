/**
 * For clients of the SDK: up to three tries of a request, each of ten seconds, since the SDK waits for an answer without
 * end. Pinned, since its defaults change over time.
 */
export const CLIENT_OPTIONS = {
  maxAttempts: 3,
  retryMode: 'standard',
  requestHandler: { connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
} as const;

/**
 * For clients of SQS. The endpoint of the environment counts, not the host of a queue's URL: on one machine they
 * differ.
 */
export const SQS_CLIENT_OPTIONS = { ...CLIENT_OPTIONS, useQueueUrlAsEndpoint: false } as const;
