import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { channelSchema } from '#shared/config/schema/channel.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { PRESETS } from '#shared/core/definitions/event-definition.ts';

const PAGE = readFileSync('docs/messages.md', 'utf8');

test('the page names every setting of a channel, and every preset', () => {
  const settings = channelSchema.options.flatMap(({ shape }) => Object.keys(shape));
  const named = [...PAGE.matchAll(/^\| `(?<name>[\w-]+)` \|/gm)].map(({ groups }) => groups?.name);
  expect(named.toSorted()).toEqual([...new Set([...settings, ...PRESETS])].toSorted());
});

test('its settings are a config that is accepted', () => {
  const shown = [...PAGE.matchAll(/```js\n(?<name>\w+): (?<value>[\s\S]*?)\n```/g)];
  const { people, calendars } = Object.fromEntries(
    shown.map(({ groups }) => [groups?.name, new Function(`return (${groups?.value});`)()]),
  );
  const connection = {
    name: 'main',
    baseUrl: 'https://workforce.example.com',
    timeZone: 'Pacific/Auckland',
    secretName: 'ssm:/secrets/workforce-notifier/main',
    absences: { clockInMinutes: 15, clockOutHours: 3 },
    calendars,
  };
  expect(() => parseNotifierConfig({ connections: [connection], people })).not.toThrow();
  expect(calendars).toHaveLength(2);
});
