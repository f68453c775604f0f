import { type ShortEventType, toEventType } from '#shared/core/event-types.ts';
import { type Trouble, tellBegan, tellEnded } from '#shared/core/events/trouble.ts';
import type { TroubleKind } from '#shared/core/trouble-kinds.ts';
import { type ComposeContext, type ComposedMessage, composeMessages } from '#shared/people/compose.ts';
import { groupEvents } from '#shared/people/groups.ts';
import { type Message, toText } from '#shared/people/message.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';
import { type ReadableEvent, readableEventSchema } from '#shared/people/read-events.ts';
import type { WaitingEvent } from '#shared/people/waiting-event.ts';
import { buildExample, exampleEvent } from '#test/support/example-event.ts';

/** Of the employee and the department that the examples are about. */
export const EXAMPLE_NAMES: Names = {
  ...NO_NAMES,
  employees: new Map([['1030_1', 'Ana Lee']]),
  departments: new Map([['202_1', 'Kitchen']]),
};

export const EXAMPLE_ZONE = 'Pacific/Auckland';

/** The example of a type, with other members where given, as messages read it. */
export function readableExample(type: ShortEventType, members: Members = {}): ReadableEvent {
  return readableEventSchema.parse(buildExample(toEventType(type), members));
}

type Members = Readonly<Record<string, unknown>>;

/** The same, as it waits for a channel. */
export function waitingExample(
  type: ShortEventType,
  members: Members = {},
  waiting: Partial<WaitingEvent> = {},
): WaitingEvent {
  const event = buildExample(toEventType(type), members);
  return {
    ...{ id: event.id, text: JSON.stringify(event), at: Date.parse(event.time) },
    ...{ delay: 'minute', urgent: false, ...waiting },
  };
}

/** The messages of a channel for pay that shows names, at the time of the last event unless it is said. */
export function compose(
  events: readonly WaitingEvent[],
  context: Partial<ComposeContext> = {},
): ComposedMessage[] {
  return composeMessages(groupEvents(events), {
    now: Math.max(...events.map(({ at }) => at)),
    connections: new Map([['main', { timeZone: EXAMPLE_ZONE, names: EXAMPLE_NAMES }]]),
    isForPay: true,
    ...context,
  });
}

/** A message as plain text, a line each. */
function printMessage({ heading, lines, more }: Message): string {
  const below = lines.map(({ spans, isInner }) => `${isInner === true ? '  - ' : '- '}${toText(spans)}`);
  return [heading, ...below, ...(more === 0 ? [] : [`and ${more} more`])].join('\n');
}

/** The same of all; what says nothing is left out. */
export function printAll(composed: readonly ComposedMessage[]): string[] {
  return composed.flatMap(({ message }) => (message === null ? [] : [printMessage(message)]));
}

/** What else there is than the trouble of the example. */
const TROUBLES: Readonly<Record<TroubleKind, readonly [about: readonly string[], cause: string]>> = {
  source_unreachable: [[], 'source_unauthorised'],
  dates_unreadable: [['2026-11-11'], 'source_failed'],
  records_unreadable: [['101551_1'], 'hoursToPay'],
  dates_doubtful: [['2026-11-13'], 'lost approvedHours'],
  feed_late: [['2026-11-09', '2026-11-10'], 'overdue'],
  publish_failed: [['0f3d2a9be1c94c5d8a7b6e5f4d3c2b1a'], 'refused'],
  delivery_failed: [['payroll-system', '0f3d2a9be1c94c5d8a7b6e5f4d3c2b1a'], '503'],
  webhook_disabled: [['payroll-system'], '410'],
};

/** The data of the event that begins a trouble of a kind, or ends one. */
export function troubleData(
  kind: TroubleKind,
  event: 'trouble.began' | 'trouble.ended',
): Readonly<Record<string, unknown>> {
  const [about, cause] = TROUBLES[kind];
  const isOfWebhook = kind === 'delivery_failed' || kind === 'webhook_disabled';
  const trouble: Trouble = {
    ...{ kind, subject: about[0] ?? 'feed', about, count: kind === 'dates_doubtful' ? 41 : about.length },
    ...{ since: Date.parse(exampleEvent('workforce.trouble.began').data.since), cause },
  };
  const { data } = event === 'trouble.began' ? tellBegan(trouble) : tellEnded(trouble);
  return { feed: isOfWebhook ? null : 'timesheets', ...data };
}
