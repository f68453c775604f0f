import { describe, expect, it } from 'vitest';
import { createCompany } from '#local/source/company/company.ts';
import { findTransitions } from '#shared/core/events/transitions.ts';
import { FEED_NAMES, type FeedName } from '#shared/core/feeds.ts';
import { feedDefinition, parseRow, readRecordText, toState } from '#shared/core/records/feed-definition.ts';
import type { SourceRecord, State } from '#shared/core/records/fields.ts';
import { openDoor } from '#shared/core/records/values.ts';
import { clocking, detail, payPeriod, timesheet } from '#test/support/builders.ts';
import { listSourceFields } from '#workshop/documents/source-fields.ts';

const startsAt = Date.parse('2026-11-12T00:00:00Z');
const { staff, workplaces } = createCompany({ seed: 1, size: 30, timeZone: 'UTC', startsAt });

/** Records in which every field that is watched has a value. */
const FULL: Readonly<Record<FeedName, SourceRecord | undefined>> = {
  timesheets: timesheet({
    approvedHours: '2026-11-12T21:15:08.000Z',
    approvedPayroll: 'PAYROLL-1',
    processed: '2026-11-15T22:30:41.000Z',
    clockIn: clocking(),
    clockOut: clocking({ id: '7002_1' }),
    shift: { id: '401_1', name: 'Early' },
    details: [detail({ alternateDepartment: '502_1', alternateOrganisation: '2_1' })],
  }),
  // Also a year earlier its last date is not before the first.
  'pay-periods': payPeriod({ startDate: '2024-03-02', closed: '2026-11-16', payRollCompanyId: '77_1' }),
  employees: staff[0]?.employee,
  departments: workplaces[0]?.department,
};

describe.each(FEED_NAMES)('the table of source fields of %s', (feed) => {
  it.each(
    listSourceFields(feed)
      .filter(({ path }) => path !== 'id')
      .map((row) => [row.path, row] as const),
  )('states the events that a change of %s causes', (path, row) => {
    const full = FULL[feed] ?? {};
    for (const nothing of ['', null]) {
      const empty = withValue(full, path, () => nothing);
      if (row.unset !== 'impossible')
        expect([nothing, eventsOf(feed, full, empty)]).toEqual([nothing, row.unset]);
      if (row.set !== 'impossible')
        expect([nothing, eventsOf(feed, empty, full)]).toEqual([nothing, row.set]);
    }
    if (row.replaced === 'by member') return;
    expect(eventsOf(feed, full, withValue(full, path, another))).toBe(row.replaced);
    expect(eventsOf(feed, withValue(full, path, another), full)).toBe(row.replaced);
  });
});

function stateOf(feed: FeedName, record: SourceRecord): State {
  const definition = feedDefinition(feed);
  return toState(
    definition,
    parseRow(readRecordText(definition, record, openDoor('UTC', Date.parse('2026-12-01')))),
  );
}

/** Types of the events that the core makes of a change. */
function eventsOf(feed: FeedName, before: SourceRecord, after: SourceRecord): string {
  const definition = feedDefinition(feed);
  const [from, to] = [before, after].map((record) => stateOf(feed, record));
  const types = findTransitions(definition, from ?? null, to ?? null).map(({ type }) => type);
  return types.length === 0 ? 'never' : types.join(' and ');
}

/** The record with the value at a path changed. */
function withValue(record: SourceRecord, path: string, change: (value: unknown) => unknown): SourceRecord {
  const [name = '', ...rest] = path.split('.');
  const [key = '', inList] = name.split('[');
  const inner = (value: unknown) =>
    rest.length === 0 ? change(value) : withValue((value ?? {}) as SourceRecord, rest.join('.'), change);
  const value = record[key];
  return { ...record, [key]: inList === undefined ? inner(value) : (value as unknown[]).map(inner) };
}

function another(value: unknown): unknown {
  if (value == null) return '1_1';
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  // A date-time stays one.
  if (typeof value === 'string')
    return /^\d{4}-/.test(value) ? value.replace(/^\d+/, (year) => String(Number(year) - 1)) : `${value}1`;
  if (Array.isArray(value)) return [];
  throw new Error(`no other value than ${JSON.stringify(value)}`);
}
