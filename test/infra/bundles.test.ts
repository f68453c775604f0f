import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { buildEsbuildOptions } from '#infra/bundling/bundling.ts';
import { readAssembly } from '#local/aws/template/assembly.ts';
import { synthesize } from '#local/aws/template/synthesize.ts';

/** The bundles that the functions of one machine run, and so all tests of it: the stack has the same. */

const KB = 1_024;
/** The largest size of each. The goal is 400 KB each. */
const MAX_BYTES: Readonly<Record<string, number>> = {
  poll: 710 * KB,
  'collect-alerts': 480 * KB,
  'release-alerts': 480 * KB,
  'slack-payroll': 440 * KB,
  'check-deliveries': 380 * KB,
  'webhook-payroll-system': 492 * KB,
};

/** Folders by the names of the functions. */
let bundles: ReadonlyMap<string, string>;

beforeAll(async () => {
  const { stackName, template, assetFolder } = readAssembly(await synthesize(() => {}));
  const functions = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::Lambda::Function');
  bundles = new Map(
    functions.map(({ Properties: { FunctionName, Code } }) => [
      String(FunctionName).replace(`${stackName}-`, ''),
      assetFolder((Code as { readonly S3Key: string }).S3Key),
    ]),
  );
});

test('every file of functions/ is a function, within its budget, beside the config', () => {
  const files = readdirSync('functions', { withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files).toHaveLength(bundles.size);
  expect([...bundles.keys()].sort()).toEqual(Object.keys(MAX_BYTES).sort());
  for (const [name, folder] of bundles) {
    expect(readdirSync(folder).sort()).toEqual(['config.json', 'index.mjs']);
    const { length } = readFileSync(join(folder, 'index.mjs'));
    expect(length, name).toBeGreaterThan(100_000);
    expect(length, name).toBeLessThanOrEqual(MAX_BYTES[name] ?? 0);
  }
});

test('a build in another process, of one function alone, has the same bytes', () => {
  const { outputFiles } = buildSync({ ...buildEsbuildOptions('poll'), write: false });
  const theirs = readFileSync(join(bundles.get('poll') ?? '', 'index.mjs'));
  expect(Buffer.from(outputFiles[0]?.contents ?? '').equals(theirs)).toBe(true);
});
