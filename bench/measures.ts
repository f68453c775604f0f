import { measureBacklog } from './measures/backlog.ts';
import { measureBundles } from './measures/bundles.ts';
import { measureChangeCost } from './measures/change-cost.ts';
import { measureFortnightDelays } from './measures/fortnight-delays.ts';
import { measureFortnightStorage } from './measures/fortnight-storage.ts';
import { measureHiddenRecords } from './measures/hidden-records.ts';
import { measureLeafFormats } from './measures/leaf-formats.ts';
import { measurePageCost } from './measures/page-cost.ts';
import { measurePublishing } from './measures/publishing.ts';
import { measureRateLimits } from './measures/rate-limits.ts';
import { measureRosterMemory } from './measures/roster-memory.ts';
import { measureScanMemory } from './measures/scan-memory.ts';
import { measureSlowSource } from './measures/slow-source.ts';
import { measureStorage } from './measures/storage.ts';
import type { Row } from './row.ts';

/** One measure, and the names by which `--only` runs it: its topics, and its own. */
export interface Measure {
  readonly names: readonly string[];
  /** Takes more than a minute: run with `--all` or by name. */
  readonly isHeavy: boolean;
  readonly run: (options: { readonly all: boolean }) => Row[] | Promise<Row[]>;
}

/** Those of the heap and of times come first, before others have filled the heap. */
export const MEASURES: readonly Measure[] = [
  { names: ['cpu'], isHeavy: false, run: measurePageCost },
  { names: ['cpu'], isHeavy: false, run: measureChangeCost },
  { names: ['memory'], isHeavy: false, run: measureScanMemory },
  { names: ['memory', 'roster'], isHeavy: true, run: measureRosterMemory },
  { names: ['bundles'], isHeavy: false, run: measureBundles },
  { names: ['limits'], isHeavy: false, run: measureRateLimits },
  { names: ['publishing'], isHeavy: false, run: measurePublishing },
  { names: ['storage', 'leaf-formats'], isHeavy: false, run: measureLeafFormats },
  { names: ['storage'], isHeavy: false, run: measureStorage },
  { names: ['requests', 'delays'], isHeavy: false, run: measureFortnightDelays },
  { names: ['requests', 'slow'], isHeavy: false, run: measureSlowSource },
  { names: ['storage', 'fortnight'], isHeavy: true, run: measureFortnightStorage },
  { names: ['backlog'], isHeavy: false, run: measureBacklog },
  { names: ['hidden'], isHeavy: false, run: measureHiddenRecords },
];
