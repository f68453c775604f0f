import type { Change } from '#shared/core/compare/change.ts';
import type { ShortEventType } from '#shared/core/event-types.ts';
import type { CloseManifest } from '#shared/core/events/close-manifest.ts';
import { SHORT_EVENT_TYPES } from '#shared/core/events/event-schemas.ts';
import { type ChangeEvents, toEvents } from '#shared/core/events/events.ts';
import { toOperationText } from '#shared/core/events/operations.ts';
import { toReadinessEvent } from '#shared/core/events/readiness-event.ts';
import { buildSnapshotEvent } from '#shared/core/events/snapshot-events.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { feedDefinition, readRow, WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import { NO_EPOCHS } from '#shared/core/snapshot/epochs.ts';
import type { LeafRow } from '#shared/core/snapshot/snapshot.ts';
import {
  buildDeliveryFailedEvent,
  buildWebhookDisabledEvent,
} from '#shared/core/webhooks/delivery-events.ts';
import { readDelivery } from '#shared/core/webhooks/delivery-message.ts';
import {
  CLOSED_AT,
  type Observation,
  PAY_PERIOD_LIFE,
  REOPENED_AT,
  SAMPLE_PAY_PERIOD,
  SAMPLE_TIMESHEET,
  TIMESHEET_LIFE,
} from './sample-lives.ts';
import { SAMPLE_OPERATIONS } from './sample-operations.ts';
import { READINESS_AT, SAMPLE_DUE, SAMPLE_READINESS } from './sample-readiness.ts';

const CONNECTION = 'main';
const TIME_ZONE = 'Pacific/Auckland';
const WEBHOOK = 'payroll-system';
const POLL_INTERVAL_MS = 60_000;

const BASELINE = '2026-11-08T18:58:00.000Z';

const SAMPLE_CLOSED_PERIOD = { id: SAMPLE_PAY_PERIOD.id, calendar: SAMPLE_PAY_PERIOD.calendar };

/** The timesheets of the sample period when it closed. */
const MANIFEST: CloseManifest = {
  complete: true,
  missing: null,
  asOf: '2026-11-15T22:58:30.412Z',
  timesheets: 380,
  employees: 51,
  approved: 378,
  unapproved: 2,
  processed: 377,
  unprocessed: 3,
  hoursToPay: 1_912.5,
  members: 'all',
  membersUnknown: 0,
  sharesDatesWith: [],
  source: { timesheets: 380, employees: 51, hours: 1_912.5 },
  addsUp: true,
  difference: { timesheets: 0, employees: 0, hours: 0 },
  digest: '8d3f0f5b2c1d6a4e9b7c5a3f1e2d4c6b8a0f9e7d5c3b1a2f4e6d8c0b9a7f5e3d',
  departments: 2,
  byDepartment: [
    {
      departmentId: '501_4711',
      timesheets: 212,
      employees: 30,
      hours: 1_078.5,
      unapproved: 2,
      unprocessed: 2,
    },
    { departmentId: '502_4711', timesheets: 168, employees: 24, hours: 834, unapproved: 0, unprocessed: 1 },
  ],
  leftovers: [
    {
      timesheetId: '910117_4711',
      epoch: BASELINE,
      sequence: 5,
      employeeId: '2018_4711',
      departmentId: '501_4711',
      date: '2026-11-13',
      hours: 8,
      approved: false,
      processed: false,
      missing: ['approval', 'payroll_approval', 'processing'],
    },
    {
      timesheetId: '910203_4711',
      epoch: BASELINE,
      sequence: 4,
      employeeId: '2024_4711',
      departmentId: '501_4711',
      date: '2026-11-14',
      hours: 6.5,
      approved: false,
      processed: false,
      missing: ['approval', 'payroll_approval', 'processing'],
    },
    {
      timesheetId: '910311_4711',
      epoch: BASELINE,
      sequence: 8,
      employeeId: '2031_4711',
      departmentId: '502_4711',
      date: '2026-11-14',
      hours: 7.5,
      approved: true,
      processed: false,
      missing: ['processing'],
    },
  ],
};

/**
 * One event of every type as JSON, in the order of the catalogue. Always the same events, about one timesheet, one pay
 * period, one connection and one webhook.
 */
