import { readFileSync } from 'node:fs';
import { PAYING_EVENT_TYPES } from '#shared/config/schema/unheard-follow-ups.ts';
import { EVENT_CONTRACTS } from '#shared/core/definitions/event-schemas.ts';
import {
  EVENT_CATALOGUE,
  SHORT_EVENT_TYPES,
  type ShortEventType,
  toShortType,
} from '#shared/core/event-types.ts';
import { renderAccount, renderCommonMembers, renderTimesheetMembers } from './event-members.ts';

/** The page on all events, in Markdown: that of `pages` with its places, such as `{{account}}`, filled. */
export function renderEventsPage(): string {
  const paying = PAYING_EVENT_TYPES.map(toShortType);
  const texts: Readonly<Record<string, string>> = {
    'paying types': renderTypes(paying),
    'other types': listTypes(SHORT_EVENT_TYPES.filter((type) => !paying.includes(type))),
    'common members': renderCommonMembers(),
    'timesheet members': renderTimesheetMembers(),
    account: renderAccount(),
  };
  const page = readFileSync(new URL('pages/events.md', import.meta.url), 'utf8');
  return page.replace(/\{\{([a-z ]+)\}\}/g, (_, place: string) => texts[place] ?? `no text for ${place}`);
}

function renderTypes(types: readonly ShortEventType[]): string {
  const rows = types.map((type) => `| ${link(type)} | ${EVENT_CONTRACTS[type].meaning} |`);
  return ['| Type | Meaning |', '|---|---|', ...rows].join('\n');
}

/** By topic, since their names say most of what they mean. */
function listTypes(types: readonly ShortEventType[]): string {
  const byTopic = Map.groupBy(types, (type) => EVENT_CATALOGUE[type]);
  return [...byTopic].map(([topic, alike]) => `- \`${topic}\`: ${alike.map(link).join(', ')}`).join('\n');
}

function link(type: ShortEventType): string {
  return `[\`${type}\`](events/${type}.md)`;
}
