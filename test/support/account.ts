import { expect } from 'vitest';
import type { Account } from '#shared/core/periods/account-data.ts';
import type { PollHarness } from './poll-harness.ts';

/** The account of a closed period of 100 timesheets, all ready. */
export function accountOf(values: Partial<Account> = {}): Account {
  return {
    ...{ state: 'closed', since: '2026-03-09T01:30:00.000Z', closesAt: null, verdict: 'pay' },
    ...{ through: '2026-03-08', asOf: '2026-03-09T01:30:10.000Z' },
    ...{ people: 20, timesheets: 100, hours: 750 },
    ready: { people: 20, timesheets: 100, hours: 750 },
    notReady: { people: 0, timesheets: 0, hours: 0 },
    ...{ unprocessed: 100, departments: 0, byDepartment: [], leftOver: [], changes: null },
    ...{ source: null, difference: null, reserves: [] },
    ...values,
  };
}

/** What the last event with an account says. */
export function findTold({ texts }: Pick<PollHarness, 'texts'>): Readonly<Record<string, unknown>> {
  const events = texts.map((text) => JSON.parse(text) as { data: Record<string, unknown> });
  return events.findLast(({ data }) => 'account' in data)?.data ?? {};
}

/** `ready.hours 15, reserves.0.kind dates_unread, changes -`: members of that account; `-` for null. */
export function expectAccount(harness: Pick<PollHarness, 'texts'>, expected: string): void {
  const { account } = findTold(harness);
  for (const line of expected.split(', ')) {
    const [path = '', value = ''] = line.split(' ');
    const found = path
      .split('.')
      .reduce<unknown>((at, name) => (at as Record<string, unknown> | null)?.[name], account);
    expect(String(found ?? '-'), line).toBe(value);
  }
}
