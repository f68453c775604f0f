import type { EventPublisher } from '#shared/ports/poll.ts';

/** The type of an event comes before its data, which may hold members of any name. */
const TYPE = /"type":"workforce\.([a-z_.]+)"/;

/** Published events by type, as members of a line of the log: `published_timesheet_approved`. */
export type PublishedTypes = Readonly<Record<string, number>>;

/** A publisher that counts what it publishes by type. */
export function countTypes(publisher: EventPublisher): {
  readonly publisher: EventPublisher;
  readonly types: PublishedTypes;
} {
  const types: Record<string, number> = {};
  return {
    types,
    publisher: {
      async publish(texts) {
        const result = await publisher.publish(texts);
        const unpublished = new Set(result.unpublished);
        for (const [position, text] of texts.entries()) {
          const type = TYPE.exec(text)?.[1];
          if (type === undefined || unpublished.has(position)) continue;
          const member = toPublishedMember(type);
          types[member] = (types[member] ?? 0) + 1;
        }
        return result;
      },
    },
  };
}

function toPublishedMember(type: string): string {
  return `published_${type.replaceAll('.', '_')}`;
}
