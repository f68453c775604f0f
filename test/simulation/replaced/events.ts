import { vi } from 'vitest';
import type * as Events from '#shared/core/events/events.ts';
import type * as Late from '#shared/core/events/lateness.ts';
import type * as Transitions from '#shared/core/events/transitions.ts';
import type * as Watermarks from '#shared/core/events/watermark.ts';
import type * as Absences from '#shared/core/records/absences.ts';
import type * as Troubles from '#shared/core/trouble/find-troubles.ts';
import { planted, wrongWhen } from './planted.ts';

/** Mistakes of what is told, by the rules of the protocol. */
export const EVENT_MISTAKES = [
  // 4
  'begins each event of a record at one',
  'goes on in the first epoch',
  // 10
  'tells the steps of a life backwards',
  'forgets what is taken back',
  // 13
  'never says that a trouble has ended',
  'tells a trouble in every poll',
  // 18
  'takes nothing for late',
  // 19
  'counts each event twice in a watermark',
  'says that all of now is published',
  'excepts nothing from a watermark',
  // what time alone makes
  'takes a clocking for missing before its time',
] as const;

const EARLY_MS = 10 * 60_000;

vi.mock('#shared/core/events/events.ts', async (original) => {
  const right = await original<typeof Events>();
  const toEvents: typeof right.toEvents = (change, context) => {
    const { before } = change;
    if (planted.name === 'goes on in the first epoch')
      return right.toEvents(change, { ...context, clock: 1 });
    if (planted.name === 'begins each event of a record at one' && before !== null)
      return right.toEvents({ ...change, before: { ...before, sequence: 0 } }, context);
    if (planted.name === 'forgets what is taken back' && before !== null)
      return right.toEvents({ ...change, before: { ...before, sent: {} } }, context);
    return right.toEvents(change, context);
  };
  return { ...right, toEvents };
});

vi.mock('#shared/core/events/transitions.ts', async (original) => {
  const right = await original<typeof Transitions>();
  const name = 'tells the steps of a life backwards';
  const findTransitions = wrongWhen(name, right.findTransitions, (...given) =>
    right.findTransitions(...given).toReversed(),
  );
  return { ...right, findTransitions };
});

vi.mock('#shared/core/events/lateness.ts', async (original) => {
  const right = await original<typeof Late>();
  const findLateness: typeof right.findLateness = (transition, context) => {
    const lateness = right.findLateness(transition, context);
    return planted.name === 'takes nothing for late'
      ? { ...lateness, late: [], closedPeriods: [] }
      : lateness;
  };
  return { ...right, findLateness };
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

vi.mock('#shared/core/records/absences.ts', async (original) => {
  const right = await original<typeof Absences>();
  const judgeMissing: typeof right.judgeMissing = (state, told, rules) => {
    const isEarly = planted.name === 'takes a clocking for missing before its time';
    return right.judgeMissing(state, told, isEarly ? { ...rules, at: rules.at + EARLY_MS } : rules);
  };
  return { ...right, judgeMissing };
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
