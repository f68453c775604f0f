import { describe, expect, test } from 'vitest';
import { SHORT_EVENT_TYPES, type ShortEventType } from '#shared/core/event-types.ts';
import { TROUBLE_KINDS } from '#shared/core/trouble-kinds.ts';
import { toText } from '#shared/people/message.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import type { ReadableEvent } from '#shared/people/read-events.ts';
import { listLines, sayHeading, toSentence } from '#shared/people/types/all.ts';
import { EXAMPLE_NAMES, EXAMPLE_ZONE, readableExample, troubleData } from '#test/support/example-messages.ts';

const READER = { timeZone: EXAMPLE_ZONE, names: EXAMPLE_NAMES, namesConnection: false };

/** What people read of an event in a line, and in a message of its own: with names, then with ids. */
function print(event: ReadableEvent): string {
  const lines = listLines(event, READER).map(
    ({ spans, isInner }) => `    ${isInner === true ? '- ' : ''}${toText(spans)}`,
  );
  return [
    toSentence(event, READER),
    `  # ${sayHeading(event, READER)}`,
    ...lines,
    `  ids: ${toSentence(event, { ...READER, names: NO_NAMES })}`,
  ].join('\n');
}

test('each type has its words', async () => {
  const told = SHORT_EVENT_TYPES.map((type) => `${type}\n${print(readableExample(type))}`);
  await expect(`${told.join('\n\n')}\n`).toMatchFileSnapshot('golden/types.txt');
});

test('each trouble says what it means for pay, and to operations why', async () => {
  const told = TROUBLE_KINDS.flatMap((kind) =>
    (['trouble.began', 'trouble.ended'] as const).map((type) => {
      const event = readableExample(type, { data: troubleData(kind, type) });
      return [
        `${kind} ${type}`,
        toSentence(event, { ...READER, isForPay: true }),
        ...(type === 'trouble.began' ? [`  operations: ${toSentence(event, READER)}`] : []),
      ].join('\n');
    }),
  );
  await expect(`${told.join('\n\n')}\n`).toMatchFileSnapshot('golden/troubles.txt');
});

describe('texts of the source', () => {
  const hostile = 'Bo\u202eb <!channel> *x*\n@here https://evil.example \u{1F4A9}'.repeat(40);
  const names = {
    ...EXAMPLE_NAMES,
    employees: new Map([['1030_1', hostile]]),
    departments: new Map([['202_1', hostile]]),
  };

  test.each<ShortEventType>([...SHORT_EVENT_TYPES])(
    'of %s stay on one line, without what cannot be seen, without a link',
    (type) => {
      const said = toSentence(readableExample(type), { ...READER, names });
      expect(said.length).toBeLessThanOrEqual(600);
      expect(said).not.toMatch(/[\p{Cc}\p{Cf}]|:\/\//u);
    },
  );
});
