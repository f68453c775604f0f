import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openGate } from '#workshop/deployed/gate.ts';

test('a function gets what its role allows, and everybody else everything', async () => {
  const passed = vi.fn();
  const emulator = createServer((_, response) => {
    passed();
    response.end('{}');
  });
  await once(emulator.listen(0, '127.0.0.1'), 'listening');
  const { port } = emulator.address() as { port: number };
  const gate = await openGate(`http://127.0.0.1:${port}`);
  onTestFinished(async () => {
    await gate.stop();
    emulator.closeAllConnections();
    emulator.close();
  });
  gate.admit('poll', [{ Sid: 'Publish', Effect: 'Allow', Action: 'sns:Publish', Resource: 'topic' }]);
  const publish = (accessKeyId: string, TopicArn: string) => {
    const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20260101/us-east-1/sns/aws4_request, Signature=none`;
    const headers = { authorization, 'x-amz-target': 'Service_1.Publish' };
    return fetch(gate.endpoint, { method: 'POST', headers, body: JSON.stringify({ TopicArn }) });
  };
  expect((await publish('poll', 'topic')).status).toBe(200);
  const refused = await publish('poll', 'another');
  expect([refused.status, refused.headers.get('x-amzn-errortype')]).toEqual([400, 'AccessDeniedException']);
  expect((await publish('operator', 'another')).status).toBe(200);
  expect(passed).toHaveBeenCalledTimes(2);
  expect(gate.used).toEqual(new Map([['poll', new Set(['Publish sns:Publish'])]]));
  expect(gate.refused).toEqual([expect.stringContaining('poll may not sns:Publish on another')]);
});
