import { readFileSync } from 'node:fs';
import { buildSampleEvent } from '#cli/sample-events/sample-events.ts';
import { SHORT_EVENT_TYPES } from '#shared/core/event-types.ts';

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
const SAMPLES = SHORT_EVENT_TYPES.map(buildSampleEvent);

/** An example of each type of event, one a line. */
export const SAMPLE_LINES = `${SAMPLES.join('\n')}\n`;

/**
 * Compares what a program in another language read and wrote again, and the hours approved that it counted in its last
 * line. Returns how many events there were. `absentIsNull`: it does not tell a member that is absent from one that is
 * null.
 */
export function compareLines(printed: string, { absentIsNull }: { readonly absentIsNull: boolean }): number {
  const lines = printed.trim().split('\n');
  const approved = Number(lines.pop());
  const settle = (text: string) => JSON.stringify(normalize(JSON.parse(text), absentIsNull));
  const [written, sent] = [lines.map(settle), SAMPLES.map(settle)];
  const wrong = sent.findIndex((text, place) => text !== written[place]);
  if (wrong >= 0) throw new Error(`sent    ${sent[wrong]}\nwritten ${written[wrong]}`);
  if (written.length !== sent.length) throw new Error(`${sent.length} events became ${written.length}`);
  const { hoursToPay } = JSON.parse(buildSampleEvent('timesheet.approved')).data.current;
  if (approved !== hoursToPay) throw new Error(`${approved} hours approved instead of ${hoursToPay}`);
  return sent.length;
}

/** Throws unless the types are named as the schemas are, none less and none more. */
export function compareNames(generated: readonly string[], schemas: readonly string[]): number {
  const surplus = generated.filter((name) => !schemas.includes(name));
  const missing = schemas.filter((name) => !generated.includes(name));
  if (surplus.length > 0) throw new Error(`the generator invented ${surplus.join(', ')}`);
  if (missing.length > 0) throw new Error(`the generator left out ${missing.join(', ')}`);
  return generated.length;
}

export function readJson(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Members in the order of their names, and an instant in one notation. */
function normalize(value: unknown, absentIsNull: boolean): unknown {
  if (typeof value === 'string') return INSTANT.test(value) ? new Date(value).toISOString() : value;
  if (Array.isArray(value)) return value.map((each) => normalize(each, absentIsNull));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, each]) => !(absentIsNull && each === null));
  return Object.fromEntries(
    members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, each]) => [name, normalize(each, absentIsNull)]),
  );
}
