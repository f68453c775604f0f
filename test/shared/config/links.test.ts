import { describe, expect, test } from 'vitest';
import { linksSchema } from '#shared/config/schema/links.ts';

describe('the address of a record', () => {
  test.each([
    'https://time.acme.example/{timesheetId}',
    'https://acme.example/app?sheet={timesheetId}&of={employeeId}#{connection}',
  ])('may be %s', (recordUrl) => {
    expect(linksSchema.parse({ recordUrl }).recordUrl).toBe(recordUrl);
  });

  test.each([
    'http://time.acme.example/{timesheetId}',
    'https://time.acme.example/',
    'https://{timesheetId}.acme.example/',
    'https://{timesheetId}/',
    'https://time.acme.example/{timesheetId}/{name}',
    'https://time.acme.example/{timesheetId} now',
    'javascript:alert({timesheetId})',
  ])('may not be %s', (recordUrl) => {
    const parsed = linksSchema.safeParse({ recordUrl });
    expect(parsed.error?.issues[0]?.message).toMatch(/^recordUrl is an https address such as /);
  });
});

describe('the address of the console', () => {
  test.each(['http://127.0.0.1:4600', 'https://console.acme.example'])('may be %s', (consoleUrl) => {
    expect(linksSchema.parse({ consoleUrl }).consoleUrl).toBe(consoleUrl);
  });

  test.each([
    '127.0.0.1:4600',
    'http://127.0.0.1:4600/',
    'http://a@b',
    'https://a/?token=x',
    'javascript:alert(1)',
  ])('may not be %s', (consoleUrl) => {
    const parsed = linksSchema.safeParse({ consoleUrl });
    expect(parsed.error?.issues[0]?.message).toMatch(/^consoleUrl is the address of a console without path/);
  });
});
