import { vi } from 'vitest';
import type * as Events from '#shared/core/events/events.ts';
import type * as Watermarks from '#shared/core/events/watermark.ts';
import type * as Troubles from '#shared/core/trouble/find-troubles.ts';
import { planted, wrongWhen } from './planted.ts';

/** Mistakes of what is told, by the rules of the protocol, each with the first history that catches it. */
export const EVENT_MISTAKES = {
  // 4
  'begins each event of a record at one': 1,
  'goes on in the first epoch': 24,
  // 13
  'never says that a trouble has ended': 2,
  'tells a trouble in every poll': 2,
  // 19
  'counts each event twice in a watermark': 1,
  'says that all of now is published': 84,
  'excepts nothing from a watermark': 84,
};

vi.mock('#shared/core/events/events.ts', async (original) => {
  const right = await original<typeof Events>();
  const toEvents: typeof right.toEvents = (change, context) => {
    const { before } = change;
    if (planted.name === 'goes on in the first epoch')
      return right.toEvents(change, { ...context, clock: 1 });
    if (planted.name === 'begins each event of a record at one' && before !== null)
      return right.toEvents({ ...change, before: { ...before, sequence: 0 } }, context);
    return right.toEvents(change, context);
  };
  return { ...right, toEvents };
});

vi.mock('#shared/core/events/watermark.ts', async (original) => {
  const right = await original<typeof Watermarks>();
  const planWatermark: typeof right.planWatermark = (watched) => {
    const operation = right.planWatermark(watched);
    if (operation === null) return null;
    const through = new Date(watched.now).toISOString();
    if (planted.name === 'says that all of now is published')
      return { ...operation, data: { ...operation.data, through } };
    return planted.name === 'excepts nothing from a watermark'
      ? { ...operation, data: { ...operation.data, through, except: [] } }
      : operation;
  };
  const name = 'counts each event twice in a watermark';
  const addToWatermark = wrongWhen(name, right.addToWatermark, (state, ids) =>
    right.addToWatermark(state, [...ids, ...ids]),
  );
  return { ...right, planWatermark, addToWatermark };
});

vi.mock('#shared/core/trouble/find-troubles.ts', async (original) => {
  const right = await original<typeof Troubles>();
  const tellTroubles: typeof right.tellTroubles = (troubles, open) => {
    if (planted.name === 'tells a trouble in every poll')
      return { ...right.tellTroubles(troubles, []), open: [] };
    const news = right.tellTroubles(troubles, open);
    if (planted.name !== 'never says that a trouble has ended') return news;
    return { ...news, told: news.told.filter(({ operation }) => operation.type !== 'trouble.ended') };
  };
  return { ...right, tellTroubles };
});
