import { describe, expect, test } from 'vitest';
import { buildCsvFiles } from '#shared/period/csv.ts';

/** What a spreadsheet does before it looks for a formula: some cut at `;` or tabs, and trim. */
const CUTS = /[;\t\r\n]/;
const TRIMMED = /^["\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]+/u;
const FORMULA = /^[=+\-@]/;

const FORMULAS = [
  ...['=1+1', '+1', '-1', '@SUM(A1)', ' =1+1', '\u00a0=1+1', '\u3000=1', '\n=1', '\t=1', '\r=1', '\0=1'],
  ...['\u200b=1', '\ufeff=1', '\u202e=1', '\u2060\u00ad =1', '\u3164=1', '\u2028=1', '\u2800=1'],
  ...['\uff1d1+1', '\uff0b1', '\uff0d1', '\uff201', ' \uff1d1', '\ufe661', '\ufe63\u0031', '\u22121'],
  ...["A;=cmd|' /C calc'!A0", 'A; \uff1d1', 'a\t=1+1', 'a;\u200b@1', 'a;b;=1;=2', 'a\n+1', '"=1', 'a;"=1"'],
];

test.each(FORMULAS)('%j is no formula to a spreadsheet, wherever it cuts', (text) => {
  const cell = readCell(text);
  const parts = cell.split(CUTS).map((part) => part.replace(TRIMMED, '').normalize('NFKC'));
  expect(parts.filter((part) => FORMULA.test(part.replace('\u2212', '-')))).toEqual([]);
  // Nothing is lost but for what says that it is a text.
  expect(cell.replaceAll("'", '')).toBe(text.replaceAll("'", ''));
});

test.each(['Ana-Maria', 'a = b', 'not approved; not processed', "O'Neill", '7.5', '2026-03-06 14:00', ''])(
  '%j stays as it is',
  (text) => expect(readCell(text)).toBe(text),
);

const READER = {
  names: { employees: new Map([['2001_7', 'Zoë']]), departments: new Map() },
  timeZone: 'UTC',
};
const HEADING =
  '"timesheetId","date","employeeId","employee","departmentId","department","hoursToPay","approved","payrollApproved","processed","changed","difference"\r\n';

test('one file has what is ready, the other what is not, and what is gone since it was told', () => {
  const changed = [
    { timesheetId: '1_7', reason: 'changed', difference: 0.5 },
    { timesheetId: '9_7', reason: 'removed', difference: -8 },
  ] as unknown as Parameters<typeof buildCsvFiles>[0]['changed'];
  const timesheets = [
    timesheet('1_7', { employeeId: '2001_7', hoursToPay: 8, approvedHours: '2026-03-06T14:00:00Z' }),
    timesheet('2_7', { hoursToPay: -4.5, processed: 'run 7' }),
    timesheet('3_7', { date: '2026-03-05', hoursToPay: 7.5 }),
  ];
  const [pay, left] = buildCsvFiles({ id: '3_7', timesheets, changed }, READER);
  expect([pay.name, left.name]).toEqual(['3_7-pay.csv', '3_7-left-over.csv']);
  expect(pay.text).toBe(
    `\ufeff${HEADING}"1_7","","2001_7","Zoë","","",8,"2026-03-06 14:00","","","changed",0.5\r\n"2_7","","","","","",-4.5,"","","run 7","",""\r\n`,
  );
  expect(left.text).toBe(
    `\ufeff${HEADING}"3_7","2026-03-05","","","","",7.5,"","","","",""\r\n"9_7","","","","","","","","","","removed",-8\r\n`,
  );
});

test('files begin with a byte order mark, for Excel, and have no other', () => {
  for (const { text } of buildCsvFiles({ id: '3_7', timesheets: [], changed: null }, READER)) {
    expect(new TextEncoder().encode(text).slice(0, 3)).toEqual(new Uint8Array([0xef, 0xbb, 0xbf]));
    expect(text.indexOf('\ufeff', 1)).toBe(-1);
  }
});

describe('the name of a file', () => {
  test.each(['x', '%', '/', 'ü', '日', '😀', '\u202e', 'a日'])(
    'of %j repeated is at most 255 bytes, and can be decoded',
    (piece) => {
      const name = nameOf(piece.repeat(300));
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
      expect(name).toMatch(/^[\w!%'()*~.-]+\.csv$/);
      expect(decodeURIComponent(name)).not.toContain('\ufffd');
    },
  );

  test('keeps those apart that begin alike', () => {
    expect(nameOf(`${'x'.repeat(300)}1`)).not.toBe(nameOf(`${'x'.repeat(300)}2`));
  });

  test('is there for a text with half a character', () => {
    expect(nameOf('a\ud800')).toBe('a%EF%BF%BD-pay.csv');
  });
});

function nameOf(id: string): string {
  return buildCsvFiles({ id, timesheets: [], changed: null }, READER)[0].name;
}

/** What a program that knows the quotes of CSV makes of the cell of this text. */
function readCell(employeeId: string): string {
  const timesheets = [timesheet('1_7', { employeeId })];
  const [, left] = buildCsvFiles({ id: '3_7', timesheets, changed: null }, READER);
  const [, quoted = 'none'] = /"1_7","","((?:[^"]|"")*)",/.exec(left.text) ?? [];
  return quoted.replaceAll('""', '"');
}

function timesheet(id: string, state: Readonly<Record<string, string | number>>) {
  return { id, state };
}
