import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DataFolder } from '#local/aws/engines/data-folder.ts';
import { startDynamoDb } from '#local/aws/engines/dynamodb-engine.ts';
import { createTemporaryFolder } from '#test/local/aws/fixture-assembly.ts';

const OPTIONS = { environment: {}, accessKeyId: 'key' };

/** A folder in which the engine can write its file after so many starts: the first question is whether it is damaged. */
function openFolder(failures: number): DataFolder {
  const path = createTemporaryFolder('engine');
  let asked = -1;
  const file = (name: string) => {
    asked += 1;
    return 0 < asked && asked <= failures ? join(path, 'missing', name) : join(path, name);
  };
  return { path, file, rememberEngine: () => {} } as unknown as DataFolder;
}

test('an engine that ends while it starts, as when its port is taken, is started again', async () => {
  const engine = await startDynamoDb(openFolder(2), OPTIONS);
  expect(engine.endpoint).toMatch(/^http:/);
  await engine.stop();
});

test('one that never starts says why', async () => {
  await expect(startDynamoDb(openFolder(5), OPTIONS)).rejects.toMatchObject({
    code: 'engine_not_started',
    message: expect.stringMatching(/did not start \(.*\): .*(?:open|directory).*; check that/i),
  });
});
