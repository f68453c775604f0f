import { createInterface } from 'node:readline';
import { isTimesheetEvent, parseEvent } from 'workforce-change-notifier';
import { openBook } from './book.ts';
import { enter, listPaid, pay } from './payer.ts';

const [file, since] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write(
    'usage: npm run example:payer -- BOOK SINCE < EVENTS, an event in JSON on each line; BOOK alone prints what was paid\n',
  );
  process.exit(1);
}

using book = openBook(file);
const print = (value: object) => process.stdout.write(`${JSON.stringify(value)}\n`);
if (since === undefined) for (const each of listPaid(book)) print(each);
else {
  /** Takes every event of standard input into the book, then pays: a line for each payment. */
  for await (const line of createInterface({ input: process.stdin })) {
    const parsed = parseEvent(line);
    if (parsed.outcome === 'event' && isTimesheetEvent(parsed.event)) enter(parsed.event, book, since);
  }
  await pay(book, async ({ id, minutes }) => void print({ id, minutes }));
}
