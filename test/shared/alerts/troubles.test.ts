import { describe, expect, test } from 'vitest';
import config from '#config';
import { findNeededTypes } from '#shared/config/schema/alerting.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { findTypes } from '#shared/core/definitions/alert-news.ts';
import { alertSamples } from '#workshop/documents/alert-samples.ts';

const PAYROLL = { name: 'payroll', kind: 'slack', secretName: 'slack/payroll' } as const;
const IT = { name: 'it', kind: 'slack', secretName: 'slack/it', for: 'operations' } as const;

const TROUBLE_TYPES = findTypes(({ preset }) => preset === 'troubles');

describe('a trouble of the notifier itself', () => {
  test.each([
    [
      'source.unreachable',
      'We cannot see timesheets since 15:05',
      "Do not rely on today's figures until we say so. Nothing gets lost.",
    ],
    [
      'source.recovered',
      'We see timesheets again since 15:31',
      'We could not since 15:05. What changed meanwhile is told now, and figures are up to date again.',
    ],
    [
      'slice.unreadable',
      'We cannot see timesheets of Mon 2 Nov since 08:17',
      'Do not rely on figures that include them until we say so. Nothing gets lost, and everything else is up to date.',
    ],
    [
      'slice.readable',
      'We see timesheets of Mon 2 Nov again since 09:04',
      'We could not since 08:17. What changed meanwhile is told now, and figures are up to date again.',
    ],
    [
      'feed.lagging',
      'Changes of timesheets are seen late since 09:26',
      'Figures can be behind by up to 3 h until we say so. Nothing gets lost.',
    ],
    [
      'feed.caught_up',
      'Changes of timesheets are seen in time again since 10:15',
      'They had been late since 09:26.',
    ],
    [
      'slice.mass_change',
      'All at once, 41 of 55 timesheets of Fri 13 Nov lost their approval',
      'Ask whether that was meant. Seen at 13:17, confirmed at 13:19.',
    ],
    [
      'source.form_changed',
      'We cannot see timesheets since 14:40',
      "Deputy writes them in another form. Do not rely on today's figures until we say so. Nothing gets lost.",
    ],
    [
      'source.form_restored',
      'We see timesheets again since 15:55',
      'We could not since 14:40. What changed meanwhile is told now, and figures are up to date again.',
    ],
    [
      'publish.failed',
      '2 changes of timesheets could not be passed on',
      'Neither people nor systems are told of what was seen at 16:11; look it up in Deputy: 910001_4711.',
    ],
  ])('%s is told to payroll as what it means for pay', (type, heading, facts) => {
    const told = hear({ channels: [PAYROLL] }).find(({ alert }) => alert.type === `workforce.${type}`);
    expect(told?.alert).toMatchObject({ heading, facts, line: `${heading}. ${facts}` });
  });

  test('is told to payroll by default only where it means something for pay, and without its cause', () => {
    const lines = hear({ channels: [PAYROLL] }).filter(({ alert }) => isTrouble(alert.type));
    expect(lines.length).toBe(10);
    for (const { alert } of lines) {
      expect(alert.line).not.toMatch(/the source|main\b|doctor|\w+_(?:failed|unreachable|form)|connection/);
    }
  });

  test('is told to operations with its cause', () => {
    const told = hear({ channels: [PAYROLL, IT] }).filter(({ channel }) => channel === 'it');
    expect(told.map(({ alert }) => alert.type).toSorted()).toEqual(TROUBLE_TYPES.toSorted());
    expect(told.find(({ alert }) => alert.type === 'workforce.source.unreachable')?.alert.line).toMatch(
      /^The timesheets have not been readable since 15:05: Deputy gives no usable answer \(5 polls failed: source_failed\)/,
    );
  });

  test('is asked of the topics where a channel is for operations', () => {
    const { alerts } = parseNotifierConfig({ ...config, alerts: { channels: [IT] } });
    expect([...findNeededTypes(alerts)]).toEqual([['operations', expect.any(Array)]]);
    expect(findNeededTypes(alerts).get('operations')?.toSorted()).toEqual(TROUBLE_TYPES.toSorted());
  });
});

function hear({ channels }: { readonly channels: readonly object[] }) {
  return alertSamples({ channels, serviceName: 'Deputy' });
}

function isTrouble(type: string): boolean {
  return TROUBLE_TYPES.some((trouble) => trouble === type);
}
