import { type DeliverableEvent, deliverableEventSchema } from '../webhooks/delivery-message.ts';
import { type Interest, isFor } from '../webhooks/filter.ts';

/** Which events of the log are wanted; what is not given does not matter. */
export interface Selection {
  /** Full names of types. */
  readonly types?: readonly string[] | undefined;
  /** Id of a record. */
  readonly record?: string | undefined;
  /** What the one receiver subscribes to. */
  readonly interest?: Interest | undefined;
}

/** An event of the log that is wanted. */
export interface SelectedEvent {
  readonly type: string;
  /** The CloudEvent as JSON, byte for byte as it was published. */
  readonly text: string;
}

/** Those of some texts that are wanted, in their order. A text that is no event of ours is none that is wanted. */
export function selectEvents(texts: readonly string[], selection: Selection): SelectedEvent[] {
  return texts.flatMap((text) => {
    const event = deliverableEventSchema.safeParse(JSON.parse(text));
    return event.success && isWanted(event.data, selection) ? [{ type: event.data.type, text }] : [];
  });
}

function isWanted(event: DeliverableEvent, { types, record, interest }: Selection): boolean {
  return (
    (types?.includes(event.type) ?? true) &&
    (record === undefined || event.subject === record) &&
    (interest === undefined || isFor(event, interest))
  );
}
