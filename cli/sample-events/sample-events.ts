import type { Change } from '#shared/core/compare/change.ts';
import { OPERATION_EXAMPLES } from '#shared/core/definitions/operation-data.ts';
import { type OperationType, SHORT_EVENT_TYPES, type ShortEventType } from '#shared/core/event-types.ts';
import { toOperationText } from '#shared/core/events/envelope.ts';
import { type ChangeEvents, toEvents } from '#shared/core/events/events.ts';
import { buildSnapshotEvent } from '#shared/core/events/snapshot-events.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { TimesheetPeriods } from '#shared/core/periods/learn-membership.ts';
import type { AbsenceRules } from '#shared/core/records/absences.ts';
import { feedDefinition, readRow, WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import { NO_EPOCHS } from '#shared/core/snapshot/epochs.ts';
import type { LeafRow } from '#shared/core/snapshot/snapshot.ts';
import { toReadinessEvent } from '#shared/period/readiness-event.ts';
import { forgetRecord } from '#shared/systems/forget/forget-record.ts';
import {
  ABSENCE_LIFE,
  CLOSED_AT,
  DEPARTMENT_LIFE,
  EMPLOYEE_LIFE,
  EXPECTED_TIMESHEET,
  type Observation,
  PAY_PERIOD_LIFE,
  REOPENED_AT,
  SAMPLE_DEPARTMENT,
  SAMPLE_EMPLOYEE,
  SAMPLE_PAY_PERIOD,
  SAMPLE_TIMESHEET,
  SETTLED_AT,
  TIMESHEET_LIFE,
} from './sample-lives.ts';
import {
  BASELINE,
  planSampleStatement,
  READINESS_AT,
  SAMPLE_DUE,
  SAMPLE_MANIFEST,
  SAMPLE_READINESS,
} from './sample-period.ts';

const CONNECTION = 'main';
const TIME_ZONE = 'Pacific/Auckland';
const POLL_INTERVAL_MS = 60_000;
const FORGOTTEN_AT = '2026-12-01T01:07:44.260Z';
const SAMPLE_ABSENCES: AbsenceRules = {
  periods: [{ since: 0, clockInMs: 15 * 60_000, clockOutMs: 3 * 3_600_000 }],
  timeZone: TIME_ZONE,
};

let built: ReadonlyMap<ShortEventType, string> | undefined;

/**
 * One event of every type as JSON, in the order of the catalogue. Always the same events, about one timesheet, a second
 * one whose clockings are missing, one pay period, one employee, one department, and one connection.
 */
export function buildSampleEvents(): ReadonlyMap<ShortEventType, string> {
  built ??= buildAll();
  return built;
}

function buildAll(): ReadonlyMap<ShortEventType, string> {
  const texts = [
    ...buildRecordEvents({
      feed: 'timesheets',
      record: EXPECTED_TIMESHEET,
      life: ABSENCE_LIFE,
      absences: SAMPLE_ABSENCES,
    }),
    ...buildRecordEvents({ feed: 'timesheets', record: SAMPLE_TIMESHEET, life: TIMESHEET_LIFE }),
    ...buildRecordEvents({ feed: 'pay-periods', record: SAMPLE_PAY_PERIOD, life: PAY_PERIOD_LIFE }),
    ...buildRecordEvents({ feed: 'employees', record: SAMPLE_EMPLOYEE, life: EMPLOYEE_LIFE }),
    ...buildRecordEvents({ feed: 'departments', record: SAMPLE_DEPARTMENT, life: DEPARTMENT_LIFE }),
    ...buildOperationEvents(),
  ];
  const events = new Map(texts.map((text) => [readShortType(text), text]));
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

/** What polls saw of a record over time. */
interface SampleLife {
  readonly feed: FeedName;
  readonly record: SourceRecord;
  readonly life: readonly Observation<SourceRecord>[];
  readonly absences?: AbsenceRules;
}

/** Emits the events of a life as polls would: each observation against the one before it. */
function buildRecordEvents(sample: SampleLife): string[] {
  const { feed, life } = sample;
  const texts: string[] = [];
  let known: LeafRow | null = null;
  for (const observation of life) {
    if (known !== null && observation.at === CLOSED_AT) {
      const reminded = toReadinessEvent(
        {
          known: { slice: WHOLE_LIST, row: known },
          due: SAMPLE_DUE,
          now: Date.parse(READINESS_AT),
          readiness: SAMPLE_READINESS,
          stillOpen: null,
        },
        { feed: { connection: CONNECTION, feed }, epochs: NO_EPOCHS },
      );
      texts.push(...reminded.texts);
      known = reminded.row;
    }
    if (known !== null && observation.found === null)
      texts.push(
        buildSnapshotEvent({ connection: CONNECTION, feed }, known, () => findSamplePeriods(observation.at)),
      );
    const emitted: ChangeEvents = toEvents(buildChange(sample, known, observation), {
      feed: { connection: CONNECTION, feed },
      definition: feedDefinition(feed),
      timeZone: TIME_ZONE,
      findPeriods: () => findSamplePeriods(observation.at),
      manifests: new Map([[SAMPLE_PAY_PERIOD.id, SAMPLE_MANIFEST]]),
      statements: new Map(
        observation.at === SETTLED_AT ? [[SAMPLE_PAY_PERIOD.id, planSampleStatement()]] : [],
      ),
    });
    texts.push(...emitted.texts);
    known = emitted.row;
  }
  return known === null || feed !== 'timesheets' ? texts : [...texts, ...forgetSample(known)];
}

/** What is published when the employee of a timesheet is erased. */
function forgetSample(record: LeafRow): readonly string[] {
  const feed = { connection: CONNECTION, feed: 'timesheets' } as const;
  const now = Date.parse(FORGOTTEN_AT);
  return forgetRecord({ feed, slice: '', record, epochs: NO_EPOCHS, now }).texts;
}

/** The pay period of the sample timesheet, which is closed for a while. */
function findSamplePeriods(at: string): TimesheetPeriods {
  const closed = CLOSED_AT <= at && at < REOPENED_AT;
  const { id, calendar, startDate, finishDate } = SAMPLE_PAY_PERIOD;
  const between = { after: Date.parse(CLOSED_AT) - POLL_INTERVAL_MS, by: Date.parse(CLOSED_AT) };
  const closing = closed ? { closedStamp: '2026-11-16', closedBetween: between } : {};
  const period = { id, calendar, startDate, finishDate, closed, totals: '', ...closing };
  return { periods: [period], isKnown: true };
}

function buildChange(
  { feed, absences, record }: SampleLife,
  known: LeafRow | null,
  { at, found }: Observation<SourceRecord>,
): Change {
  const definition = feedDefinition(feed);
  const by = Date.parse(at);
  const slice = definition.sliceOf(record) ?? '';
  return {
    id: String(record.id),
    before: known === null ? null : { slice, row: known },
    rowSlice: known === null ? null : slice,
    after:
      found === null
        ? null
        : { slice, row: readRow(definition, found, { absences: absences ?? null, at: by }) },
    sequence: known?.sequence ?? 0,
    epoch: known?.epoch ?? by,
    tombstoneSlice: null,
    observed: { after: by - POLL_INTERVAL_MS, by },
    seenAt: by,
  };
}

function buildOperationEvents(): string[] {
  const feed = { connection: CONNECTION, feed: 'timesheets' } as const;
  return Object.entries(OPERATION_EXAMPLES).map(([type, { at, subject = null, data }], index) =>
    toOperationText({ type: type as OperationType, subject, data }, feed, {
      epoch: Date.parse(BASELINE),
      sequence: index + 1,
      now: Date.parse(at),
    }),
  );
}

function readShortType(text: string): ShortEventType {
  const { type } = JSON.parse(text) as { readonly type: `workforce.${ShortEventType}` };
  return type.slice('workforce.'.length) as ShortEventType;
}
