import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '#shared/core/periods/account-data.ts';
import { checkAccounts } from '#test/fortnight/check-accounts.ts';
import { renderDays } from '#test/fortnight/page/page.ts';
import { type Fortnight, runFortnight } from '#test/fortnight/run-fortnight.ts';

/** Monday 08:00 until Tuesday 15:36: reminders, a pay run with what waited for it, closings, a reopening and a settling. */
const DAYS = 1.32;
const MIN_MESSAGES = 20;
const MIN_ACCOUNTS = 8;

let fortnight: Fortnight;

beforeAll(async () => {
  fortnight = await runFortnight(DAYS);
});

describe('the page of a fortnight of messages', () => {
  it('begins with what people are told in its first days', () => {
    expect(fortnight.told.length).toBeGreaterThan(MIN_MESSAGES);
    expect(readFileSync('test/fortnight/fortnight.md', 'utf8'), 'run `npm run fortnight`').toContain(
      renderDays(fortnight.told),
    );
  });

  it('has every message once, with who can act on it', () => {
    const page = readFileSync('test/fortnight/fortnight.md', 'utf8');
    const headings = [...page.matchAll(/^\*\*\d\d:\d\d, (?<channel>[^.]+)\.\*\* (?<action>.+)$/gm)];
    const counts = [...page.matchAll(/^\| (?:Slack|mail to|Teams) .*\| (?<count>\d+) \|$/gm)];
    const stated = counts.reduce((sum, { groups }) => sum + Number(groups?.count), 0);
    expect(counts).toHaveLength(4);
    expect(headings).toHaveLength(stated);
    expect(page.match(/^```text$/gm)).toHaveLength(stated);
  });
});

it('a closing is in Slack as soon as it was seen', () => {
  const closings = fortnight.told.filter(
    ({ channel, types }) => channel === 'payroll' && types.includes('pay_period.closed'),
  );
  expect(closings.length).toBeGreaterThan(1);
  for (const { at, message } of closings) expect(at - message.at).toBeLessThan(1_000);
});

describe('the accounts of pay periods', () => {
  it('are those of the company while their dates were read', () => {
    const { accounts, wrong } = checkAccounts(fortnight);
    expect(wrong).toEqual([]);
    expect(accounts).toBeGreaterThan(MIN_ACCOUNTS);
  });

  it.each<[string, (account: Account) => Account]>([
    ['a number of timesheets', (account) => ({ ...account, timesheets: account.timesheets + 1 })],
    ['hours', (account) => ({ ...account, hours: account.hours + 0.5 })],
    [
      'hours that are ready',
      ({ ready, ...account }) => ({ ...account, ready: { ...ready, hours: ready.hours + 1 } }),
    ],
    [
      'a department that is left out',
      (account) => ({ ...account, byDepartment: account.byDepartment.slice(1) }),
    ],
  ])('would be found wrong: %s', (_, spoil) => {
    const events = fortnight.events.map((event) => {
      const { account } = event.data as { readonly account?: Account | null };
      return account == null ? event : { ...event, data: { ...event.data, account: spoil(account) } };
    });
    const { accounts, wrong } = checkAccounts({ ...fortnight, events });
    expect(wrong).toHaveLength(accounts);
  });
});
