import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const README = readFileSync('README.md', 'utf8');
/** A path in a comment, and the code that follows: taken from that file, which a test runs. */
const TAKEN_CODE = /<!-- (?<path>[\w./-]+\.ts) -->\n```ts\n(?<code>[\s\S]*?)```/g;

describe('the README', () => {
  it('shows only TypeScript that stands, line by line, in a file that is tested', () => {
    const taken = [...README.matchAll(TAKEN_CODE)].map(({ groups }) => groups ?? {});
    for (const { path = '', code = '' } of taken) {
      expect(linesOf(readFileSync(path, 'utf8'))).toContain(linesOf(code));
    }
    expect(taken.length).toBe(README.match(/```ts/g)?.length);
    expect(taken.length).toBeGreaterThan(0);
  });

  it('names scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = [...README.matchAll(/npm run (?<name>[\w-]+)/g)].map(({ groups }) => groups?.name ?? '');
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    expect(named.length).toBeGreaterThan(1);
  });

  it('gives every direct dependency its reason', () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
      readFileSync('package.json', 'utf8'),
    ) as Record<string, Record<string, string>>;
    const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
    const shortened = (name: string) =>
      README.includes(`\`${name}\``) || README.includes(`\`${name.split('/')[1]}\``);
    expect(names.filter((name) => !shortened(name))).toEqual([]);
  });
});

function linesOf(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}
