import { describe, expect, test } from 'vitest';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';

const CONNECTION = {
  name: 'main',
  baseUrl: 'https://acme.workforce.example',
  timeZone: 'Pacific/Auckland',
  secretName: 'notifier/main',
};
const WEBHOOK = {
  name: 'payroll-system',
  url: 'https://payroll.acme.example/hooks/workforce',
  secretName: 'notifier/webhooks/payroll',
  topics: ['timesheets'],
};

describe('a webhook', () => {
  test('needs a name, an address, a secret and topics', () => {
    expect(webhooksOf(WEBHOOK)).toEqual([
      {
        ...WEBHOOK,
        filter: {},
        paused: false,
        allow: { http: false, privateAddresses: false },
      },
    ]);
  });

  test.each([
    { url: 'https://payroll.acme.example:8443/hook?tenant=1' },
    { url: 'https://payroll.acme.example:9443' },
    { url: 'http://localhost:3000/hook', allow: { http: true, privateAddresses: true } },
    { filter: many(150) },
    { paused: true },
  ])('may be %j', (change) => {
    expect(webhooksOf({ ...WEBHOOK, ...change })).toHaveLength(1);
  });
});

describe('what is wrong with a webhook is named with path, value and remedy', () => {
  test.each<[object, string]>([
    [{ headers: { authorization: 'x' } }, 'headers: headers go into the secret, beside the signing secret'],
    [
      { url: 'payroll.acme.example' },
      'url: url is an https address, such as https://payroll.acme.example/hooks/workforce, got "payroll.acme.example"',
    ],
    [
      { url: 'ftp://payroll.acme.example' },
      'url: url is an https address, such as https://payroll.acme.example/hooks/workforce, got "ftp://payroll.acme.example"',
    ],
    [
      { url: 'http://payroll.acme.example' },
      'url: url is http; use https, or set allow.http to true, got "http://payroll.acme.example"',
    ],
    [
      { url: 'https://me:pass@payroll.acme.example' },
      'url: url contains a user or a password; requests are signed, so leave it out, got "https://***@payroll.acme.example"',
    ],
    [
      { url: 'https://payroll.acme.example./' },
      'url: the host of url ends with a dot; leave the dot out, got "https://payroll.acme.example./"',
    ],
    [
      { url: 'https://localhost/' },
      'url: the host of url is not public; use another, or set allow.privateAddresses to true, got "https://localhost/"',
    ],
    ...['10.0.0.5', '127.0.0.1', '2130706433', '169.254.169.254', '[::1]', '[::ffff:10.0.0.5]'].map(
      (host): [object, string] => [
        { url: `https://${host}/` },
        `url: the host of url is not public; use another, or set allow.privateAddresses to true, got "https://${host}/"`,
      ],
    ),
    [
      { url: 'https://hooks.payroll.internal/' },
      'url: the host of url is not public; use another, or set allow.privateAddresses to true, got "https://hooks.payroll.internal/"',
    ],
    [
      { secretName: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
      'secretName: secretName is the name of a secret; put the signing secret into that secret, and its name here',
    ],
    [{ topics: [] }, 'topics: is an empty list; name at least one'],
    [
      { topics: ['alerts'] },
      'topics[0]: give one of "timesheets", "pay-periods", "directory", "operations", got "alerts"',
    ],
    [
      { filter: { type: ['timesheet.approved'] } },
      'filter.type[0]: unknown event type "timesheet.approved"; use workforce.timesheet.approved',
    ],
    [
      { filter: { type: ['workforce.pay_period.closed'] } },
      'filter.type[0]: "workforce.pay_period.closed" is published to the topic pay-periods; add it to topics',
    ],
    [
      { filter: { connection: ['acme'] } },
      'filter.connection[0]: there is no connection "acme"; use one of main',
    ],
    [{ filter: { late: 'yes' } }, 'filter.late: give true or false, such as true, got "yes"'],
    [
      { filter: many(151) },
      'filter: 151 combinations of values, and SNS allows 150; use fewer values, or several entries',
    ],
    [{ retries: 3 }, 'unknown setting "retries"; remove it or correct its name'],
  ])('%j', (change, expected) => {
    expect(problemsOf({ webhooks: [{ ...WEBHOOK, ...change }] })).toEqual([
      expect.stringContaining(expected),
    ]);
    expect(problemsOf({ webhooks: [{ ...WEBHOOK, ...change }] })[0]).toMatch(
      /^notifier\.config\.ts: webhooks\[0\]/,
    );
  });

  test('two of the same name', () => {
    expect(problemsOf({ webhooks: [WEBHOOK, WEBHOOK] })).toEqual([
      'notifier.config.ts: webhooks[1].name: the name "payroll-system" is taken by an entry before it; use a unique name',
    ]);
  });

  test('the name of a queue', () => {
    const queues = [{ name: 'payroll-system', topics: ['timesheets'] }];

    expect(problemsOf({ webhooks: [WEBHOOK], queues })).toEqual([
      'notifier.config.ts: webhooks[0].name: the name "payroll-system" is taken by a queue; use a name that is unique among both',
    ]);
  });
});

function webhooksOf(webhook: object) {
  return parseNotifierConfig({ connections: [CONNECTION], webhooks: [webhook] }).webhooks;
}

function problemsOf(config: object): string[] {
  try {
    parseNotifierConfig({ connections: [CONNECTION], ...config });
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
}

function many(count: number) {
  return { departmentId: Array.from({ length: count }, (_, index) => index + 1) };
}
