import { beforeAll, expect, test } from 'vitest';
import { CHAT_ENVIRONMENT } from '#functions/deliver-chat.ts';
import { WEBHOOK_ENVIRONMENT } from '#functions/deliver-webhook.ts';
import { ALERT_ENVIRONMENT } from '#functions/parts/alert-parts.ts';
import { POLL_ENVIRONMENT } from '#functions/poll.ts';
import { readEnvironment } from '#shared/config/environment.ts';
import { readPollRequest } from '#shared/config/requests/poll-request.ts';
import { readReleaseRequest } from '#shared/config/requests/release-request.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { CONNECTION, environmentOf, type Synthesized, synthesize, WITH_EVERY_OPTION } from './synthesized.ts';

/** What functions read of the template: its parts are in the golden files. */

const NORTH = { ...CONNECTION, name: 'north', timeZone: 'Australia/Perth', secretName: 'notifier/north' };

let everything: Synthesized;
beforeAll(() => {
  everything = synthesize(WITH_EVERY_OPTION);
});

test.each([
  ['Poll', POLL_ENVIRONMENT],
  ['People/Collect', ALERT_ENVIRONMENT],
  ['People/Release', ALERT_ENVIRONMENT],
  ['People/Slack-payroll', CHAT_ENVIRONMENT],
  ['Webhook-system', WEBHOOK_ENVIRONMENT],
])('the function of %s finds all that it reads of its environment', (path, shape) => {
  const read = readEnvironment(shape, environmentOf(everything.at(`${path}/Function`)));
  expect(Object.keys(read).sort()).toEqual(Object.keys(shape).sort());
});

test('the schedule of a connection has the whole connection, and that of messages asks for what is due', () => {
  const built = synthesize({ connections: [CONNECTION, NORTH] });
  for (const connection of [CONNECTION, NORTH])
    expect(requestOf(built, connection.name).connection).toEqual(connectionSchema.parse(connection));
  const release = everything.at('People/Release/Schedules/due').properties.Target as { Input: string };
  expect(readReleaseRequest(JSON.parse(release.Input))).toEqual({ scope: 'due' });
});

test.each([
  ['published with its events', { poll: { directory: true } }, ['employees', 'departments'], false],
  ['named to people', { people: namesOf('employees', 'departments') }, ['employees', 'departments'], true],
  ['named by those who manage it', { people: namesOf('managers') }, ['departments'], true],
  ['not named', { people: namesOf() }, [], true],
])('the directory is polled where it is %s', (_, config, feeds, silent) => {
  expect(requestOf(synthesize(config), 'main').feeds).toEqual([
    ...['timesheets', 'pay-periods'].map((name) => ({ name, silent: false })),
    ...feeds.map((name) => ({ name, silent })),
  ]);
});

test('a poll knows the times of the daily summaries, each once', () => {
  const channels = ['12:00', '08:00', '08:00', undefined].map((at, index) => ({
    ...{ kind: 'email' as const, name: `office-${index}`, addresses: [`office-${index}@acme.example`] },
    ...(at === undefined ? {} : { dailySummary: { at } }),
  }));
  expect(requestOf(synthesize({ people: { channels } }), 'main').summaries).toEqual(['08:00', '12:00']);
});

test('without a channel nothing of people is created', () => {
  const { resources } = synthesize({ people: { serviceName: 'Deputy' } });
  expect(resources.filter(({ path }) => path.startsWith('People/'))).toEqual([]);
});

function namesOf(...names: readonly ('departments' | 'employees' | 'managers')[]) {
  return {
    names: [...names],
    channels: [{ name: 'office', kind: 'email' as const, addresses: ['office@acme.example'] }],
  };
}

function requestOf({ at }: Synthesized, connection: string) {
  const target = at(`Poll/Schedules/${connection}`).properties.Target as { Input: string };
  return readPollRequest(JSON.parse(target.Input));
}
