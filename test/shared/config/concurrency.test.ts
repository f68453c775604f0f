import { describe, expect, test } from 'vitest';
import { describeConcurrencyShortage, planConcurrency } from '#shared/config/concurrency.ts';
import { type NotifierConfigInput, parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';

const CONNECTION = {
  name: 'main',
  baseUrl: 'https://acme.workforce.example',
  timeZone: 'Pacific/Auckland',
  secretName: 'notifier/main',
};
const WEBHOOK = {
  name: 'payroll',
  url: 'https://payroll.acme.example/hook',
  secretName: 'notifier/hook',
  topics: ['timesheets' as const],
};
const PEOPLE = {
  channels: [
    { name: 'payroll', kind: 'slack' as const, secretName: 'slack' },
    { name: 'office', kind: 'email' as const, addresses: ['office@acme.example'] },
  ],
};

describe('executions at once', () => {
  test.each<[string, Partial<NotifierConfigInput>, { perQueue: number; total: number }]>([
    ['polls and names alone', {}, { perQueue: 5, total: 2 + 1 + 1 }],
    ['a webhook gets what polls leave, five at most', webhooks(1), { perQueue: 5, total: 4 + 5 }],
    ['webhooks share it', webhooks(2), { perQueue: 3, total: 4 + 2 * 3 }],
    ['people take some', { ...webhooks(1), people: PEOPLE }, { perQueue: 2, total: 4 + 1 + 1 + 2 + 2 }],
    ['mailboxes alone take less', { people: mailboxes() }, { perQueue: 5, total: 4 + 1 + 5 }],
    ['a large account has room', { ...webhooks(30), ...limit(1_000) }, { perQueue: 5, total: 4 + 150 }],
  ])('%s', (_, config, plan) => {
    expect(planConcurrency(parse(config))).toEqual(plan);
  });

  test.each<[string, Partial<NotifierConfigInput>, number]>([
    ['three webhooks and people in a new account', { ...webhooks(3), people: PEOPLE }, 14],
    ['three connections and a webhook in a new account', { ...connections(3), ...webhooks(1) }, 12],
    ['an account that has no room for polls', limit(3), 4],
  ])('%s are warned of', (_, config, needed) => {
    const limitOf = config.poll?.accountConcurrency ?? 10;
    expect(describeConcurrencyShortage(parse(config))).toMatch(
      `poll.accountConcurrency: up to ${needed} executions at once are wanted, and the account has ${limitOf}, so polls may wait`,
    );
    const enough = { ...config, ...limit(needed) };
    expect(planConcurrency(parse(enough)).total).toBe(needed);
    expect(describeConcurrencyShortage(parse(enough))).toBeNull();
  });
});

function parse(config: Partial<NotifierConfigInput>) {
  return parseNotifierConfig({ connections: [CONNECTION], ...config });
}

function webhooks(count: number) {
  return { webhooks: named(count, WEBHOOK) };
}

function connections(count: number) {
  return { connections: named(count, CONNECTION) };
}

function limit(accountConcurrency: number) {
  return { poll: { accountConcurrency } };
}

function mailboxes() {
  return { channels: PEOPLE.channels.slice(1) };
}

function named<Entry extends object>(count: number, entry: Entry): (Entry & { name: string })[] {
  return Array.from({ length: count }, (_, at) => ({ ...entry, name: `number-${at}` }));
}
