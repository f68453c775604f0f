import { type DeliverableEvent, deliverableEventSchema } from './delivery-message.ts';
import { type Interest, isFor } from './filter.ts';

/** Conditions that must all hold; an absent one always does. */
export interface Selection {
  /** Full names of types, such as `workforce.timesheet.approved`. */
  readonly types?: readonly string[] | undefined;
  /** Id of a record. */
  readonly record?: string | undefined;
  /** What the receiver subscribes to. */
  readonly interest?: Interest | undefined;
}

export interface SelectedEvent {
  readonly type: string;
  /** The CloudEvent as JSON, byte for byte as it was published. */
  readonly text: string;
}

/** The selected events among texts of the log, in order. A text that is not an event is skipped. */
export function selectEvents(texts: readonly string[], selection: Selection): SelectedEvent[] {
  return texts.flatMap((text) => {
    const event = deliverableEventSchema.safeParse(JSON.parse(text));
    return event.success && isSelected(event.data, selection) ? [{ type: event.data.type, text }] : [];
  });
}

function isSelected(event: DeliverableEvent, { types, record, interest }: Selection): boolean {
  return (
    (types?.includes(event.type) ?? true) &&
    (record === undefined || event.subject === record) &&
    (interest === undefined || isFor(event, interest))
  );
}
