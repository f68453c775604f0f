import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import config from '#config';
import { findPlaceholders } from '#infra/warnings.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { checkFilters } from '#shared/operator/doctor/run-checks.ts';
import { buildStack, CONFIGS, CONNECTION } from './synthesized.ts';

/** What is warned of is in the golden templates; here is what the rules decide. */

test('a topic of alarms in another region than the stack is warned about', () => {
  const alarms = { topicArn: 'arn:aws:sns:us-east-1:111122223333:on-call' };
  const warnings = (region: string) =>
    Annotations.fromStack(buildStack({ alarms }, { env: { account: '111122223333', region } })).findWarning(
      '*',
      Match.stringLikeRegexp('alarms.topicArn'),
    );
  expect(warnings('us-east-1')).toEqual([]);
  expect(warnings('eu-central-1')).toHaveLength(1);
});

test('a filter that hears of approvals alone is warned about by doctor, too', () => {
  const config = parseNotifierConfig({ connections: [CONNECTION], queues: CONFIGS['own-key'].queues });
  expect(checkFilters({ config })).toEqual([
    {
      about: 'queues[0].filter.type',
      outcome: 'warning',
      says: 'hears workforce.timesheet.approved, but not everything that happens to it afterwards',
      mend: expect.stringMatching(/^add workforce\..*, and deploy; see docs\/subscribing\.md$/),
    },
  ]);
});

describe('an address that belongs to nobody', () => {
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

function placeholdersIn(baseUrl: string): string[] {
  const connections = [{ ...CONNECTION, baseUrl }];
  return findPlaceholders(parseNotifierConfig({ connections })).map(({ path }) => path);
}
