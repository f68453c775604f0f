import type { Language } from '#shared/languages/language.ts';
import { toLocalDate } from '../../core/dates.ts';
import { fitsHeading } from '../../core/messages/heading-length.ts';
import { describeOpen, describeOpenBriefly, isUnchanged } from '../../statements/open-sum.ts';
import type { ShownAlert } from '../alert.ts';

/** What is still open of closed pay periods is one line, at the place of the last of them. */
export function mergeOpen(
  alerts: readonly ShownAlert[],
  sentAt: number | undefined,
  language: Language,
): ShownAlert[] {
  const all = alerts.filter(({ open }) => open !== undefined);
  const last = all.at(-1);
  if (last === undefined) return [...alerts];
  const { at, timeZone } = last;
  const isHeld = sentAt !== undefined && toLocalDate(sentAt, timeZone) !== toLocalDate(at, timeZone);
  const periods = all.flatMap(({ open }) => open ?? []);
  const line = describeOpen(periods, { at, timeZone, isHeld, language });
  const briefly = isUnchanged(periods) ? null : `${describeOpenBriefly(periods, language)}.`;
  const merged = {
    ...last,
    line: `${line}.`,
    heading: line ?? '',
    facts: null,
    strong: [],
    count: all.length,
    briefly,
  };
  return alerts.flatMap((alert) => {
    if (alert === last && line !== null)
      return [fitsHeading(line) ? merged : { ...merged, heading: last.heading }];
    return alert.open === undefined ? [alert] : [];
  });
}
