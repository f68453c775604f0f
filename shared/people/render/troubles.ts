import type { Group } from '../groups.ts';
import { bold, type Line } from '../message.ts';
import type { ReadableEvent } from '../read-events.ts';
import { sayHeading as headingOf, listLines } from '../types/all.ts';
import { sayTrouble, type TroubleEvent } from '../types/operations.ts';
import type { MessageReader, Rendered } from './rendered.ts';
import { countNews } from './sheets.ts';

/** What does not go as it should, and what does again: those that mean the same of several lists together. */
export function renderTroubles({ events }: Group, reader: MessageReader): Rendered | null {
  const all = events.flatMap(({ event }) => event ?? []);
  const left = dropEnded(all.filter(isTrouble));
  const others = all.filter((event) => !isTrouble(event));
  const said = [...Map.groupBy(left, ({ type, data }) => `${type} ${data.kind}`).values()];
  const lines: Line[] = said.map((own) => {
    const { heading, facts } = sayTrouble(own, reader);
    return { spans: [bold(heading), `. ${facts}.`] };
  });
  const [only] = said;
  if (only !== undefined && said.length === 1 && others.length === 0) {
    const { heading, facts } = sayTrouble(only, reader);
    return { heading, lines: [{ spans: [`${facts}.`] }] };
  }
  return lines.length + others.length === 0
    ? null
    : {
        heading: countNews([...left, ...others]),
        lines: [...lines, ...others.flatMap((event) => toLines(event, reader))],
      };
}

function isTrouble(event: ReadableEvent): event is TroubleEvent {
  return event.type === 'workforce.trouble.began' || event.type === 'workforce.trouble.ended';
}

/** The last event of each trouble; none of one that began and ended before anybody was told. */
function dropEnded(events: readonly TroubleEvent[]): TroubleEvent[] {
  const byTrouble = Map.groupBy(events, ({ source, subject, data }) =>
    JSON.stringify([source, subject, data.kind]),
  );
  return [...byTrouble.values()].flatMap((own) => {
    const [first, last] = [own[0], own.at(-1)];
    const isOver = first?.type.endsWith('.began') === true && last?.type.endsWith('.ended') === true;
    return last === undefined || isOver ? [] : [last];
  });
}

function toLines(event: ReadableEvent, reader: MessageReader): Line[] {
  return [{ spans: [bold(headingOf(event, reader))] }, ...listLines(event, reader)];
}
