// biome-ignore-all lint/performance/noBarrelFile: the entry of the package, and the only one.
/** What subscribers import: `import { parseEvent } from 'workforce-change-notifier'`. */
export { NotifierError } from '../shared/core/errors.ts';
export type { EventType } from '../shared/core/event-types.ts';
export { comparePositions, type EventPosition } from '../shared/core/events/event-order.ts';
export {
  type FoldAllResult,
  type Folded,
  type FoldOptions,
  type FoldOutcome,
  type FoldResult,
  fold,
  foldAll,
  foldWaiting,
  recordKey,
} from './fold.ts';
export type { Gap } from './gaps.ts';
export { type ParsedEvent, parseEvent } from './parse-event.ts';
export {
  type RefusalReason,
  type VerifiedWebhook,
  type VerifyOptions,
  verifyWebhook,
  type WebhookRequest,
} from './verify-webhook.ts';
export {
  type CheckedWatermark,
  checkWatermark,
  type ReceivedEvent,
} from './watermark.ts';
export {
  type DirectoryEvent,
  EVENT_SCHEMAS,
  type FoldableEvent,
  isDirectoryEvent,
  isPayPeriodEvent,
  isRecordEvent,
  isTimesheetEvent,
  type OperationEvent,
  type PayPeriodEvent,
  type PayPeriodEventType,
  type RecordEvent,
  type TimesheetEvent,
  type TimesheetEventType,
  type UnknownEvent,
  type WorkforceEvent,
} from './workforce-event.ts';
