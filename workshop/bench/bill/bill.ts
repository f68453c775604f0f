import { FREE_TIER, PRICES, type Priced } from '../prices.ts';

/** What a month uses, in the units of the prices. */
export type Usage = Readonly<Partial<Record<Priced, number>>>;

export interface Bill {
  /** Dollars a month, without any free tier. */
  readonly total: number;
  /** What is left of it in an account that uses nothing else. */
  readonly afterFreeTier: number;
  /** Dollars by what they are paid for, the largest first. */
  readonly items: readonly (readonly [Priced, number])[];
}

export function computeBill(usage: Usage): Bill {
  const items = (Object.keys(usage) as Priced[])
    .map((name) => [name, price(name, usage[name] ?? 0)] as const)
    .sort(([, a], [, b]) => b - a);
  const left = items.map(([name]) => price(name, Math.max(0, (usage[name] ?? 0) - (FREE_TIER[name] ?? 0))));
  return { total: sum(items.map(([, dollars]) => dollars)), afterFreeTier: sum(left), items };
}

export function addUsages(usages: readonly Usage[]): Usage {
  const names = new Set(usages.flatMap((usage) => Object.keys(usage) as Priced[]));
  return Object.fromEntries([...names].map((name) => [name, sum(usages.map((usage) => usage[name] ?? 0))]));
}

function price(name: Priced, units: number): number {
  return (units * PRICES[name].dollars) / PRICES[name].per;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
