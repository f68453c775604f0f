import type { FeedName } from '#shared/core/feeds.ts';
import type { Evidence, Told } from './evidence.ts';

export interface Exception {
  readonly reason: string;
  readonly from?: string;
  readonly to?: string;
  readonly records?: readonly string[];
}

export interface Range {
  readonly from?: string;
  readonly to?: string;
  readonly at: string | null;
}

interface Tally {
  readonly count: number;
  readonly digest: string;
}

/** A watermark as subscribers read it. */
export interface Watermark {
  readonly told: Told;
  readonly feed: FeedName;
  readonly since: { readonly id: string } | null;
  readonly through: readonly Range[];
  readonly except: readonly Exception[];
  readonly events:
    | (Tally & {
        readonly types: readonly (Tally & { readonly eventType: string; readonly ids?: string[] })[];
      })
    | null;
}

export function readWatermarks({ operations }: Evidence, feed: FeedName): Watermark[] {
  return operations[feed]
    .filter(({ type }) => type === 'feed.complete')
    .map((told) => {
      const { since, through, except, events } = told.data as unknown as Omit<Watermark, 'through'> & {
        readonly through: Readonly<Record<string, Range>>;
      };
      return { told, feed, since, through: Object.values(through), except, events };
    });
}

export function about({ feed, told }: Watermark): string {
  return `${feed} watermark ${told.sequence}`;
}
