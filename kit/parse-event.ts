import { EXAMPLE_ID_PREFIX } from '../shared/config/names.ts';
import { unwrap } from './message.ts';
import { readEvent, type UnknownEvent, type WorkforceEvent } from './workforce-event.ts';

/**
 * What a message turned out to be. `example`: a test event, nothing happened; acknowledge it and do nothing.
 * `unknown_type`: an event of a type, or of a version of a type, that is newer than this package; acknowledge it and do
 * nothing. `invalid`: not an event of the notifier; `issues` say why and never contain values. `replayed`: it was
 * published before and somebody requested it again.
 */
export type ParsedEvent =
  | { readonly outcome: 'event'; readonly event: WorkforceEvent; readonly replayed: boolean }
  | { readonly outcome: 'example'; readonly event: WorkforceEvent }
  | { readonly outcome: 'unknown_type'; readonly event: UnknownEvent; readonly replayed: boolean }
  | { readonly outcome: 'invalid'; readonly issues: readonly string[] };

/**
 * Reads an event from any form of message: a record of a Lambda invoked by SQS or SNS, a message of the SDK's
 * `ReceiveMessage`, an SNS envelope, what a rule of EventBridge sends, the body of any of these or of a webhook (text or
 * bytes), or the event itself. Never throws. Does not verify signatures: use `verifyWebhook` for webhooks.
 */
export function parseEvent(input: unknown): ParsedEvent {
  const contents = unwrap(input);
  if (contents.outcome === 'invalid') return contents;
  const read = readEvent(contents.value);
  if (read.outcome === 'invalid') return read;
  if (read.outcome === 'event' && read.event.id.startsWith(EXAMPLE_ID_PREFIX)) {
    return { outcome: 'example', event: read.event };
  }
  return { ...read, replayed: contents.replayed };
}
