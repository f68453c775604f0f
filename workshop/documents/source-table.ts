import type { FeedName } from '#shared/core/feeds.ts';
import { type Effect, listSourceFields } from './source-fields.ts';

/** The table of a kind of record: which of its fields cause which event, and which never do. */
export function renderSourceTable(feed: FeedName): string {
  const rows = listSourceFields(feed).map(({ path, watchedAs, set, replaced, unset }) => {
    const name = watchedAs === null ? '' : `\`${watchedAs}\``;
    return `| \`${path}\` | ${name} | ${[set, replaced, unset].map(renderCell).join(' | ')} |`;
  });
  return [
    '| Source field | In `current` | Set | Replaced | Cleared |',
    '|---|---|---|---|---|',
    ...rows,
    '| any other | | never | never | never |',
  ].join('\n');
}

function renderCell(effect: Effect): string {
  switch (effect) {
    case 'impossible':
      return '–';
    case 'by member':
      return 'see its members';
    case 'never':
      return 'never';
    default:
      return `\`${effect}\``;
  }
}
