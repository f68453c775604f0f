import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { ALERT_TYPES } from '#shared/alerts/alert.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { ALERT_VARIANTS, alertSamples, describeSample } from '#workshop/documents/alert-samples.ts';
import { ALERT_RECIPES } from '#workshop/documents/alerts-page.ts';

const PAGE = readFileSync('docs/alerts.md', 'utf8');
const CONNECTIONS = [
  {
    name: 'main',
    baseUrl: 'https://workforce.example.com',
    timeZone: 'Pacific/Auckland',
    secretName: 'ssm:/secrets/workforce-notifier/main',
  },
];

/** What each recipe of the page sends for the sample events: channel, `!` when urgent, and the type. */
const HEARD: readonly (readonly [title: string, heard: readonly string[]])[] = [
  [
    'Payroll runs when a period closes',
    [
      'payroll-office workforce.pay_period.closed',
      'payroll-office! workforce.pay_period.reopened',
      'payroll-office workforce.pay_period.statement',
    ],
  ],
  [
    'Who has not come',
    ['kitchen workforce.timesheet.clock_in_missing', 'kitchen workforce.timesheet.clock_out_missing'],
  ],
];
/** It hears of too much to be listed. */
const TWO_AUDIENCES = 'Two audiences';

describe('the recipes of docs/alerts.md', () => {
  const shown = [...PAGE.matchAll(/^### (?<title>.+)\n\n.+\n\n```js\nalerts: (?<code>[\s\S]*?)\n```/gm)].map(
    ({ groups }) => [groups?.title ?? '', evaluate(groups?.code ?? '')] as const,
  );

  it('are those that are known here', () => {
    expect(shown.map(([title]) => title)).toEqual([...HEARD.map(([title]) => title), TWO_AUDIENCES]);
    expect(shown.map(([, alerts]) => alerts)).toEqual(ALERT_RECIPES.map(({ alerts }) => alerts));
  });

  test.each(shown)('%s: is a config that is accepted', (_, alerts) => {
    expect(() => parseNotifierConfig({ connections: CONNECTIONS, alerts })).not.toThrow();
  });

  test.each(shown.filter(([title]) => title !== TWO_AUDIENCES))(
    '%s: sends what it promises, and nothing else',
    (title, alerts) => {
      const heard = alertSamples(alerts).map(
        ({ channel, alert }) => `${channel}${alert.urgent ? '!' : ''} ${alert.type}`,
      );
      expect(heard).toEqual(HEARD.find(([known]) => known === title)?.[1]);
    },
  );
});

describe('the sentences of docs/alerts.md', () => {
  it('are of every type an alert can have', () => {
    const table = PAGE.slice(
      PAGE.indexOf('## What an alert says'),
      PAGE.indexOf('Sentences of the same types'),
    );
    const types = [...table.matchAll(/^\| `(?<type>[\w.]+)` \|/gm)].map(
      ({ groups }) => `workforce.${groups?.type}`,
    );
    expect(types).toEqual([...ALERT_TYPES]);
  });

  it('differ from that of the sample event in every other situation', () => {
    const same = ALERT_VARIANTS.filter(
      ({ type, data }) => describeSample(type, { data }) === describeSample(type),
    );
    expect(same).toEqual([]);
  });
});

/** The object that a text of TypeScript without types stands for. */
function evaluate(code: string): unknown {
  return new Function(`return (${code});`)();
}
