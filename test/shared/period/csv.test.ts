import { describe, expect, test } from 'vitest';
import { buildCsvFiles, buildSheets, toGoneLine } from '#shared/period/statement-csv.ts';

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

test('files begin with a byte order mark, for Excel, and each of their texts is in quotes', () => {
  const [file] = buildCsvFiles({
    id: '3_7',
    timesheets: [timesheet({ employeeId: 'Zoë', hoursToPay: -4.5 })],
  });
  expect(file?.text).toBe(
    `\ufeff"timesheetId","employeeId","date","hoursToPay","approvedHours","approvedPayroll","processed"\r\n"1_7","Zoë","",-4.5,"","",""\r\n`,
  );
  for (const { text } of buildSheets('3_7', [])) {
    expect(new TextEncoder().encode(text).slice(0, 3)).toEqual(new Uint8Array([0xef, 0xbb, 0xbf]));
    expect(text.indexOf('\ufeff', 1)).toBe(-1);
  }
  const gone = { timesheetId: '2_7', reason: 'removed', difference: -8 } as const;
  const line = toGoneLine(gone as unknown as Parameters<typeof toGoneLine>[0]);
  expect(line.text).toMatch(/^"2_7",(?:"",){9}"[^"]+",-8\r\n$/);
});

describe('the name of a file', () => {
  test.each(['x', '%', '/', 'ü', '日', '😀', '\u202e', 'a日'])(
    'of %j repeated is at most 255 bytes, and can be decoded',
    (piece) => {
      const name = nameOf(piece.repeat(300), piece.repeat(299));
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
      expect(Buffer.byteLength(name)).toBeGreaterThan(200);
      expect(name).toMatch(/^[\w!%'()*~.-]+\.csv$/);
      expect(decodeURIComponent(name)).not.toContain('\ufffd');
    },
  );

  test('keeps what is short, and those apart that begin alike', () => {
    expect(nameOf('9013_1', '501_1')).toBe('9013_1-501_1.csv');
    expect(nameOf('9013_1', `${'x'.repeat(300)}1`)).not.toBe(nameOf('9013_1', `${'x'.repeat(300)}2`));
  });

  test('is there for a text with half a character', () => {
    expect(nameOf('3_7', 'a\ud800')).toBe('3_7-a%EF%BF%BD.csv');
  });
});

function nameOf(id: string, departmentId: string): string {
  return buildCsvFiles({ id, timesheets: [timesheet({ departmentId })] })[0]?.name ?? '';
}

/** What a program that knows the quotes of CSV makes of the cell of this text. */
function readCell(employeeId: string): string {
  const [file] = buildCsvFiles({ id: '3_7', timesheets: [timesheet({ employeeId })] });
  const [, quoted = 'none'] = /"1_7","((?:[^"]|"")*)",/.exec(file?.text ?? '') ?? [];
  return quoted.replaceAll('""', '"');
}

function timesheet(state: Readonly<Record<string, string | number>>) {
  return { id: '1_7', state };
}
