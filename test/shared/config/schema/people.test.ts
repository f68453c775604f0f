import { describe, expect, test } from 'vitest';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import {
  findNeededTypes,
  findTypesNeededOnlyLate,
  listSummaryTimes,
  peopleSchema,
  readAlerting,
} from '#shared/config/schema/people.ts';
import { BASE, SLACK } from './base-config.ts';

test('people reach a function as they are', () => {
  const config = parseNotifierConfig(BASE);
  expect(readAlerting(JSON.parse(JSON.stringify(config)))).toEqual({
    ...config.people,
    connections: ['main', 'north'].map((name) => ({ name, timeZone: 'Pacific/Auckland' })),
  });
});

describe('types that a queue for alerts must get', () => {
  test('are those of its news, by topic, each once', () => {
    expect(needed()).toEqual({});
    expect(needed({ tells: ['closings'] }, { tells: ['closings', 'approvals'] })).toEqual({
      'pay-periods': typesOf('pay_period', ['due', 'closed', 'recounted', 'reopened', 'settled']),
    });
    expect(needed({ tells: ['missing-clockings'] })).toEqual({
      timesheets: typesOf('timesheet', [
        // Whoever was told hears what ended it.
        ...['changed', 'approved', 'payroll_approved', 'processed', 'removed'],
        ...['clocked_in', 'clock_in_removed', 'clocked_out', 'clock_in_missing', 'clock_out_missing'],
      ]),
    });
    expect(Object.keys(needed({}))).toEqual(['timesheets', 'pay-periods', 'operations']);
    expect(Object.keys(needed({ for: 'operations' }))).toEqual(['operations']);
  });

  test('are wanted late alone where nobody wants them otherwise', () => {
    const lateTypes = (...channels: object[]) => [...findTypesNeededOnlyLate(parse(channels))];
    const told = typesOf('timesheet', ['created', 'changed', 'approved', 'removed']);
    expect(lateTypes({})).toEqual(expect.arrayContaining(told));
    // It settles what was told as late.
    expect(lateTypes({})).not.toContain('workforce.timesheet.processed');
    // What ends a missing clocking is heard, late or not.
    expect(lateTypes({}, { tells: ['missing-clockings'] })).toEqual(
      typesOf('timesheet', [
        ...['created', 'approval_revoked', 'payroll_approval_revoked', 'processing_reverted'],
        ...['clock_in_corrected', 'clock_out_corrected', 'clock_out_removed'],
      ]),
    );
  });

  test('are those of a daily summary, without any rule', () => {
    const summary = { tells: ['approvals'], dailySummary: { at: '08:00' } };
    expect(needed(summary)).toEqual({ 'pay-periods': ['workforce.pay_period.due'] });
    expect(listSummaryTimes(parse([summary]))).toEqual(['08:00']);
  });
});

function typesOf(record: string, names: readonly string[]): string[] {
  return names.map((name) => `workforce.${record}.${name}`);
}

function parse(channels: readonly object[]) {
  return peopleSchema.parse({ channels: channels.map((each) => ({ ...SLACK, ...each })) });
}

function needed(...channels: readonly object[]): object {
  return Object.fromEntries(findNeededTypes(parse(channels)));
}
