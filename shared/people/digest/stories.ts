import type { Alert, ShownAlert } from '../alert.ts';
import { cutHeading } from '../messages/cut-heading.ts';
import { describeNetEffect, sayNetEffect } from '../messages/net-effect.ts';
import type { TimesheetStory } from '../messages/timesheet-story.ts';
import { ALERT_NEWS } from '../words/alert-news.ts';

/**
 * Merges the alerts of each timesheet into one that says their net effect, at the place of the first. A timesheet with
 * one alert keeps its sentence, which says more.
 */
export function mergeStories(alerts: readonly Alert[]): ShownAlert[] {
  const groups = Map.groupBy(alerts, ({ connection, subject, id }) =>
    JSON.stringify([connection, subject ?? id]),
  );
  const merged = new Map<Alert, ShownAlert>();
  const absorbed = new Set<Alert>();
  for (const group of groups.values()) {
    const [first, ...others] = group;
    if (first === undefined || others.length === 0 || group.some(({ story }) => story === undefined))
      continue;
    merged.set(first, mergeGroup(first, group));
    for (const other of others) absorbed.add(other);
  }
  return alerts.flatMap((alert) => (absorbed.has(alert) ? [] : [merged.get(alert) ?? alert]));
}

function mergeGroup(first: Alert, group: readonly Alert[]): ShownAlert {
  const stories = readStories(group);
  const last = group.at(-1) ?? first;
  // Its latest step says less than that it was removed, added or changed.
  const { type } = group.reduce((most, alert) => (weigh(alert) > weigh(most) ? alert : most), last);
  return {
    ...last,
    id: first.id,
    type,
    line: `${first.prefix ?? ''}${describeNetEffect(stories)}`,
    heading: cutHeading(sayNetEffect(stories)),
    facts: null,
    urgent: group.some(({ urgent }) => urgent),
    stories,
  };
}

function weigh({ type }: Alert): number {
  return ALERT_NEWS[type].saysMost ?? 0;
}

/** All that an alert, or the alerts merged into it, say about its timesheet; empty when it is about none. */
export function readStories(alerts: readonly ShownAlert[]): TimesheetStory[] {
  return alerts.flatMap(({ story, stories }) => stories ?? (story === undefined ? [] : [story]));
}
