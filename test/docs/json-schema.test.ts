import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { mergeParts, type SchemaSetting, toNamedSchema } from '#workshop/documents/json-schema.ts';
import { nameData, nameEvent } from '#workshop/documents/schema-names.ts';

const UNION: SchemaSetting = { target: 'draft-2020-12', root: '#/$defs/', nullable: 'union' };
const OBSERVED = z.strictObject({ by: z.string() });

describe('a schema in named parts', () => {
  it('is refused while an object has no name, or one name means two things', () => {
    const nameless = z.strictObject({ extra: OBSERVED });
    expect(() => toNamedSchema('Any', nameless, UNION)).toThrow(
      /^Any\.extra is an object without a name; add one/,
    );
    const { parts } = toNamedSchema('Any', z.strictObject({ observed: OBSERVED }), UNION);
    const other = toNamedSchema('Any', z.strictObject({ observed: z.strictObject({}) }), UNION).parts;
    expect(() => mergeParts([parts, other])).toThrow(/^two schemas are named Observed; name them apart/);
  });
});

it('types are named after events, and data that several share once', () => {
  expect(nameEvent('timesheet.clock_in_corrected')).toBe('TimesheetClockInCorrectedEvent');
  expect(nameData('timesheet.approved')).toBe('TimesheetData');
  expect(nameData('pay_period.closed')).toBe('PayPeriodClosedData');
});
