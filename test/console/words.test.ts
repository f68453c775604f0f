import { expect, test } from 'vitest';
import { createKnowledge } from '#console/server/knowledge.ts';
import { describeChange } from '#console/server/lines/describe-line.ts';
import { describeCode } from '#console/server/words.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import type { ShortEventType } from '#shared/core/event-types.ts';
import { toEventType } from '#shared/core/event-types.ts';
import { createNameReader } from '#shared/people/flow/load-names.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { exampleEvent } from '#test/support/example-event.ts';
import { createFakeContext, createFakeLog } from './fake-log.ts';

const { target, store } = createFakeContext(createFakeLog());

async function tell(type: ShortEventType, names = ['main']): Promise<string> {
  const connections = names.map((name) => ({ ...target.connections[0], name }));
  const config = parseNotifierConfig({ connections });
  const known = { target: { ...target, config, connections: config.connections }, store, kinds: [] };
  const knowledge = await createKnowledge({ ...known, names: createNameReader(store) }).load('main');
  const event = exampleEvent(toEventType(type));
  return describeChange(event, event, { ...knowledge, names: NO_NAMES }).says;
}

test('sentences name a connection where there are several', async () => {
  expect(await tell('trouble.began')).toMatch(/^We cannot see timesheets of Wed 11 Nov since /);
  expect(await tell('trouble.began', ['main', 'other'])).toContain(' Wed 11 Nov of main since ');
});

test('codes are said in words', () => {
  expect(
    ['503', 'timeout', 'secret_unreadable', 'in message 7f3 not known to be taken'].map(describeCode),
  ).toEqual(['503', 'no answer in time', 'secret unreadable', 'in a message not known to be taken']);
});
