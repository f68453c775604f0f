import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { mergeParts, type SchemaSetting, toNamedSchema } from '#workshop/documents/json-schema.ts';
import { nameData, nameEvent } from '#workshop/documents/schema-names.ts';

const UNION: SchemaSetting = { target: 'draft-2020-12', root: '#/$defs/', nullable: 'union' };
const PART: SchemaSetting = { ...UNION, nullable: 'part' };
const OBSERVED = z.strictObject({ by: z.string() });

describe('a schema in named parts', () => {
  it('refers to objects by name, also within lists and beside null', () => {
    const schema = z.strictObject({
      observed: OBSERVED,
      details: z.array(z.strictObject({ hours: z.number() })),
      clockIn: z.strictObject({ id: z.string() }).nullable(),
    });
    const { schema: named, parts } = toNamedSchema('Any', schema, UNION);
    expect(named.properties).toEqual({
      observed: { $ref: '#/$defs/Observed' },
      details: { type: 'array', items: { $ref: '#/$defs/TimesheetDetail' } },
      clockIn: { anyOf: [{ $ref: '#/$defs/ClockRecord' }, { type: 'null' }] },
    });
    expect([...parts.keys()].sort()).toEqual(['ClockRecord', 'Observed', 'TimesheetDetail']);
  });

  it('can name an object that may be null as a whole', () => {
    const schema = z.strictObject({ clockIn: z.strictObject({ id: z.string() }).nullable() });
    const { schema: named, parts } = toNamedSchema('Any', schema, PART);
    expect(named.properties).toEqual({ clockIn: { $ref: '#/$defs/ClockRecord' } });
    expect(parts.get('ClockRecord')).toMatchObject({ type: ['object', 'null'] });
  });

  it('has one simple type for a word of an open list, and for a value that may be null', () => {
    const schema = z.strictObject({ late: z.enum(['close']), at: z.iso.date().nullable() });
    expect(toNamedSchema('Any', schema, UNION).schema.properties).toEqual({
      late: { type: 'string', examples: ['close'] },
      at: { type: ['string', 'null'], format: 'date' },
    });
  });

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
