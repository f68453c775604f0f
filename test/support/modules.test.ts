import { expect, test } from 'vitest';
import { type Import, parseImports } from './modules.ts';

test.each<[string, Import[]]>([
  ["import { a } from 'zod';", [value('zod')]],
  ["import * as z from 'zod';", [value('zod')]],
  ["import a, { b } from 'zod';", [value('zod')]],
  ["import type { A } from 'zod';", [type('zod')]],
  ["import type * as z from 'zod';", [type('zod')]],
  ["import { type A, type B } from './b.ts';", [type('shared/core/b.ts')]],
  ["import { type A, b } from './b.ts';", [value('shared/core/b.ts')]],
  ["import {\n  type A,\n  b,\n} from '../flow/b.ts';", [value('shared/flow/b.ts')]],
  ["import './b.ts';", [value('shared/core/b.ts')]],
  ["import a from '#config';", [value('notifier.config.ts')]],
  ["import { a } from '#shared/flow/b.ts';", [value('shared/flow/b.ts')]],
  ["export * from './b.ts';", [value('shared/core/b.ts')]],
  ["export * as b from './b.ts';", [value('shared/core/b.ts')]],
  ["export { a } from './b.ts';", [value('shared/core/b.ts')]],
  ["export type { A } from './b.ts';", [type('shared/core/b.ts')]],
  ["const a = await import('./b.ts');", [value('shared/core/b.ts')]],
  ["let a: import('./b.ts').A;", [value('shared/core/b.ts')]],
  [
    "import { a } from '@aws-sdk/client-sns';\nimport b from 'ky';",
    [value('@aws-sdk/client-sns'), value('ky')],
  ],
  ["// import { a } from './b.ts';\n/* import './c.ts'; */", []],
  ["export const from = 'zod';\nexport function a() { return 'zod'; }", []],
  ["const a = 'https://x'; // import('./b.ts')", []],
])('understands %j', (text, expected) => {
  expect(parseImports(text, 'shared/core/a.ts')).toEqual(expected);
});

function value(target: string): Import {
  return { target, typesOnly: false };
}

function type(target: string): Import {
  return { target, typesOnly: true };
}
