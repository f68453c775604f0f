import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { checkFilters } from '#shared/operator/doctor/run-checks.ts';
import { buildStack, CONNECTION, EVERYTHING, WEBHOOK } from './synthesized.ts';

const SAYS =
  'hears workforce.timesheet.approved, but not everything that happens to it afterwards; add workforce.timesheet.approval_revoked, workforce.timesheet.removed';

test('a filter that hears of approvals alone is warned about at synth and by doctor', () => {
  const filter = { type: ['workforce.timesheet.approved' as const, 'workforce.timesheet.changed' as const] };
  const config = { ...EVERYTHING, connections: [CONNECTION], webhooks: [{ ...WEBHOOK, filter }] };
  expect(warningsOf(config)).toEqual([`webhooks[0].filter.type: ${SAYS} (docs/subscribing.md)`]);
  expect(checkFilters({ config: parseNotifierConfig(config) })).toEqual([
    {
      about: 'webhooks[0].filter.type',
      outcome: 'warning',
      says: SAYS.split('; ')[0],
      mend: `${SAYS.split('; ')[1]}, and deploy; see docs/subscribing.md`,
    },
  ]);
});

test('receivers without a filter are warned about by neither', () => {
  expect(warningsOf(EVERYTHING)).toEqual([]);
  const config = parseNotifierConfig({ ...EVERYTHING, connections: [CONNECTION] });
  expect(checkFilters({ config })).toEqual([]);
});

function warningsOf(config: typeof EVERYTHING): string[] {
  const warnings = Annotations.fromStack(buildStack(config)).findWarning(
    '*',
    Match.stringLikeRegexp('not everything that happens'),
  );
  return warnings.map(({ entry }) => String(entry.data).replace(/ \[ack: .*/, ''));
}
