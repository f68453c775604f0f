import { expect, test } from 'vitest';
import { describeNetEffect } from '#shared/people/messages/net-effect.ts';
import { PERHAPS_CLOSE, type TimesheetStory } from '#shared/people/messages/timesheet-story.ts';

const STORY: TimesheetStory = {
  who: 'Ana Lee, Kitchen, Thu 12 Nov',
  place: 'Kitchen',
  hours: 8,
  changes: [],
  step: null,
  late: [],
  approved: true,
  processed: false,
};
const ADDED = step('record', 'added', true);
const REMOVED = step('record', 'removed', false);

test.each<[Partial<TimesheetStory>[], string]>([
  [
    [
      { step: ADDED, hoursBefore: null, hours: 7.5 },
      { hoursBefore: 7.5, hours: 9 },
    ],
    'added with 9 h',
  ],
  [
    [
      { hoursBefore: 7, hours: 8 },
      { step: REMOVED, hoursBefore: 8, hours: null },
    ],
    'removed (7 h no longer to pay)',
  ],
  [
    [
      { step: ADDED, hoursBefore: null },
      { step: REMOVED, hoursBefore: 8, hours: null },
    ],
    'added and removed again',
  ],
  [[{ changes: [{ label: 'breaks', before: null, after: null }] }], 'breaks changed'],
  [[{ hoursBefore: 0.1, hours: 0.3 }], '0.1 to 0.3 h (+0.2)'],
  [[{ hoursBefore: 8, late: ['approval'], hours: 9 }], '8 to 9 h (+1), after approval'],
  [[{ hoursBefore: 8, late: ['approval', 'processing'], hours: 9 }], '8 to 9 h (+1), after it was processed'],
  [
    [{ step: step('processing', 'no longer processed', false), late: ['processing', 'close'] }],
    'no longer processed, after its pay period closed',
  ],
  [[{ step: step('approval', 'no longer approved', false), late: ['approval'] }], 'no longer approved'],
  [
    [{ hoursBefore: 8, late: [PERHAPS_CLOSE], hours: 9 }],
    '8 to 9 h (+1), perhaps after its pay period closed',
  ],
  [
    [
      { hoursBefore: 8, late: [PERHAPS_CLOSE], hours: 9 },
      { hoursBefore: 9, late: ['close'], hours: 10 },
    ],
    '8 to 10 h (+2), after its pay period closed',
  ],
])('%j: %s', (parts, effect) => {
  expect(describeNetEffect(parts.map((part) => ({ ...STORY, ...part })))).toBe(`${STORY.who}: ${effect}.`);
});

function step(aspect: string, words: string, done: boolean) {
  return { aspect, words, done, repeated: false };
}
