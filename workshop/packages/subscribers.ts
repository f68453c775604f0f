import { compileInto, copyInto, emptyFolder, findVersion, writeManifest } from './package-folder.ts';

const DOCUMENTS = ['schemas', 'asyncapi.json', 'events.md', 'paying.md', 'subscribing.md', 'webhooks.md'];

/** What subscribers install: the kit, the schemas of events, and the documents about them. */
export function writeSubscribers(name: string, folder: string): void {
  emptyFolder(folder);
  compileInto(folder, 'tsconfig.subscribers.json');
  for (const document of DOCUMENTS) copyInto(folder, `docs/${document}`);
  copyInto(folder, 'kit/README.md', 'README.md');
  copyInto(folder, 'LICENSE');
  const dependencies = ['standardwebhooks', 'zod'];
  writeManifest(folder, {
    name,
    description: 'Typed events of the workforce change notifier: parse, verify, order and fold them',
    exports: {
      '.': { types: './kit/main.d.ts', default: './kit/main.js' },
      './testing': { types: './kit/testing.d.ts', default: './kit/testing.js' },
      './schemas/*.json': './docs/schemas/*.json',
      './asyncapi.json': './docs/asyncapi.json',
      './package.json': './package.json',
    },
    // Of compilers and tools that do not read `exports`.
    main: './kit/main.js',
    types: './kit/main.d.ts',
    sideEffects: false,
    dependencies: Object.fromEntries(dependencies.map((each) => [each, findVersion(each)])),
  });
}
