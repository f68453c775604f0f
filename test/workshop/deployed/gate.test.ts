import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { openGate } from '#workshop/deployed/gate.ts';

test('a function gets what its role allows, and everybody else everything', async () => {
  const passed = vi.fn();
  const { gate, send } = await openTestGate((_, response) => {
    passed();
    response.end('{}');
  });
  const publish = { Sid: 'Publish', Effect: 'Allow', Action: 'sns:Publish', Resource: 'topic' };
  gate.admit('poll', [publish]);
  const asPoll = (topic: string) => send({ service: 'sns', accessKeyId: 'poll', input: { TopicArn: topic } });
  expect((await asPoll('topic')).status).toBe(200);
  const refused = await asPoll('another');
  expect([refused.status, refused.headers.get('x-amzn-errortype')]).toEqual([400, 'AccessDeniedException']);
  expect(
    (await send({ service: 'sns', accessKeyId: 'operator', input: { TopicArn: 'another' } })).status,
  ).toBe(200);
  expect(passed).toHaveBeenCalledTimes(2);
  expect(gate.used).toEqual(new Map([['poll', new Set(['Publish sns:Publish'])]]));
  expect(gate.refused).toEqual([expect.stringContaining('poll may not sns:Publish on another')]);
});

test('a transaction that nobody waited for and that succeeded is not done again', async () => {
  const done: string[] = [];
  const held = Promise.withResolvers<void>();
  const { send } = await openTestGate(async (request, response) => {
    done.push(await text(request));
    if (done.length === 1) await held.promise;
    response.writeHead(done.length === 3 ? 400 : 200).end('{}');
  });
  const transact = (input: object, signal?: AbortSignal) =>
    send({ service: 'dynamodb', operation: 'TransactWriteItems', input, ...(signal && { signal }) });
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
  const others = [{}, { ClientRequestToken: 'second' }, { ClientRequestToken: 'second' }, {}];
  for (const input of others) await transact(input);
  expect(done.map((body) => JSON.parse(body))).toEqual([first, ...others]);
});

interface Sent {
  readonly service: string;
  readonly operation?: string;
  readonly accessKeyId?: string;
  readonly input?: object;
  readonly signal?: AbortSignal;
}

/** A gate before an emulator that answers as it is told. */
async function openTestGate(answer: RequestListener) {
  const emulator = createServer(answer);
  await once(emulator.listen(0, '127.0.0.1'), 'listening');
  const { port } = emulator.address() as { port: number };
  const gate = await openGate(`http://127.0.0.1:${port}`);
  onTestFinished(async () => {
    await gate.stop();
    emulator.closeAllConnections();
    emulator.close();
  });
  const send = ({ service, operation = 'Publish', accessKeyId = 'nobody', input = {}, signal }: Sent) => {
    const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20260101/us-east-1/${service}/aws4_request, Signature=none`;
    const headers = { authorization, 'x-amz-target': `Service_1.${operation}` };
    return fetch(gate.endpoint, {
      method: 'POST',
      headers,
      body: JSON.stringify(input),
      ...(signal && { signal }),
    });
  };
  return { gate, send };
}
