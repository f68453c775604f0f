/** For clients of the SDK: up to three tries of a request. Pinned, since the SDK's default changes over time. */
export const CLIENT_OPTIONS = { maxAttempts: 3, retryMode: 'standard' } as const;

/**
 * For clients of SQS. The endpoint of the environment counts, not the host of a queue's URL: on one machine they
 * differ.
 */
export const SQS_CLIENT_OPTIONS = { ...CLIENT_OPTIONS, useQueueUrlAsEndpoint: false } as const;
