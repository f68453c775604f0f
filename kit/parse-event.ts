import { EXAMPLE_ID_PREFIX } from '../shared/config/names.ts';
import { unwrap } from './message.ts';
import { readEvent, type UnknownEvent, type WorkforceEvent } from './workforce-event.ts';

/**
 * What was made of a message. `example`: it tells of nothing, somebody sent it to try whether it arrives: take it and
 * do nothing. `unknown_type`: an event of a type that came after this package, or of a new version of one: take it and
 * do nothing. `invalid`: no event of ours; `issues` say why, without a value of it. `replayed`: it was published before,
 * and somebody asked for it again.
 */
export type ParsedEvent =
  | { readonly outcome: 'event'; readonly event: WorkforceEvent; readonly replayed: boolean }
  | { readonly outcome: 'example'; readonly event: WorkforceEvent }
  | { readonly outcome: 'unknown_type'; readonly event: UnknownEvent; readonly replayed: boolean }
  | { readonly outcome: 'invalid'; readonly issues: readonly string[] };

/**
 * Reads an event out of whatever it comes in: a record of a Lambda that reads a queue or that SNS invokes, a message of
 * the SDK's `ReceiveMessage`, an SNS envelope, the body of any of these or of a webhook (text or bytes), or the event
 * itself. Never throws. Does not verify: for webhooks use `verifyWebhook`.
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
