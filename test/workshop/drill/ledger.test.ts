import { beforeEach, expect, test } from 'vitest';
import type { CompanyChange } from '#local/source/company/changes.ts';
import { type Company, createCompany } from '#local/source/company/company.ts';
import { type Ledger, openLedger } from '#workshop/drill/ledger.ts';

const START = Date.parse('2026-03-05T07:45:00Z');
const MINUTE_MS = 60_000;

let company: Company;
let ledger: Ledger;
let id: string;
let events: number;

beforeEach(() => {
  company = createCompany({ seed: 1, size: 5, timeZone: 'UTC', startsAt: START });
  ledger = openLedger({ company, window: { backDays: 14, forwardDays: 7 } });
  id =
    company.timesheets().find(({ date, approvedHours }) => date === '2026-03-05' && approvedHours === null)
      ?.id ?? '';
  events = 0;
});

/** The event that a poll a minute later publishes about the timesheet. */
function tell({ after = START - MINUTE_MS, by = START + MINUTE_MS } = {}) {
  events += 1;
  const observed = { after: new Date(after).toISOString(), by: new Date(by).toISOString() };
  const data = { current: company.timesheet(id), observed };
  const event = {
    id: `event-${events}`,
    type: 'workforce.timesheet.changed',
    subject: id,
    sequence: events,
    data,
  };
  return { text: JSON.stringify(event), replayed: false };
}

const apply = (change: 'approve' | 'revoke-approval' | 'change') =>
  company.apply({ change, id } satisfies CompanyChange);
const judge = () => {
  const { untold, ...verdict } = ledger.judge(START, START + 1);
  return { ...verdict, untold: untold.map(({ change }) => change) };
};

test('a change with its event is told, as late as the event came', () => {
  apply('approve');
  ledger.note([tell()], START + 7 * MINUTE_MS);
  expect(judge()).toEqual({ changes: 1, told: 1, unseen: 0, untold: [], maxDelayMs: 7 * MINUTE_MS });
  expect([ledger.twice, ledger.invented]).toEqual([[], []]);
});

test('a change without an event is not', () => {
  apply('approve');
  apply('change');
  expect(judge()).toMatchObject({ told: 0, untold: ['approve', 'change'] });
});

test('an event about another part of the record does not tell it', () => {
  apply('change');
  ledger.note([tell()], START);
  apply('approve');
  expect(judge()).toMatchObject({ told: 1, untold: ['approve'] });
});

test('what was undone before a poll is unseen, and not lost', () => {
  apply('approve');
  apply('revoke-approval');
  expect(judge()).toMatchObject({ changes: 2, told: 0, unseen: 2, untold: [] });
});

test('an event that comes again is noticed, and one without a change', () => {
  apply('approve');
  const event = tell();
  ledger.note([event, event], START);
  ledger.note([tell({ after: START + MINUTE_MS, by: START + 2 * MINUTE_MS })], START);
  expect(ledger.twice).toEqual(['event-1']);
  expect(ledger.invented).toEqual(['event-2']);
});

test('an event that a moment brings needs no change', () => {
  const told = tell({ after: START + MINUTE_MS, by: START + 2 * MINUTE_MS });
  const text = told.text.replace('workforce.timesheet.changed', 'workforce.pay_period.readiness');
  ledger.note([{ ...told, text }], START);
  expect(ledger.invented).toEqual([]);
});

test('an event about operation is returned', () => {
  const event = { id: 'o', type: 'workforce.source.unreachable', sequence: 1, data: { feed: 'timesheets' } };
  expect(ledger.note([{ text: JSON.stringify(event), replayed: false }], START)).toEqual([
    { id: 'o', type: 'source.unreachable', feed: 'timesheets' },
  ]);
});

test('a timesheet on a date that is not watched is not expected to be told, not even when it is removed', () => {
  const [{ id: far } = { id: '' }] = company.timesheets({ from: '2026-01-15', to: '2026-02-10' });
  company.apply({ change: 'remove', id: far });
  expect(far).not.toBe('');
  expect(judge()).toMatchObject({ changes: 0, untold: [] });
});

test('one on a watched date is', () => {
  company.apply({ change: 'remove', id });
  expect(judge()).toMatchObject({ changes: 1, untold: ['remove'] });
});
