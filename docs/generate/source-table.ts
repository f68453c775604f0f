import type { FeedName } from '#shared/core/feeds.ts';
import { type Effect, sourceFields } from './source-fields.ts';

/** The table of a kind of record: which of its fields cause which event, and which never do. */
export function sourceTable(feed: FeedName): string {
  const rows = sourceFields(feed).map(({ path, watchedAs, set, replaced, unset }) => {
    const name = watchedAs === null ? '' : `\`${watchedAs}\``;
    return `| \`${path}\` | ${name} | ${[set, replaced, unset].map(cell).join(' | ')} |`;
  });
  return [
    '| Source field | In `current` | A value comes | Another value | It goes |',
    '|---|---|---|---|---|',
    ...rows,
    '| any other | | never | never | never |',
  ].join('\n');
}

function cell(effect: Effect): string {
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
