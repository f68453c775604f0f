import { expect, test } from 'vitest';
import { formatCommand } from '#shared/terminal/format-command.ts';

test('a command repeats the options that name its target', () => {
  const placeOptions = ['--data', '.data'];
  expect(formatCommand({ placeOptions }, 'events', '1_1')).toBe(
    'npm run notifier -- events 1_1 --data .data',
  );
  expect(formatCommand({}, 'doctor')).toBe('npm run notifier -- doctor');
});

test('a word that a shell would change is quoted', () => {
  const placeOptions = ['--data', "/tmp/Ann's data"];
  expect(formatCommand({ placeOptions }, 'events', '--type', 'timesheet.*')).toBe(
    `npm run notifier -- events --type 'timesheet.*' --data '/tmp/Ann'\\''s data'`,
  );
});
