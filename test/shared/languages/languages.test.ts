import { describe, expect, test } from 'vitest';
import type { Alert, ChannelMessage } from '#shared/alerts/alert.ts';
import { buildAlert } from '#shared/alerts/build-alert.ts';
import { composeMessages } from '#shared/alerts/digest/digest.ts';
import { buildMail } from '#shared/alerts/layout/mail.ts';
import { buildSlackPayload } from '#shared/alerts/layout/slack-blocks.ts';
import { buildTeamsPayload } from '#shared/alerts/layout/teams-card.ts';
import { type DescribableEvent, toSentence } from '#shared/core/definitions/sentences.ts';
import { PUBLISHED_TYPES, toShortType } from '#shared/core/event-types.ts';
import { ENGLISH_TABLES } from '#shared/languages/english/english.ts';
import { createLanguage } from '#shared/languages/language.ts';
import { say } from '#shared/languages/text.ts';
import { NO_NAMES } from '#shared/names/names.ts';
import { renderSlackMessage } from '#shared/terminal/slack-message.ts';
import { renderTeamsCard } from '#shared/terminal/teams-card.ts';
import { ALERT_VARIANTS, buildDescribableSample, SAMPLE_NAMES } from '#test/support/alert-samples.ts';
import { findForeign, listKnown, MADE_UP } from '#test/support/made-up-language.ts';

const ZONE = 'Pacific/Auckland';
const NAMES = { ...SAMPLE_NAMES, managers: new Map([['501_4711', '2031_4711']]) };
/** Names of channels, the stack, commands and the zone: no text of ours. */
const SETTINGS = [...['payroll', 'acme-notifier', ZONE, 'Deputy', 'npm run notifier -- doctor']];
const MAIL = { channel: 'payroll', stackName: 'acme-notifier', language: MADE_UP };
const PLAIN = { channel: 'payroll', urgent: false };

/** What a reader sees of a message in each medium. */
function render(message: ChannelMessage): string[] {
  const slack = buildSlackPayload(message, MADE_UP);
  const { subject, body } = buildMail(message, MAIL);
  const lines = [
    ...(renderSlackMessage(slack) ?? []),
    ...(renderTeamsCard(buildTeamsPayload(message, MADE_UP)) ?? []),
  ];
  return [slack.text, subject, body, ...lines.map(({ text }) => text)];
}

/** Events of every type, and in every situation of which there is a sample. */
const EVENTS: readonly DescribableEvent[] = [
  ...PUBLISHED_TYPES.map((type) => buildDescribableSample(toShortType(type))),
  ...ALERT_VARIANTS.map(({ type, data }) => buildDescribableSample(type, data)),
].map((event, at) => ({ ...event, id: `e-${at}` }));
const KNOWN = [...SETTINGS, ...NAMES.employees.values(), ...NAMES.departments.values(), ...listKnown(EVENTS)];

const READERS = [
  { names: NO_NAMES, namesConnection: true, isForPay: false, serviceName: 'Deputy' },
  { names: NAMES, namesConnection: false, isForPay: true },
  { names: NAMES, namesConnection: true, isForPay: true, hoursBefore: 1 },
  {
    names: NAMES,
    namesConnection: false,
    recordUrl: 'https://acme.example',
  },
  { names: NAMES, namesConnection: false, consoleUrl: 'https://acme.example' },
] as const;

const ALERTS: readonly Alert[] = READERS.flatMap((reader) =>
  EVENTS.map((event) => buildAlert(event, { ...reader, match: PLAIN, timeZone: ZONE, language: MADE_UP })),
);

describe('a message in another language', () => {
  test.each([
    { title: '', lines: [], more: 0 },
    {
      title: '~',
      lines: ['~', '~'],
      links: ['https://acme.example', null],
      more: 2,
      url: 'https://acme.example',
    },
    { title: '~', lines: [], more: 0, files: { url: 'https://acme.example' } },
  ])('has nothing English around its sentences: %j', (part) => {
    const message = { id: 'm-1', urgent: false, at: 1_780_000_000_000, timeZone: ZONE, ...part };
    expectNoEnglish(render(message as ChannelMessage));
  });

  test('of one event of each type and situation has no English word or digit, whoever reads it', () => {
    const messages = ALERTS.flatMap((alert) => compose([alert]));
    expect(messages.length).toBeGreaterThan(350);
    expectNoEnglish(messages.flatMap(render));
  });

  test('that was held for another day has none', () => {
    const later = ALERTS.flatMap((alert) => compose([alert], alert.at + 100_000_000));
    expectNoEnglish(later.flatMap(render));
  });

  test('about several events has none: a digest, its numbers by department, what waited for a pay period', () => {
    const byReader = Map.groupBy(ALERTS, (_, at) => Math.floor(at / EVENTS.length));
    const many = (alert: Alert) =>
      Array.from({ length: 14 }, (_, at) => ({ ...alert, id: `${alert.id}-${at}`, subject: `${at}_1` }));
    const bulk = ALERTS.filter(({ story }) => story !== undefined).flatMap((alert) => compose(many(alert)));
    const lists = ALERTS.filter(({ list }) => list !== undefined).flatMap((alert) =>
      compose([alert, { ...alert, id: `${alert.id}-2` }]),
    );
    const byType = [...Map.groupBy(ALERTS, ({ type }) => type).values()].flatMap((alerts) => compose(alerts));
    const digests = [...byReader.values()].flatMap((alerts) => compose(alerts));
    expectNoEnglish([...digests, ...bulk, ...lists, ...byType].flatMap(render));
  });
});

describe('a translation', () => {
  test('may put the places of a text in another order, and values with braces stay', () => {
    const forms = { ...ENGLISH_TABLES.forms, day: '{date}, {weekday}' };
    const language = createLanguage('de', { ...ENGLISH_TABLES, forms });
    const event = buildDescribableSample('timesheet.approved');
    const reader = { timeZone: ZONE, names: NO_NAMES, language };
    expect(toSentence(event, reader)).toContain('on 13 Nov., Fr. at 10:15 with 7,5 h');
    expect(say('{a} and {b}', { a: '{b}', b: 'x' })).toBe('{b} and x');
  });
});

function compose(alerts: readonly Alert[], sentAt?: number): ChannelMessage[] {
  return composeMessages(alerts, sentAt, MADE_UP).flatMap(({ message }) => message ?? []);
}

function expectNoEnglish(texts: readonly string[]): void {
  expect(texts.length).toBeGreaterThan(0);
  const found = texts.flatMap((text) =>
    findForeign(text, KNOWN).map((word) => `${word} in: ${text.slice(0, 300)}`),
  );
  expect([...new Set(found)].slice(0, 40)).toEqual([]);
}
