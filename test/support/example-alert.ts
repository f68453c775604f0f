import { buildExample, exampleEvent } from '#kit/testing/example-event.ts';
import { type ShortEventType, toEventType } from '#shared/core/event-types.ts';
import { type Trouble, tellBegan, tellEnded } from '#shared/core/events/trouble.ts';
import type { TroubleKind } from '#shared/core/trouble-kinds.ts';
import type { Alert } from '#shared/people/alert.ts';
import { type AlertContext, buildAlert } from '#shared/people/build-alert.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';
import { type DescribableEvent, describableEventSchema } from '#shared/people/words/sentences.ts';

/** Of the employee and the department that the examples are about. */
export const EXAMPLE_NAMES: Names = {
  ...NO_NAMES,
  employees: new Map([['1030_1', 'Ana Lee']]),
  departments: new Map([['202_1', 'Kitchen']]),
};

/** The example of a type, with other members where given, as messages read it. */
export function describableExample(
  type: ShortEventType,
  members: Readonly<Record<string, unknown>> = {},
): DescribableEvent {
  return describableEventSchema.parse(buildExample(toEventType(type), members));
}

/** What a channel reads of an event, by default one that shows names. */
export function alertOf(event: DescribableEvent, input: Partial<AlertContext> = {}): Alert {
  return buildAlert(event, {
    match: { channel: 'payroll', urgent: false },
    names: EXAMPLE_NAMES,
    timeZone: 'Pacific/Auckland',
    namesConnection: false,
    ...input,
  });
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
