import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import config from '#config';
import { findPlaceholders } from '#infra/warnings.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { buildStack, CONNECTION, EVERYTHING, WEBHOOK } from './synthesized.ts';

test('a query in the address of a webhook is warned about, and not shown', () => {
  const warnings = (url: string) =>
    Annotations.fromStack(
      buildStack({ connections: [CONNECTION], webhooks: [{ ...WEBHOOK, url }] }),
    ).findWarning('*', Match.stringLikeRegexp('query'));
  expect(warnings('https://payroll.acme.org/hook')).toEqual([]);
  const warned = warnings('https://payroll.acme.org/hook?code=canary').map(({ entry }) => String(entry.data));
  expect(warned).toEqual([
    'webhooks[0].url has a query, which ends in logs, and which whoever sees the template or the config reads; put what is secret in it as headers into the secret of the webhook (docs/webhooks.md) [ack: workforce-notifier:webhook-query:webhooks.0.url]',
  ]);
});

test('a topic of alarms in another region than the stack is warned about', () => {
  const alarms = { topicArn: 'arn:aws:sns:us-east-1:111122223333:on-call' };
  const warnings = (region: string) =>
    Annotations.fromStack(
      buildStack({ connections: [CONNECTION], alarms }, { env: { account: '111122223333', region } }),
    ).findWarning('*', Match.stringLikeRegexp('alarms.topicArn'));
  expect(warnings('us-east-1')).toEqual([]);
  expect(warnings('eu-central-1')).toHaveLength(1);
});

describe('an address that belongs to nobody', () => {
  test('is warned about at synth and deploy, wherever it is', () => {
    const warnings = Annotations.fromStack(buildStack(EVERYTHING)).findWarning(
      '*',
      Match.stringLikeRegexp('belongs to nobody'),
    );
    expect(warnings.map(({ entry }) => String(entry.data).replace(/ \[ack: .*/, ''))).toEqual(
      [
        'connections[0].baseUrl: acme.workforce.example',
        'webhooks[0].url: payroll.acme.example',
        'people.channels[1].addresses[0]: acme.example',
        'people.channels[1].addresses[1]: acme.example',
        'alarms.email: acme.example',
      ].map(
        (place) =>
          `${place} is a domain for examples and belongs to nobody; put your own address in its place`,
      ),
    );
  });

  // `cdk deploy` reads an id up to its first bracket, and prints the rest behind the warning.
  test('is warned about with an id without brackets, which can be acknowledged', () => {
    const warnings = Annotations.fromStack(buildStack(EVERYTHING)).findWarning('*', Match.anyValue());
    const ids = warnings.map(({ entry }) => /\[ack: (.*)\]$/.exec(String(entry.data))?.[1] ?? '');
    expect(ids).toContain('workforce-notifier:placeholder:people.channels.1.addresses.0');
    expect(ids.filter((id) => !/^[\w:.-]+$/.test(id))).toEqual([]);
  });

  test('is in the config of this repository, which nobody can deploy as it is', () => {
    expect(findPlaceholders(parseNotifierConfig(config)).map(({ path }) => path)).toContain(
      'connections[0].baseUrl',
    );
  });

  test.each([
    'https://example.com',
    'https://api.EXAMPLE.org./v2',
    'https://example.net:8443',
    'https://a.test',
    'https://a.invalid',
  ])('may be %s', (baseUrl) => {
    expect(placeholdersIn(baseUrl)).toEqual(['connections[0].baseUrl']);
  });

  test.each([
    'https://workforce.acme.com',
    'https://example.community',
    'https://myexample.com',
    'https://example.acme.com',
    'http://127.0.0.1:8080',
  ])('is not %s', (baseUrl) => {
    expect(placeholdersIn(baseUrl)).toEqual([]);
  });
});

test('a config with addresses of its own is deployed without a warning', () => {
  const connections = [{ ...CONNECTION, baseUrl: 'https://workforce.acme.com' }];
  const webhooks = [{ ...WEBHOOK, url: 'https://payroll.acme.com/hook' }];
  Annotations.fromStack(buildStack({ connections, webhooks })).hasNoWarning(
    '*',
    Match.stringLikeRegexp('belongs to nobody'),
  );
});

function placeholdersIn(baseUrl: string): string[] {
  const connections = [{ ...CONNECTION, baseUrl }];
  return findPlaceholders(parseNotifierConfig({ connections })).map(({ path }) => path);
}
