import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DeployedFunction, Deployment } from '#local/aws/template/deployment.ts';
import type { Receivers } from '#local/receivers/server.ts';
import { type RedirectOptions, redirect } from '#local/run/session/redirect.ts';
import type { DeployedConfig } from '#shared/config/deployed-config.ts';
import { CONFIG_FILE, ENVIRONMENT } from '#shared/config/names.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';

const CONNECTION = { name: 'main', baseUrl: 'https://acme.example', secretName: 'main' };
const SETTINGS = parseNotifierConfig({
  connections: [
    { ...CONNECTION, timeZone: 'Pacific/Auckland' },
    { ...CONNECTION, name: 'other', timeZone: 'Asia/Tokyo' },
  ],
  people: {
    channels: [
      { kind: 'slack', name: 'payroll', secretName: 'slack/payroll' },
      { kind: 'slack', name: 'bot', secretName: 'slack/bot', channelId: 'C0123456789' },
      { kind: 'teams', name: 'office', secretName: 'teams/office' },
      { kind: 'email', name: 'mail', addresses: ['payroll@acme.example'] },
    ],
  },
  webhooks: [
    {
      name: 'system',
      url: 'https://payroll.acme.example/hook',
      secretName: 'webhooks/system',
      topics: ['timesheets'],
    },
  ],
});

const FOLDER = mkdtempSync(join(tmpdir(), 'redirect-'));
const REDIRECTED = join(FOLDER, 'redirected.json');
writeFileSync(join(FOLDER, CONFIG_FILE), JSON.stringify(SETTINGS));

const SLACK = functionWith('slack-payroll', { [ENVIRONMENT.channel]: 'payroll', SIZE: 'small' });
const DELIVER = functionWith('webhook-system', { [ENVIRONMENT.webhook]: 'system' });
const COLLECT = functionWith('collect-alerts', {});
const POLL = functionWith('poll', { SIZE: 'large' });

test('functions read another config, and only that differs', () => {
  const { adapt, inRealTime } = redirected({});
  for (const each of [SLACK, DELIVER, COLLECT, POLL]) {
    const environment = { ...each.environment, [ENVIRONMENT.configFile]: REDIRECTED };
    expect(adapt(each)).toEqual({ ...each, environment });
  }
  expect([SLACK, DELIVER, COLLECT, POLL].map(inRealTime)).toEqual([false, true, false, false]);
  const { connections: _, webhooks: __, chats: ___, ...same } = readRedirected();
  const { connections: ____, webhooks: _____, ...given } = SETTINGS;
  expect(same).toEqual(JSON.parse(JSON.stringify(given)));
});

test('chats post to the local receiver, and one with a bot has a token for it', () => {
  const { secrets } = redirected({});
  expect(secrets.get('slack/payroll')).toBe('http://127.0.0.1:4000/slack/payroll');
  expect(secrets.get('teams/office')).toBe('http://127.0.0.1:4000/teams/office');
  expect(secrets.get('slack/bot')).toMatch(/^xoxb-/);
  expect(readRedirected().chats).toEqual({
    payroll: 'http://127.0.0.1:4000/slack/payroll',
    bot: 'http://127.0.0.1:4000/slack/bot',
    office: 'http://127.0.0.1:4000/teams/office',
  });
});

test('a webhook goes to the local receiver, which is allowed, signed with the secret of the run', () => {
  const { secrets } = redirected({});
  expect(secrets.get('webhooks/system')).toBe('whsec_of this run');
  const url = 'http://127.0.0.1:4000/webhooks/system';
  expect(readRedirected().webhooks).toEqual([
    { ...SETTINGS.webhooks[0], url, allow: { http: true, privateAddresses: true } },
  ]);
});

test('the polled connection is in the time zone of the run, also for alerts', () => {
  redirected({});
  expect(readRedirected().connections).toMatchObject([
    { name: 'main', timeZone: 'UTC' },
    { name: 'other', timeZone: 'Asia/Tokyo' },
  ]);
});

test.each([
  ['everything', undefined, [true, true, true, true]],
  ['events only', { toPeople: false, toWebhooks: false }, [false, false, false, true]],
  ['events and webhooks', { toPeople: false, toWebhooks: true }, [false, true, false, true]],
] as const)('delivers %s', (_, delivers, expected) => {
  const { serves } = redirected(delivers === undefined ? {} : { delivers });
  expect([SLACK, DELIVER, COLLECT, POLL].map(serves)).toEqual(expected);
});

function redirected(options: Partial<RedirectOptions>) {
  return redirect(deploymentOf([SLACK, DELIVER, COLLECT, POLL]), optionsWith(options));
}

function optionsWith(options: Partial<RedirectOptions>): RedirectOptions {
  return {
    configFile: REDIRECTED,
    connection: connectionSchema.parse({
      name: 'main',
      baseUrl: 'http://127.0.0.1:1',
      timeZone: 'UTC',
      secretName: 'main',
    }),
    receivers: RECEIVERS,
    signingSecret: 'whsec_of this run',
    ...options,
  };
}

const RECEIVERS: Receivers = {
  slackAddress: (channel) => `http://127.0.0.1:4000/slack/${channel}`,
  teamsAddress: (channel) => `http://127.0.0.1:4000/teams/${channel}`,
  webhookAddress: (webhook) => `http://127.0.0.1:4000/webhooks/${webhook}`,
  stop: async () => {},
};

function functionWith(name: string, environment: Record<string, string>): DeployedFunction {
  return {
    logicalId: 'Function',
    name: `notifier-${name}`,
    codeFolder: FOLDER,
    handler: 'index.handler',
    environment,
    timeoutMs: 1_000,
    memoryMb: 128,
  };
}

function deploymentOf(functions: readonly DeployedFunction[]): Deployment {
  return { functions, schedules: [], triggers: [], mailboxes: [] };
}

function readRedirected(): DeployedConfig {
  return JSON.parse(readFileSync(REDIRECTED, 'utf8'));
}
