import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('the package is the same to the byte when it is built again', () => {
  const [first, again] = [pack(), pack()];
  expect(first.integrity).toMatch(/^sha512-/);
  expect(again.integrity).toBe(first.integrity);
});

/** Builds the package, and says what its archive would be. */
function pack(): { readonly integrity: string } {
  const printed = execFileSync('npm', ['pack', '--json', '--dry-run'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [archive] = JSON.parse(printed) as [{ integrity: string }];
  return archive;
}
