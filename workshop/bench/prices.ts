/** What one thing costs on demand: US dollars for so many of its units, of which an account gets some free each month for ever. */
interface Price {
  readonly dollars: number;
  readonly per: number;
  readonly free?: number;
}

/**
 * Region and months of the prices. They come from copies of public pages of that time: compare them with those of AWS.
 * All are of July 2025; most but DynamoDB's and the scheduler's were found unchanged in pages of February to June 2026.
 */
export const PRICE_LIST = { region: 'us-east-1', asOf: 'July 2025 to June 2026' } as const;

/** The unit is in the name; what lasts is per month, and a metric counts by the share of hours in which it has data. */
const PRICES = {
  /** https://aws.amazon.com/lambda/pricing/, for ARM. A start is billed since August 2025. */
  lambdaRequests: { dollars: 0.2, per: 1_000_000, free: 1_000_000 },
  lambdaGbSeconds: { dollars: 0.0000133334, per: 1, free: 400_000 },
  /** https://aws.amazon.com/eventbridge/pricing/ */
  schedulerInvocations: { dollars: 1, per: 1_000_000, free: 14_000_000 },
  /** https://aws.amazon.com/dynamodb/pricing/on-demand/, since November 2024. */
  writeUnits: { dollars: 0.625, per: 1_000_000 },
  readUnits: { dollars: 0.125, per: 1_000_000 },
  /** With point-in-time recovery, which is never free. */
  storedGb: { dollars: 0.45, per: 1 },
  /** https://aws.amazon.com/sns/pricing/: requests of 64 KB; delivery to SQS is free. */
  snsRequests: { dollars: 0.5, per: 1_000_000, free: 1_000_000 },
  /** https://aws.amazon.com/sqs/pricing/ */
  sqsRequests: { dollars: 0.4, per: 1_000_000, free: 1_000_000 },
  sqsFifoRequests: { dollars: 0.5, per: 1_000_000 },
  /** https://aws.amazon.com/secrets-manager/pricing/ */
  secrets: { dollars: 0.4, per: 1 },
  /** https://aws.amazon.com/kms/pricing/: with a key of AWS. Parameters of the standard tier cost nothing themselves. */
  keyRequests: { dollars: 0.03, per: 10_000, free: 20_000 },
  keys: { dollars: 1, per: 1 },
  /** https://aws.amazon.com/ec2/pricing/on-demand/#Data_Transfer: to the internet; what comes in is free. */
  dataOutGb: { dollars: 0.09, per: 1, free: 100 },
  /** https://aws.amazon.com/cloudwatch/pricing/: an alarm counts for each metric that it watches, which is one. */
  customMetrics: { dollars: 0.3, per: 1, free: 10 },
  alarmMetrics: { dollars: 0.1, per: 1, free: 10 },
  logGb: { dollars: 0.53, per: 1, free: 5 },
} as const satisfies Record<string, Price>;
type Priced = keyof typeof PRICES;

/** What a month uses, in the units of the prices. */
export type Usage = Readonly<Partial<Record<Priced, number>>>;

export interface Bill {
  /** Dollars a month, without any free tier. */
  readonly total: number;
  /** What is left of it in an account that uses nothing else. */
  readonly afterFreeTier: number;
}

export function computeBill(usage: Usage): Bill {
  const names = Object.keys(usage) as Priced[];
  const priceOf = (name: Priced, free: number) => {
    const { dollars, per }: Price = PRICES[name];
    return (Math.max(0, (usage[name] ?? 0) - free) * dollars) / per;
  };
  const freeOf = (name: Priced) => (PRICES[name] as Price).free ?? 0;
  return {
    total: sum(names.map((name) => priceOf(name, 0))),
    afterFreeTier: sum(names.map((name) => priceOf(name, freeOf(name)))),
  };
}

export function addUsages(usages: readonly Usage[]): Usage {
  const names = new Set(usages.flatMap((usage) => Object.keys(usage) as Priced[]));
  return Object.fromEntries([...names].map((name) => [name, sum(usages.map((usage) => usage[name] ?? 0))]));
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
