import { once } from 'node:events';
import { createServer } from 'node:http';
import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createJournal } from '../journal.ts';
import { openGate } from './gate.ts';

const REQUESTS = 6;

/** Sends requests of one service side by side. Returns how many the emulator had at the same time, at most. */
async function countTogether(oneAtATime: ReadonlySet<string>, service: string): Promise<number> {
  let [together, most] = [0, 0];
  const emulator = createServer(async (_, response) => {
    together += 1;
    most = Math.max(most, together);
    // Without turns, all are here before the first is answered.
    for (let ticks = 0; ticks < 1_000 && together < REQUESTS; ticks += 1) await nextTick();
    together -= 1;
    response.end('{}');
  });
  await once(emulator.listen(0, '127.0.0.1'), 'listening');
  const { port } = emulator.address() as { port: number };
  const journal = createJournal();
  const gate = await openGate({
    endpoint: `http://127.0.0.1:${port}`,
    authorizer: {
      authorize: () => Promise.reject(new Error('nobody was admitted')),
      statementsOf: () => Promise.resolve([]),
      forget: () => undefined,
    },
    decidedByEmulator: new Set(),
    oneAtATime,
    journal,
  });
  onTestFinished(async () => {
    await gate.stop();
    emulator.closeAllConnections();
    emulator.close();
  });
  const authorization = `AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/${service}/aws4_request, Signature=none`;
  const headers = { authorization, 'x-amz-target': 'Service_1.Act' };
  const send = () => fetch(gate.endpoint, { method: 'POST', headers, body: '{}' });
  const answers = await Promise.all(Array.from({ length: REQUESTS }, send));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: REQUESTS }, () => 200));
  expect(journal.describe()).toBe(`${service}:Act 200 (${REQUESTS} times)`);
  return most;
}

test('a service that mixes requests up gets one at a time, every other one all of them', async () => {
  expect(await countTogether(new Set(['dynamodb']), 'dynamodb')).toBe(1);
  expect(await countTogether(new Set(['dynamodb']), 'sqs')).toBe(REQUESTS);
});
