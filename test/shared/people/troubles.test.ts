import { describe, expect, test } from 'vitest';
import config from '#config';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { findNeededTypes, peopleSchema } from '#shared/config/schema/people.ts';
import { TROUBLE_KINDS, type TroubleKind } from '#shared/core/trouble-kinds.ts';
import { isForPay, matchChannels } from '#shared/people/match-channels.ts';
import { findTypes } from '#shared/people/words/alert-news.ts';
import { TROUBLES_FOR_PAY } from '#shared/people/words/operation-words.ts';
import { alertOf, describableExample, troubleData } from '#test/support/example-alert.ts';

const PAYROLL = { name: 'payroll', kind: 'slack', secretName: 'slack/payroll' } as const;
const IT = { name: 'it', kind: 'slack', secretName: 'slack/it', for: 'operations' } as const;
const SEEN_AGAIN =
  'We could not since 17:00. What changed meanwhile is told now, and figures are up to date again.';

const TROUBLE_TYPES = findTypes(({ preset }) => preset === 'troubles');

describe('a trouble of the notifier itself', () => {
  test.each<[TroubleKind, began: readonly [string, string], ended: readonly [string, string]]>([
    [
      'source_unreachable',
      [
        'We cannot see Deputy since 17:00',
        "Do not rely on today's figures until we say so. Nothing gets lost.",
      ],
      ['We see Deputy again since 17:51', SEEN_AGAIN],
    ],
    [
      'dates_unreadable',
      [
        'We cannot see timesheets of Wed 11 Nov since 17:00',
        'Do not rely on figures that include them until we say so. Nothing gets lost, and everything else is up to date.',
      ],
      ['We see timesheets of Wed 11 Nov again since 17:51', SEEN_AGAIN],
    ],
    [
      'dates_doubtful',
      [
        '41 of the timesheets of Fri 13 Nov are in doubt since 17:00',
        'So many changed at once that we look again before we report it. Do not rely on figures that include them until we say so.',
      ],
      [
        'The timesheets of Fri 13 Nov are certain again since 17:51',
        'They had been in doubt since 17:00. What did change is reported now.',
      ],
    ],
    [
      'feed_late',
      [
        'Changes of timesheets are seen late since 17:00',
        'Figures can be behind until we say so. Nothing gets lost.',
      ],
      ['Changes of timesheets are seen in time again since 17:51', 'They had been late since 17:00.'],
    ],
    [
      'publish_failed',
      [
        'Changes of timesheets could not be passed on',
        'Neither people nor systems are told of what was seen at 17:00; look it up in Deputy.',
      ],
      ['Changes of timesheets are passed on again since 17:51', 'What was lost at 17:00 is not told again.'],
    ],
  ])('%s is told to payroll as what it means for pay', (kind, ...told) => {
    for (const [index, [heading, facts]] of told.entries()) {
      const [alert] = hear([PAYROLL], kind, index === 0 ? 'trouble.began' : 'trouble.ended');
      expect(alert).toMatchObject({ heading, facts, line: `${heading}. ${facts}` });
      expect(alert?.line).not.toMatch(/main\b|doctor|\w+_(?:failed|unreachable|form)|connection/);
    }
  });

  test.each(TROUBLE_KINDS)(
    '%s is told to operations, and to payroll only where it means something for pay',
    (kind) => {
      for (const type of ['trouble.began', 'trouble.ended'] as const) {
        const heard = hear([PAYROLL, IT], kind, type);
        expect(heard.length).toBe(TROUBLES_FOR_PAY.includes(kind) ? 2 : 1);
        expect(heard.at(-1)?.line.includes('Cause: ')).toBe(type === 'trouble.began');
      }
    },
  );

  test('is asked of the topics where a channel is for operations', () => {
    const { people } = parseNotifierConfig({ ...config, people: { channels: [IT] } });
    expect([...findNeededTypes(people)]).toEqual([['operations', expect.any(Array)]]);
    expect(findNeededTypes(people).get('operations')?.toSorted()).toEqual(TROUBLE_TYPES.toSorted());
  });
});

function hear(given: readonly object[], kind: TroubleKind, type: 'trouble.began' | 'trouble.ended') {
  const event = describableExample(type, { data: troubleData(kind, type) });
  const { channels, serviceName } = peopleSchema.parse({ channels: given, serviceName: 'Deputy' });
  return matchChannels(event, { channels, timeZone: 'Pacific/Auckland' }).map((match) =>
    alertOf(event, { match, serviceName, isForPay: isForPay(match, channels) }),
  );
}
