import { formatCount } from '#shared/core/messages/numbers.ts';
import { roundHours } from '#shared/core/records/pay-period-totals.ts';
import { applyStyle, escapeUnprintable, table } from '#shared/terminal/output.ts';
import { type Comparison, type Difference, isEqual } from './compare-holdings.ts';
import type { KnownPeriod } from './read-stored.ts';

/** Ids that a line lists; with --json all of them. */
const MAX_LISTED = 10;

/** What differs, in readable lines. `have`: how many timesheets the subscriber has. */
export function formatComparison(period: KnownPeriod, comparison: Comparison, have: number): string[] {
  const { id, connection, calendar, startDate, finishDate, timesheets } = period;
  const { digests, hours, hoursUnknown } = comparison;
  const stored = roundHours([...timesheets.values()].reduce((sum, { hoursToPay }) => sum + hoursToPay, 0));
  const unknown = hoursUnknown === 0 ? '' : `, without ${hoursUnknown} whose hours are not known`;
  return [
    applyStyle('bold', `pay period ${id} of ${connection}: ${calendar} ${startDate} to ${finishDate}`),
    ...table([
      ['stored', formatCount(timesheets.size, 'timesheet'), `${stored} h`, `digest ${digests.stored}`],
      [
        'have',
        formatCount(have, 'timesheet'),
        '',
        digests.have === null
          ? 'no digest, since hoursToPay is missing where it differs'
          : `digest ${digests.have}`,
      ],
    ]),
    '',
    ...table([
      describeKind('missing', comparison.missing),
      describeKind('behind', comparison.behind),
      describeKind('ahead', comparison.ahead),
      describeKind('unknown', comparison.unknown),
      describeKind('other hours', comparison.contradicting),
      ['equal', String(comparison.equal), '', ''],
    ]),
    '',
    isEqual(comparison)
      ? 'equal'
      : `different: ${describeHours(hours)} stored, against what you have${unknown}`,
    ...listNotes(period, comparison),
  ].map(escapeUnprintable);
}

function describeKind(name: string, differences: readonly Difference[]): string[] {
  const known = differences.flatMap(({ hours }) => hours ?? []);
  const hours = known.length === 0 ? '' : describeHours(known.reduce((sum, each) => sum + each, 0));
  const listed = differences.slice(0, MAX_LISTED).map(describeDifference).join(', ');
  const more =
    differences.length > MAX_LISTED ? ` and ${differences.length - MAX_LISTED} more; --json lists all` : '';
  return [name, String(differences.length), hours, `${listed}${more}`];
}

/** `101206_1 (has 3, stored 5)`. */
function describeDifference({ id, stored, have, removed }: Difference): string {
  if (removed === true) return `${id} (has ${have?.sequence}, removed)`;
  if (stored === null || have === null) return id;
  const epochs = stored.epoch === have.epoch ? '' : `, stored epoch ${stored.epoch ?? 'none'}`;
  return `${id} (has ${have.sequence}, stored ${stored.sequence}${epochs})`;
}

function describeHours(hours: number): string {
  return `${hours < 0 ? '' : '+'}${roundHours(hours)} h`;
}

function listNotes({ unsure, unread }: KnownPeriod, { elsewhere }: Comparison): string[] {
  return [
    ...(elsewhere.length === 0 ? [] : [`${elsewhere.length} of other periods, not compared`]),
    ...(unsure.length === 0
      ? []
      : [`left out: ${formatCount(unsure.length, 'timesheet')} whose pay period is not known yet`]),
    ...(unread.length === 0
      ? []
      : [`never read completely: ${unread.length} of its dates, ${unread[0]} to ${unread.at(-1)}`]),
  ];
}
