import { type Claim, toNumber } from './claim.ts';

/** When the source did not answer: from an instant until another one, in milliseconds since 1970. */
export interface Outage {
  readonly from: number;
  readonly to: number;
}

const MINUTE_MS = 60_000;

/** Sentences about lists that cannot be read. There is a poll at each minute of an outage. */
export const OUTAGE_CLAIMS: readonly Claim<Outage>[] = [
  {
    pattern: /(?<!again )since (?<time>\d\d:\d\d)/,
    holds: ({ time }, { from }, { figures: { moments } }) => moments.timeOf(from) === time,
  },
  {
    pattern: /again (?:as of|since) (?<time>\d\d:\d\d)/,
    holds: ({ time }, { to }, { figures: { moments } }) => moments.timeOf(to) === time,
  },
  {
    pattern: /\((?<polls>\d+) polls failed/,
    holds: ({ polls }, { from, to }, { at }) =>
      Math.min(Math.floor((at - from) / MINUTE_MS) + 1, (to - from) / MINUTE_MS) === toNumber(polls),
  },
];
