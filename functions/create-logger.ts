import { Logger } from '@aws-lambda-powertools/logger';

/**
 * The logger of outcome lines. They are written whatever `functions.logLevel` says: alarms count them, and the queries
 * of the runbook and the dashboard read them.
 */
export function createLogger(): Logger {
  return new Logger({ logLevel: 'INFO' });
}
