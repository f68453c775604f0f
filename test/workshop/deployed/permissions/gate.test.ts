import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { createJournal } from '#workshop/deployed/journal.ts';
import { openGate } from '#workshop/deployed/permissions/gate.ts';

const REQUESTS = 6;

const toHeaders = (service: string, operation = 'Act') => ({
  authorization: `AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/${service}/aws4_request, Signature=none`,
  'x-amz-target': `Service_1.${operation}`,
});

/** A gate before an emulator that answers as it is told. */
async function openTestGate(answer: RequestListener) {
  const emulator = createServer(answer);
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
    journal,
  });
  onTestFinished(async () => {
    await gate.stop();
    emulator.closeAllConnections();
    emulator.close();
  });
  const send = (service: string, signal: AbortSignal | null = null) =>
    fetch(gate.endpoint, { method: 'POST', headers: toHeaders(service), body: '{}', signal });
  const transact = (body: object, signal: AbortSignal | null = null) =>
    fetch(gate.endpoint, {
      method: 'POST',
      headers: toHeaders('dynamodb', 'TransactWriteItems'),
      body: JSON.stringify(body),
      signal,
    });
  return { journal, send, transact };
}

/** Sends requests of one service side by side. Returns how many the emulator had at the same time, at most. */
async function countTogether(service: string): Promise<number> {
  let [together, most] = [0, 0];
  const { journal, send } = await openTestGate(async (_, response) => {
    together += 1;
    most = Math.max(most, together);
    // Without turns, all are here before the first is answered.
    for (let ticks = 0; ticks < 1_000 && together < REQUESTS; ticks += 1) await nextTick();
    together -= 1;
    response.end('{}');
  });
  const answers = await Promise.all(Array.from({ length: REQUESTS }, () => send(service)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: REQUESTS }, () => 200));
  expect(journal.describe()).toBe(`${service}:Act 200 (${REQUESTS} times)`);
  return most;
}

test('DynamoDB, which mixes requests up, gets one at a time, every other service all of them', async () => {
  expect(await countTogether('dynamodb')).toBe(1);
  expect(await countTogether('sqs')).toBe(REQUESTS);
});

test('who gives up while he waits for his turn is not passed on', async () => {
  const held = Promise.withResolvers<void>();
  const arrived = vi.fn();
  const { send } = await openTestGate(async ({ headers }, response) => {
    if (headers.authorization?.includes('dynamodb') === true) {
      arrived();
      await held.promise;
    }
    response.end('{}');
  });
  const first = send('dynamodb');
  await eventually(() => expect(arrived).toHaveBeenCalledTimes(1));
  const abandon = new AbortController();
  const second = send('dynamodb', abandon.signal);
  const third = send('dynamodb');
  // Requests that pass show that the gate has seen what was before them.
  await Promise.all([send('sqs'), send('sqs')]);
  abandon.abort();
  await expect(second).rejects.toThrow();
  for (let passed = 0; passed < 3; passed += 1) await send('sqs');
  held.resolve();
  expect((await Promise.all([first, third])).map(({ status }) => status)).toEqual([200, 200]);
  expect(arrived).toHaveBeenCalledTimes(2);
});

test('a transaction that nobody waited for and that succeeded is not done again', async () => {
  const done: string[] = [];
  const held = Promise.withResolvers<void>();
  const { transact } = await openTestGate(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    done.push(Buffer.concat(chunks).toString());
    if (done.length === 1) await held.promise;
    response.writeHead(done.length === 3 ? 400 : 200).end('{}');
  });
  const first = { ClientRequestToken: 'first' };
  const abandon = new AbortController();
  const lost = transact(first, abandon.signal);
  await eventually(() => expect(done).toHaveLength(1));
  abandon.abort();
  await expect(lost).rejects.toThrow();
  const again = transact(first);
  held.resolve();
  expect((await again).status).toBe(200);
  expect(done).toHaveLength(1);

  // Another one is done, without a token each time, and after a refusal once more.
  for (const body of [{}, { ClientRequestToken: 'second' }, { ClientRequestToken: 'second' }, {}])
    await transact(body);
  expect(done.map((text) => JSON.parse(text))).toEqual([
    first,
    {},
    { ClientRequestToken: 'second' },
    { ClientRequestToken: 'second' },
    {},
  ]);
});
