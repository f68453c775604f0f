import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readEntry } from '#local/run/output/entry.ts';
import { layOutEntry } from '#local/run/output/lines.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { exampleEvent } from '#test/support/example-event.ts';
import { findShownCode, listEntries } from './documents.ts';

/** A visitor reads it before deciding. */
const MAX_LINES = 115;

describe('the README', () => {
  it('is short, and shows how an event is read', () => {
    expect(readFileSync('README.md', 'utf8').split('\n').length).toBeLessThanOrEqual(MAX_LINES);
    expect(findShownCode('README.md').taken).toHaveLength(1);
  });

  it('says what it costs as it was computed', () => {
    const said = readFileSync('README.md', 'utf8').match(/\$\d+\.\d\d/g) ?? [];
    const [table = ''] = /^\| Employees [\s\S]*?\n\n/m.exec(readFileSync('docs/cost.md', 'utf8')) ?? [];
    expect(said.length).toBeGreaterThan(0);
    expect(said.filter((amount) => !table.includes(` ${amount} `))).toEqual([]);
  });

  it('shows what npm start prints of an event', () => {
    const at = '2026-11-20T08:14:00.000Z';
    const approved = exampleEvent('workforce.timesheet.approved', {
      ...{ subject: '101133_1', sequence: 1, time: at },
      data: {
        ...{ employeeId: '1029_1', occurredAt: '2026-11-20T08:13:30.000Z' },
        current: { date: '2026-11-19', employeeId: '1029_1', approvedHours: '2026-11-20T08:13:30.000Z' },
      },
    });
    const names = { ...NO_NAMES, employees: new Map([['1029_1', 'Ellis Example 29']]) };
    const entry = readEntry(JSON.stringify(approved), { now: Date.parse(at), timeZone: 'UTC', names });
    const [line] = layOutEntry(entry, { columns: 80, colour: false });
    // What the sentence says is not of this test.
    const [name, rest] = [line?.split(': ')[0], line?.slice(-10)];
    expect(readFileSync('README.md', 'utf8')).toMatch(new RegExp(`\\n    ${name}: .*${rest}\\n`));
  });
});

describe('CONTRIBUTING', () => {
  const tables = readFileSync('CONTRIBUTING.md', 'utf8').split(/^## /m);
  const namedIn = (heading: string) => {
    const section = tables.find((each) => each.startsWith(`${heading}\n`)) ?? '';
    const cells = [...section.matchAll(/^\| (?<cell>[^|]*) \|/gm)].map(({ groups }) => groups?.cell ?? '');
    return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  };

  it('has every entry of the repository in its first table', () => {
    const entries = listEntries().filter((entry) => !entry.startsWith('.'));
    const named = namedIn('What lies where');
    expect(entries.filter((entry) => !named.includes(entry))).toEqual([]);
    expect(entries.length).toBeGreaterThan(15);
  });

  it('has a line for every command of package.json, and for no other', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
    const named = namedIn('Commands').filter((name) => name !== 'npm run');
    expect(named.toSorted()).toEqual(Object.keys(scripts).toSorted());
  });

  it('gives the reason of every direct dependency', () => {
    const text = readFileSync('CONTRIBUTING.md', 'utf8');
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
      readFileSync('package.json', 'utf8'),
    ) as Record<string, Record<string, string>>;
    const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
    const isNamed = (name: string) =>
      text.includes(`\`${name}\``) || text.includes(`\`${name.split('/')[1]}\``);
    expect(names.filter((name) => !isNamed(name))).toEqual([]);
    expect(names.length).toBeGreaterThan(20);
  });
});
