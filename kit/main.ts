// biome-ignore-all lint/performance/noBarrelFile: the entry of the package, and the only one.
/** What subscribers import: `import { parseEvent } from 'workforce-change-notifier'`. */
export type * from './event-data.ts';
export { type FoldOutcome, type FoldResult, type FoldState, fold } from './fold.ts';
export type { Gap } from './gaps.ts';
export { type ParsedEvent, parseEvent } from './parse-event.ts';
export {
  type RefusalReason,
  type VerifiedWebhook,
  type VerifyOptions,
  verifyWebhook,
  type WebhookRequest,
} from './verify-webhook.ts';
export { type CheckedWatermark, checkWatermark, type ReceivedEvent } from './watermark.ts';
export {
  type EventType,
  isPayPeriodEvent,
  isRecordEvent,
  isTimesheetEvent,
  type PayPeriodEvent,
  type RecordEvent,
  type TimesheetEvent,
  type UnknownEvent,
  type WorkforceEvent,
} from './workforce-event.ts';
