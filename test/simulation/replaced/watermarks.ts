import { afterAll, describe, vi } from 'vitest';
import type * as WatermarkModule from '#shared/systems/watermark.ts';
import { testPlantedFaults } from '../planted-faults.ts';

/** Mistakes about what a watermark says, and what is said of each. */
const PLANTED = {
  end: ['says what was published from the end of a look', /no look at/],
  hot: ['takes a look at hot dates for one at the window', /no look at/],
  latest: ['goes by the latest look instead of the earliest', /no look at/],
  tried: ['takes an incomplete look for a complete one', /no look at/],
  unreadable: ['names no dates that cannot be read', /no look at/],
  unread: ['names no dates that were not read yet', /no look at/],
  lagging: ['names no dates that lag', /no look at/],
  untold: ['names no dates that were never told', /no look at|before the look|to be new/],
  unlisted: ['names no dates whose list leaves records out', /no look at|before the look|to be new/],
  records: ['names no records that could not be read', /before the look|to be new/],
  heldRecords: ['names no pay periods whose closing is held', /before the look/],
  outbox: [
    'tells a watermark although something waits',
    /came after it|before the look|to be new|nobody has got/,
  ],
  anew: ['begins each watermark anew', /begins anew/],
  first: ['follows the first watermark for ever', /follows another/],
  digest: ['digests ids alone', /digest/],
  unfenced: ['commits what a look before the watermark saw', /came after it|before the look|to be new/],
  lowered: ['tells a watermark without a fence', /came after it|before the look|to be new/],
  forgotten: ['forgets which batches it counted', /again/],
  three: ['counts one batch of a watermark', /leaves out/],
  operations: ['counts operations', /nobody has got/],
  never: ['tells no watermark', /none is told/],
} as const;

const planted = vi.hoisted(() => ({ mistake: '', first: null as { id: string; at: number } | null }));

const OFTEN_MS = 45_000;

type State = WatermarkModule.WatchedFeed['state'];

function withTried({ coverage, tried }: State): State['coverage'] {
  const looks = Object.entries(coverage).map(
    ([slice, look]) => [slice, { ...look, at: Math.max(look.at, tried[slice] ?? 0) }] as const,
  );
  return Object.fromEntries(looks);
}

function spoil(
  claim: WatermarkModule.WatermarkClaim,
  looks: readonly { readonly at: number }[],
  now: number,
): WatermarkModule.WatermarkClaim {
  const { hot, all } = claim.through;
  const without = (isLeftOut: (each: WatermarkModule.WatermarkClaim['except'][number]) => boolean) => ({
    ...claim,
    except: claim.except.filter((each) => !isLeftOut(each)),
  });
  switch (planted.mistake) {
    case 'end':
      return { ...claim, through: { hot: hot === null ? null : now, all: all === null ? null : now } };
    case 'hot':
      return { ...claim, through: { hot, all: all === null ? null : hot } };
    case 'latest': {
      const at = Math.max(...looks.map((look) => look.at));
      return { ...claim, through: { hot: hot === null ? null : at, all: all === null ? null : at } };
    }
    case 'records':
      return without(({ records, reason }) => records !== undefined && reason === 'unreadable');
    case 'heldRecords':
      return without(({ records, reason }) => records !== undefined && reason === 'held');
    default:
      return without(({ records, reason }) => records === undefined && reason === planted.mistake);
  }
}

vi.mock('#shared/systems/watermark.ts', async (original) => {
  const right = await original<typeof WatermarkModule>();
  class CommittedBatches extends right.CommittedBatches {
    #batches = 0;

    override add(batch: Parameters<WatermarkModule.CommittedBatches['add']>[0]): void {
      const shown = planted.mistake === 'operations' ? batch.texts.map(disguise) : batch.texts;
      this.#batches += 1;
      super.add({ ...batch, texts: planted.mistake === 'three' && this.#batches > 1 ? [] : shown });
    }

    override get hashes() {
      return planted.mistake === 'forgotten' ? [] : super.hashes;
    }

    override get events() {
      const events = super.events;
      return planted.mistake !== 'digest' || events === null
        ? events
        : { ...events, digest: `of ${events.count}` };
    }
  }
  const claimThrough: typeof right.claimThrough = (watched) => {
    const { state, now } = watched;
    if (planted.mistake === 'tried')
      return right.claimThrough({ ...watched, state: { ...state, coverage: withTried(state) } });
    const claim = right.claimThrough(watched);
    return claim === null ? null : spoil(claim, Object.values(state.coverage), now);
  };
  const findCommitFence: typeof right.findCommitFence = (now, run) => {
    const fence = right.findCommitFence(now, run);
    // Every instant is taken for one of a wrong clock.
    return planted.mistake === 'unfenced' ? { ...fence, ahead: 0 } : fence;
  };
  return {
    ...right,
    CommittedBatches,
    claimThrough,
    findCommitFence,
    isNothingWaiting: (...given) => planted.mistake === 'outbox' || right.isNothingWaiting(...given),
    raiseFence: (...given) =>
      planted.mistake === 'lowered' ? { hot: 0, all: 0 } : right.raiseFence(...given),
    // As often as polls, in place of every five minutes: races with a fence are more then.
    isWatermarkDue: (last, at) =>
      planted.mistake !== 'never' && (right.isWatermarkDue(last, at) || at.now - (last?.at ?? 0) >= OFTEN_MS),
    findPredecessor: (...given) => (planted.mistake === 'anew' ? null : right.findPredecessor(...given)),
    describeWatermark: (claim, rest) => {
      const operation = right.describeWatermark(claim, rest);
      if (planted.mistake !== 'first') return operation;
      planted.first ??= rest.previous === null ? null : { id: rest.previous.id, at: rest.previous.at };
      const since = rest.previous === null ? null : planted.first;
      return { ...operation, data: { ...operation.data, since } };
    },
  } satisfies typeof WatermarkModule;
});

/** An operation that looks like a change. */
function disguise(text: string): string {
  return text.replace(
    /"type":"workforce\.(?!timesheet|pay_period)[a-z_.]+"/,
    '"type":"workforce.timesheet.changed"',
  );
}

describe('an engine that', () => {
  testPlantedFaults(
    '%s is caught',
    Object.entries(PLANTED).map(([mistake, [name, said]]) => ({
      name,
      said,
      isCandidate: async (seed) => (await import('./candidates.ts')).hasWatermarks(seed),
      plant: () => {
        planted.mistake = mistake;
        planted.first = null;
      },
    })),
  );

  afterAll(() => {
    planted.mistake = '';
  });
});
