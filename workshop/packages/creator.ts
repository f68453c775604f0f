import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { PROGRAM_ROOT } from '#infra/project-root.ts';
import { copyInto, emptyFolder, findVersion, ROOT_MANIFEST, writeManifest } from './package-folder.ts';

/** What a project installs beside the notifier. */
const PROJECT_PACKAGES = ['aws-cdk', 'aws-cdk-lib', 'constructs', 'node'];

/** What `npm create workforce-notifier` runs: one file that needs no other package. */
export function writeCreator(name: string, folder: string): void {
  emptyFolder(folder);
  buildSync({
    absWorkingDir: PROGRAM_ROOT,
    entryPoints: ['cli/create-project/main.ts'],
    outfile: join(folder, 'main.js'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  });
  copyInto(folder, 'workshop/packages/creator.md', 'README.md');
  copyInto(folder, 'cdk.json');
  copyInto(folder, 'LICENSE');
  writeManifest(folder, {
    name,
    description: 'Writes a project that runs and deploys the workforce change notifier',
    bin: { [name]: './main.js' },
    projectVersions: {
      'workforce-change-notifier-cdk': ROOT_MANIFEST.version,
      ...Object.fromEntries(PROJECT_PACKAGES.map((each) => [each, findVersion(each)])),
    },
  });
}
