import { execSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const sbomSchema = z.object({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.object({ component: z.object({ 'bom-ref': z.string() }) }),
  components: z.array(
    z.object({ name: z.string(), group: z.string().optional(), version: z.string(), purl: z.string() }),
  ),
});

test('the bill of materials that a release writes is CycloneDX, and names every package that is declared, in its version', () => {
  expect(manifest.scripts.release).toContain('npm run sbom && ');
  const [command = ''] = manifest.scripts.sbom.split(' > ');
  const written = execSync(command, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 64 * 1_024 * 1_024,
  });
  const { metadata, components } = sbomSchema.parse(JSON.parse(written));
  expect(metadata.component['bom-ref']).toBe(`${manifest.name}@${manifest.version}`);
  const purls = new Set(components.map(({ purl }) => purl));
  const declared = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).map(
    ([name, version]) => `pkg:npm/${name.replace('@', '%40')}@${version}`,
  );
  expect(declared.filter((purl) => !purls.has(purl))).toEqual([]);
  expect(purls).toContain('pkg:npm/%40dynoxide/linux-x64@1.2.1');
});