export function buildSampleEvents(): ReadonlyMap<ShortEventType, string> {
  const texts = [
    ...buildRecordEvents('timesheets', TIMESHEET_LIFE),
    ...buildRecordEvents('pay-periods', PAY_PERIOD_LIFE),
    ...buildOperationEvents(),
  ];
  const events = new Map(
    [...texts, ...buildDeliveryEvents(texts)].map((text) => [readShortType(text), text]),
  );
  return new Map(
    SHORT_EVENT_TYPES.flatMap((type) => {
      const text = events.get(type);
      return text === undefined ? [] : [[type, text] as const];
    }),
  );
}

export function buildSampleEvent(type: ShortEventType): string {
  return buildSampleEvents().get(type) ?? '';
}

/** Emits the events of a life as polls would: each observation against the one before it. */
function buildRecordEvents(feed: FeedName, life: readonly Observation<SourceRecord>[]): string[] {
  const texts: string[] = [];
  let known: LeafRow | null = null;
  for (const observation of life) {
    if (known !== null && observation.at === CLOSED_AT) {
      const reminded = toReadinessEvent(
        {
          known: { slice: WHOLE_LIST, row: known },
          due: SAMPLE_DUE,
          readiness: SAMPLE_READINESS,
        },
        { feed: { connection: CONNECTION, feed }, epochs: NO_EPOCHS, now: Date.parse(READINESS_AT) },
      );
      texts.push(...reminded.texts);
      known = reminded.row;
    }
    if (known !== null && observation.found === null)
      texts.push(buildSnapshotEvent({ connection: CONNECTION, feed }, known));
    const emitted: ChangeEvents = toEvents(buildChange(feed, known, observation), {
      feed: { connection: CONNECTION, feed },
      definition: feedDefinition(feed),
      timeZone: TIME_ZONE,
      findClosedPeriods: () =>
        CLOSED_AT <= observation.at && observation.at < REOPENED_AT ? [SAMPLE_CLOSED_PERIOD] : [],
      manifests: new Map([[SAMPLE_PAY_PERIOD.id, MANIFEST]]),
    });
    texts.push(...emitted.texts);
    known = emitted.row;
  }
  return texts;
}

function buildChange(
  feed: FeedName,
  known: LeafRow | null,
  { at, found }: Observation<SourceRecord>,
): Change {
  const definition = feedDefinition(feed);
  const record = feed === 'timesheets' ? SAMPLE_TIMESHEET : SAMPLE_PAY_PERIOD;
  const slice = definition.sliceOf(record) ?? '';
  const by = Date.parse(at);
  return {
    id: record.id,
    before: known === null ? null : { slice, row: known },
    rowSlice: known === null ? null : slice,
    after: found === null ? null : { slice, row: readRow(definition, found) },
    sequence: known?.sequence ?? 0,
    epoch: known?.epoch ?? by,
    tombstoneSlice: null,
    observed: { after: by - POLL_INTERVAL_MS, by },
    seenAt: by,
  };
}

function buildOperationEvents(): string[] {
  const feed = { connection: CONNECTION, feed: 'timesheets' } as const;
  return SAMPLE_OPERATIONS.map(({ at, operation }, index) =>
    toOperationText(operation, feed, {
      epoch: Date.parse(BASELINE),
      sequence: index + 1,
      now: Date.parse(at),
    }),
  );
}

/** The events about deliveries: a webhook that fails to take one of the other events. */
function buildDeliveryEvents(texts: readonly string[]): string[] {
  const text = texts.find((each) => readShortType(each) === 'timesheet.approved') ?? '';
  const delivery = readDelivery(text, { now: 0, replayed: false });
  if (delivery === null) return [];
  const { event } = delivery;
  const [firstAt, now] = [Date.parse('2026-11-12T21:30:11.905Z'), Date.parse('2026-11-16T01:07:44.260Z')];
  const refusal = { url: 'https://payroll.acme.example/hooks/workforce', reason: '410', told: false };
  return [
    buildDeliveryFailedEvent({ webhook: WEBHOOK, event, attempts: 10, reason: '503', firstAt, now }),
    buildWebhookDisabledEvent(WEBHOOK, { ...refusal, at: now, connection: event.connection }),
  ];
}

function readShortType(text: string): ShortEventType {
  const { type } = JSON.parse(text) as { readonly type: `workforce.${ShortEventType}` };
  return type.slice('workforce.'.length) as ShortEventType;
}
