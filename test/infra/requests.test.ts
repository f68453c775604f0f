import { expect, test } from 'vitest';
import { CHAT_ENVIRONMENT } from '#functions/deliver-chat.ts';
import { WEBHOOK_ENVIRONMENT } from '#functions/deliver-webhook.ts';
import { ALERT_ENVIRONMENT } from '#functions/parts/alert-parts.ts';
import { POLL_ENVIRONMENT } from '#functions/poll.ts';
import { readEnvironment } from '#shared/config/environment.ts';
import { readCheckRequest } from '#shared/config/requests/check-request.ts';
import { readPollRequest } from '#shared/config/requests/poll-request.ts';
import { readReleaseRequest } from '#shared/config/requests/release-request.ts';
import { CONFIGS, environmentOf, type Given, synthesize } from './synthesized.ts';

/** Functions can read what the template hands to them, which is in the golden templates. */

test.each([
  ['Poll', POLL_ENVIRONMENT],
  ['People/Collect', ALERT_ENVIRONMENT],
  ['People/Release', ALERT_ENVIRONMENT],
  ['People/Slack-payroll', CHAT_ENVIRONMENT],
  ['Webhook-system', WEBHOOK_ENVIRONMENT],
])('the function of %s finds all that it reads of its environment', (path, shape) => {
  const { at } = synthesize(CONFIGS.everything);
  const read = readEnvironment(shape, environmentOf(at(`${path}/Function`)));
  expect(Object.keys(read).sort()).toEqual(Object.keys(shape).sort());
});

test.each(Object.entries<Given>(CONFIGS))('functions read every request of the config %j', (_, config) => {
  const schedules = synthesize(config).ofType('AWS::Scheduler::Schedule');
  const readers = new Map<string, (input: unknown) => object>([
    ['Poll', readPollRequest],
    ['People/Release', readReleaseRequest],
    ['DeliveryCheck', readCheckRequest],
  ]);
  expect(schedules.length).toBeGreaterThanOrEqual(1);
  for (const { path, properties } of schedules) {
    const input = JSON.parse((properties.Target as { Input: string }).Input);
    // All of it: what a reader does not know, it would leave out.
    expect(readers.get(path.split('/Schedules/')[0] ?? '')?.(input)).toEqual(input);
  }
});
