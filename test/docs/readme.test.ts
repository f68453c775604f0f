import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findShownCode } from './documents.ts';

/** A visitor reads it before deciding. */
const MAX_LINES = 115;

describe('the README', () => {
  it('is short, and shows how an event is read', () => {
    expect(readFileSync('README.md', 'utf8').split('\n').length).toBeLessThanOrEqual(MAX_LINES);
    expect(findShownCode('README.md').taken).toHaveLength(1);
  });
});

describe('CONTRIBUTING', () => {
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
