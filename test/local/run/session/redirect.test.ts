import { expect, test } from 'vitest';
import type { DeployedFunction, Deployment } from '#local/aws/template/deployment.ts';
import type { Receivers } from '#local/receivers/server.ts';
import { type RedirectOptions, redirect } from '#local/run/session/redirect.ts';
import { readSetting, writeSetting } from '#shared/config/environment.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { webhookSchema } from '#shared/config/schema/webhook.ts';

const CHANNEL = { name: 'payroll', secretName: 'slack/payroll', more: 'kept' };
const WEBHOOK = webhookSchema.parse({
  name: 'system',
  url: 'https://payroll.acme.example/hook',
  secretName: 'webhooks/system',
  topics: ['timesheets', 'clockings'],
});
const ALERTING = {
  channels: [],
  connections: [
    { name: 'main', timeZone: 'Pacific/Auckland' },
    { name: 'other', timeZone: 'Asia/Tokyo' },
  ],
};

const LOCAL = { http: true, privateAddresses: true, ports: [4_000] };
const SLACK = functionWith({ [ENVIRONMENT.channel]: writeSetting(CHANNEL), SIZE: 'small' });
const TEAMS_CHANNEL = { kind: 'teams', name: 'office', secretName: 'teams/office' };
const TEAMS = functionWith({ [ENVIRONMENT.channel]: writeSetting(TEAMS_CHANNEL) });
const DELIVER = functionWith({ [ENVIRONMENT.webhook]: writeSetting(WEBHOOK) });
const COLLECT = functionWith({ [ENVIRONMENT.alerting]: writeSetting(ALERTING) });
const POLL = functionWith({ SIZE: 'large' });

test('a Slack channel posts to the local receiver, and only that differs', () => {
  const { adapt, secrets, inRealTime } = redirected({});
  expect(secrets.get('slack/payroll')).toBe('http://127.0.0.1:4000/slack/payroll');
  const { environment, ...rest } = adapt(SLACK);
  const { environment: _, ...same } = SLACK;
  expect(rest).toEqual(same);
  expect(environment.SIZE).toBe('small');
  expect(settingIn(environment, 'channel')).toEqual({ ...CHANNEL, kind: 'slack', allow: LOCAL });
  expect(inRealTime(SLACK)).toBe(false);
});

test('a Slack channel with a bot has a token for the local receiver, and asks it in place of Slack', () => {
  const setting = { ...CHANNEL, channelId: 'C0123456789' };
  const bot = functionWith({ [ENVIRONMENT.channel]: writeSetting(setting) });
  const { adapt, secrets } = redirect(deploymentOf([bot]), optionsWith({}));
  expect(secrets.get('slack/payroll')).toMatch(/^xoxb-/);
  const apiUrl = 'http://127.0.0.1:4000/slack/payroll/';
  expect(settingIn(adapt(bot).environment, 'channel')).toMatchObject({ ...setting, apiUrl });
  const alone = redirect(deploymentOf([bot]), optionsWith({ receivers: null }));
  expect(settingIn(alone.adapt(bot).environment, 'channel')).not.toHaveProperty('apiUrl');
});

test('a Teams channel posts to its own local receiver', () => {
  const { adapt, secrets } = redirected({});
  expect(secrets.get('teams/office')).toBe('http://127.0.0.1:4000/teams/office');
  expect(settingIn(adapt(TEAMS).environment, 'channel')).toEqual({ ...TEAMS_CHANNEL, allow: LOCAL });
});

test('a webhook goes to the local receiver, which is allowed, in real time', () => {
  const { adapt, secrets, webhooks, inRealTime } = redirected({});
  const url = 'http://127.0.0.1:4000/webhooks/system';
  expect(secrets.get('webhooks/system')).toBe('whsec_of webhooks/system');
  expect(webhooks).toEqual([
    expect.objectContaining({
      name: 'system',
      address: url,
      secret: 'whsec_of webhooks/system',
      origin: 'made',
    }),
  ]);
  expect(settingIn(adapt(DELIVER).environment, 'webhook')).toEqual({
    ...WEBHOOK,
    url,
    allow: { http: true, privateAddresses: true, ports: [4_000] },
  });
  expect(inRealTime(DELIVER)).toBe(true);
});

test.each([
  ['http://localhost:3000/hook', 3_000],
  ['http://localhost/hook', 80],
  ['https://me.example/hook', 443],
])('with --webhook %s it goes there instead, through port %i', (webhookUrl, port) => {
  const { adapt, webhooks } = redirected({ webhookUrl });
  expect(webhooks[0]?.address).toBe(webhookUrl);
  expect(settingIn(adapt(DELIVER).environment, 'webhook')).toMatchObject({
    url: webhookUrl,
    allow: { http: true, privateAddresses: true, ports: [port] },
  });
});

test('the polled connection is in the time zone of the run, also for alerts', () => {
  const { adapt } = redirected({});
  expect(settingIn(adapt(COLLECT).environment, 'alerting')).toMatchObject({
    connections: [
      { name: 'main', timeZone: 'UTC' },
      { name: 'other', timeZone: 'Asia/Tokyo' },
    ],
  });
});

test('any other function is as in the template', () => {
  const { adapt, inRealTime } = redirected({});
  expect(adapt(POLL)).toEqual(POLL);
  expect(inRealTime(POLL)).toBe(false);
});

test.each([
  ['everything', {}, [true, true, true, true]],
  ['events only', { receivers: null }, [false, false, false, true]],
  [
    'events and the own receiver',
    { receivers: null, webhookUrl: 'http://localhost:3000' },
    [false, true, false, true],
  ],
])('serves %s', (_, options, expected) => {
  const { serves } = redirected(options);
  expect([SLACK, DELIVER, COLLECT, POLL].map(serves)).toEqual(expected);
});

function redirected(options: Partial<RedirectOptions>) {
  return redirect(deploymentOf([SLACK, TEAMS, DELIVER, COLLECT, POLL]), optionsWith(options));
}

function optionsWith(options: Partial<RedirectOptions>): RedirectOptions {
  return {
    connection: connectionSchema.parse({
      name: 'main',
      baseUrl: 'http://127.0.0.1:1',
      timeZone: 'UTC',
      secretName: 'main',
    }),
    receivers: RECEIVERS,
    webhookUrl: null,
    signingSecret: (name) => ({ secret: `whsec_of ${name}`, origin: 'made' }),
    ...options,
  };
}

const RECEIVERS: Receivers = {
  slackAddress: (channel) => `http://127.0.0.1:4000/slack/${channel}`,
  teamsAddress: (channel) => `http://127.0.0.1:4000/teams/${channel}`,
  webhookAddress: (webhook) => `http://127.0.0.1:4000/webhooks/${webhook}`,
  stop: async () => {},
};

function functionWith(environment: Record<string, string>): DeployedFunction {
  return {
    logicalId: 'Function',
    name: 'function',
    codeFolder: '',
    handler: 'index.handler',
    environment,
    timeoutMs: 1_000,
    memoryMb: 128,
  };
}

function deploymentOf(functions: readonly DeployedFunction[]): Deployment {
  return { functions, schedules: [], triggers: [], mailboxes: [] };
}

function settingIn(environment: Readonly<Record<string, string>>, name: 'channel' | 'webhook' | 'alerting') {
  return readSetting(environment[ENVIRONMENT[name]] ?? '');
}
