import { createInterface } from 'node:readline';
import { isTimesheetEvent, parseEvent } from 'workforce-change-notifier';
import { openBook } from './book.ts';
import { enter, pay } from './payer.ts';

const [file, since] = process.argv.slice(2);
if (file === undefined || since === undefined) {
  process.stderr.write(
    'usage: npm run example:payer -- BOOK SINCE < EVENTS, an event in JSON on each line\n',
  );
  process.exit(1);
}

/** Takes every event of standard input into the book, then pays: a line for each payment. */
using book = openBook(file);
for await (const line of createInterface({ input: process.stdin })) {
  const parsed = parseEvent(line);
  if (parsed.outcome === 'event' && isTimesheetEvent(parsed.event)) enter(parsed.event, book, since);
}
await pay(book, async ({ id, minutes }) => {
  process.stdout.write(`${JSON.stringify({ id, minutes })}\n`);
});
