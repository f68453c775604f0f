import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkMessage, openFigures } from '#test/fortnight/figures/check-message.ts';
import type { Checked } from '#test/fortnight/figures/claim.ts';
import type { WorldFigures } from '#test/fortnight/figures/world-figures.ts';
import { renderDays } from '#test/fortnight/page/page.ts';
import { type Fortnight, runFortnight, type ToldMessage } from '#test/fortnight/run-fortnight.ts';

/** Monday 08:00 until Tuesday 15:36: reminders, a pay run with what waited for it, closings, a reopening and a statement. */
const DAYS = 1.32;
const MIN_MESSAGES = 20;

let fortnight: Fortnight;
let figures: WorldFigures;

beforeAll(async () => {
  fortnight = await runFortnight(DAYS);
  figures = openFigures(fortnight);
});

describe('the page of a fortnight of messages', () => {
  it('begins with what people are told in its first days', () => {
    expect(fortnight.told.length).toBeGreaterThan(MIN_MESSAGES);
    expect(readFileSync('test/fortnight/fortnight.md', 'utf8'), 'run `npm run fortnight`').toContain(
      renderDays(fortnight.told),
    );
  });

  it('has every message once, with who can act on it', () => {
    const page = readFileSync('test/fortnight/fortnight.md', 'utf8');
    const headings = [...page.matchAll(/^\*\*\d\d:\d\d, (?<channel>[^.]+)\.\*\* (?<action>.+)$/gm)];
    const counts = [...page.matchAll(/^\| (?:Slack|mail to|Teams) .*\| (?<count>\d+) \|$/gm)];
    const stated = counts.reduce((sum, { groups }) => sum + Number(groups?.count), 0);
    expect(counts).toHaveLength(4);
    expect(headings).toHaveLength(stated);
    expect(page.match(/^```text$/gm)).toHaveLength(stated);
  });
});

describe('the figures of the messages', () => {
  it('are those of the company at that minute', () => {
    const checked = fortnight.told.flatMap((told) => checkMessage(told, figures));
    expect(checked.flatMap(({ wrong }) => wrong ?? [])).toEqual([]);
    expect(checked.reduce((sum, each) => sum + each.figures, 0)).toBeGreaterThan(10 * MIN_MESSAGES);
  });

  it.each([
    ['a number of timesheets', 'pay_period.readiness', / of (\d+) timesheets/],
    ['hours that are not approved', 'pay_period.readiness', / approved, ([\d.]+) h/],
    ['hours of a closing', 'pay_period.closed', / closed(?: again)?: ([\d.]+) h/],
    ['a difference against the closing before', 'pay_period.closed', /([+-][\d.]+) h against/],
    ['hours of a statement', 'pay_period.statement', /closed at ([\d.]+) h/],
    [
      'timesheets that changed after reopening',
      'pay_period.statement',
      / in (\d+) timesheets after reopening/,
    ],
    ['a difference below a closing', 'timesheet.processed', /\(([+-][\d.]+)\), processed again/],
    ['hours to pay', 'timesheet.payroll_approved', /approved for payroll, ([\d.]+) h to pay/],
    ['a time', 'timesheet.clock_out_removed', / between (\d\d:\d\d) and/],
  ])('would be found wrong: %s', (_, type, pattern) => {
    const { told, wrong } = falsify(type, pattern);
    expect(told.message.title).not.toMatch(/^$/);
    expect(wrong).toHaveLength(1);
  });

  it('are all checked: one that nothing checks is reported', () => {
    const [told] = fortnight.told;
    if (told === undefined) throw new Error('nobody was told anything');
    const message = { ...told.message, lines: [...told.message.lines, 'It took 17 days.'] };
    expect(listWrong(checkMessage({ ...told, message }, figures))).toEqual([
      'nothing checks 17 of: it took 17 days.',
    ]);
  });
});

/** A message of a type with another figure in a sentence, and what is wrong with it. */
function falsify(type: string, pattern: RegExp) {
  const told = fortnight.told.find(
    ({ types, message }) => types.includes(type) && textsOf(message).some((text) => pattern.test(text)),
  );
  if (told === undefined) throw new Error(`no message of ${type} has ${pattern}`);
  const place = textsOf(told.message).findIndex((text) => pattern.test(text));
  const [title = '', ...lines] = textsOf(told.message).map((text, at) =>
    at !== place
      ? text
      : text.replace(pattern, (found, figure: string) => found.replace(figure, spoil(figure))),
  );
  const { heading: _, facts: __, ...message } = told.message;
  return {
    told,
    wrong: listWrong(
      checkMessage({ ...told, message: { ...message, title, lines } } satisfies ToldMessage, figures),
    ),
  };
}

function textsOf({ title, lines }: ToldMessage['message']): readonly string[] {
  return [title, ...lines];
}

function spoil(figure: string): string {
  return figure.includes(':') ? figure.replace(/^\d\d/, '23') : `${figure}1`;
}

function listWrong(checked: readonly Checked[]): string[] {
  return checked.flatMap(({ wrong }) => wrong ?? []);
}
