import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { buildSampleEvent, buildSampleEvents } from '#cli/sample-events/sample-events.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { planNextAttempt } from '#shared/core/webhooks/attempt-schedule.ts';
import { payrollNews } from '../../examples/read-events/payroll-news.ts';
import { senderConfig as queueConfig } from '../../examples/sqs-lambda/sender-config.ts';
import { senderConfig as webhookConfig } from '../../examples/webhook-receiver/sender-config.ts';

const GUIDES = ['docs/subscribing.md', 'docs/webhooks.md'];
/** A path in a comment, and the code that follows: taken from that file, which a test runs. */
const TAKEN_CODE = /<!-- (?<path>[\w./-]+\.ts) -->\n```ts\n(?<code>[\s\S]*?)```/g;

describe.each(GUIDES)('%s', (path) => {
  const text = readFileSync(path, 'utf8');

  it('shows only TypeScript that stands, line by line, in a file that is tested', () => {
    const taken = [...text.matchAll(TAKEN_CODE)].map(({ groups }) => groups ?? {});
    for (const { path: from = '', code = '' } of taken) {
      expect(linesOf(readFileSync(from, 'utf8'))).toContain(linesOf(code));
    }
    expect(taken.length).toBe(text.match(/```ts/g)?.length);
    expect(taken.length).toBeGreaterThan(1);
  });

  it('names files and scripts that are there', () => {
    const files = [...text.matchAll(/`(?<file>(?:docs|examples)\/[\w./-]+)`/g)].map(
      ({ groups }) => groups?.file,
    );
    expect(files.filter((file) => !existsSync(file ?? ''))).toEqual([]);
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
    const named = [...text.matchAll(/npm run (?<name>[\w:-]+)/g)].map(({ groups }) => groups?.name ?? '');
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    expect(files.length + named.length).toBeGreaterThan(4);
  });

  it('names commands that are there', () => {
    const named = [...text.matchAll(/npm run notifier -- (?<name>[\w-]+)/g)].map(
      ({ groups }) => groups?.name,
    );
    expect(named.filter((name) => !existsSync(`cli/commands/${name}.ts`))).toEqual([]);
    expect(named.length).toBeGreaterThan(1);
  });
});

describe('the guides', () => {
  it('show configs that are right', () => {
    for (const config of [queueConfig, webhookConfig]) {
      expect(() => parseNotifierConfig(config)).not.toThrow();
    }
  });

  it('tell the waits between attempts as they are', () => {
    const told = /Waits between attempts: (?<waits>[^;]+);/.exec(readFileSync('docs/webhooks.md', 'utf8'));
    const waits = told?.groups?.waits?.split(', ').map(millisecondsOf);
    expect(waits).toEqual(waitsBetweenAttempts());
  });

  it('tell types apart as the example does', () => {
    const news = [...buildSampleEvents().values()].map(payrollNews).filter((text) => text !== null);
    expect(news).toEqual([
      'pay 7.5 h for timesheet 910001_4711',
      'do not pay timesheet 910001_4711',
      'period closed, 2 not approved',
    ]);
    expect(payrollNews(buildSampleEvent('timesheet.approved').replaceAll('approved', 'praised'))).toBeNull();
    expect(payrollNews('no event')).toBeNull();
  });
});

function waitsBetweenAttempts(): number[] {
  const waits: number[] = [];
  for (let attempts = 1; ; attempts += 1) {
    const next = planNextAttempt({ attempts, now: 0, firstAt: 0, retryAfterMs: null, random: 0 });
    if (next.outcome === 'give_up') return waits;
    waits.push(next.at);
  }
}

function millisecondsOf(wait: string): number {
  const [count, unit = ''] = wait.split(' ');
  return Number(count) * ({ s: 1_000, min: 60_000, h: 3_600_000 }[unit] ?? Number.NaN);
}

function linesOf(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}
