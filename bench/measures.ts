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

/** One measure, and the figures of the list that it is about. */
export interface Measure {
  readonly ids: readonly string[];
  /** Takes more than a minute: run with `--all` or by name. */
  readonly isHeavy: boolean;
  readonly run: (options: { readonly all: boolean }) => Row[] | Promise<Row[]>;
}

/** Those of the heap and of times come first, before others have filled the heap. */
export const MEASURES: readonly Measure[] = [
  { ids: ['P4'], isHeavy: false, run: measurePageCost },
  { ids: ['P5'], isHeavy: false, run: measureChangeCost },
  { ids: ['P7'], isHeavy: false, run: measureScanMemory },
  { ids: ['P7', 'roster'], isHeavy: true, run: measureRosterMemory },
  { ids: ['P8'], isHeavy: false, run: measureBundles },
  { ids: ['P6'], isHeavy: false, run: measureRateLimits },
  { ids: ['P9'], isHeavy: false, run: measurePublishing },
  { ids: ['P12', 'leaf-formats'], isHeavy: false, run: measureLeafFormats },
  { ids: ['P2', 'P3', 'P12', 'storage'], isHeavy: false, run: measureStorage },
  { ids: ['P1', 'P10', 'delays'], isHeavy: false, run: measureFortnightDelays },
  { ids: ['P1', 'slow'], isHeavy: false, run: measureSlowSource },
  { ids: ['P3', 'fortnight'], isHeavy: true, run: measureFortnightStorage },
  { ids: ['R9'], isHeavy: false, run: measureBacklog },
  { ids: ['R18'], isHeavy: false, run: measureHiddenRecords },
];
