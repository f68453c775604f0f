import { describe, expect, test } from 'vitest';
import type { ChannelMessage } from '#shared/alerts/alert.ts';
import { buildMail } from '#shared/alerts/layout/mail.ts';
import { buildSlackPayload } from '#shared/alerts/layout/slack-blocks.ts';
import { buildTeamsPayload } from '#shared/alerts/layout/teams-card.ts';
import type { Language } from '#shared/languages/language.ts';
import { renderSlackMessage } from '#shared/terminal/slack-message.ts';
import { renderTeamsCard } from '#shared/terminal/teams-card.ts';
import { findForeign, MADE_UP } from '#test/support/made-up-language.ts';

/** What a reader sees of a message in each medium. */
function renderEverywhere(message: ChannelMessage, language: Language): string[] {
  const slack = buildSlackPayload(message, language);
  const { subject, body } = buildMail(message, { channel: 'payroll', stackName: 'acme-notifier', language });
  const lines = [
    ...(renderSlackMessage(slack) ?? []),
    ...(renderTeamsCard(buildTeamsPayload(message, language)) ?? []),
  ];
  return [slack.text, subject, body, ...lines.map(({ text }) => text)];
}

const KNOWN = ['payroll', 'acme-notifier', 'Pacific/Auckland'];

describe('a message in another language', () => {
  test.each([
    { title: '', lines: [], more: 0 },
    { title: '~', lines: ['~', '~'], links: ['https://acme.example/', null], more: 2, url: '~' },
    { title: '~', lines: [], more: 0, files: { url: '~' } },
  ])('has nothing English around its sentences: %j', (part) => {
    const message = {
      id: 'm-1',
      urgent: false,
      at: 1_780_000_000_000,
      timeZone: 'Pacific/Auckland',
      ...part,
    };
    const known = [...KNOWN, 'https://acme.example/'];
    for (const text of renderEverywhere(message as ChannelMessage, MADE_UP))
      expect(findForeign(text, known)).toEqual([]);
  });
});
