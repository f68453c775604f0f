import { measureBacklog } from './measures/backlog.ts';
import { measureBundles } from './measures/bundles.ts';
import { measureChangeCost } from './measures/change-cost.ts';
import { measureConsoleLoad } from './measures/console-load.ts';
import { measureConsoleMemory } from './measures/console-memory.ts';
import { measureConsolePage } from './measures/console-page.ts';
import { measureFortnightDelays } from './measures/fortnight-delays.ts';
import { measureHiddenRecords } from './measures/hidden-records.ts';
import { measureLeafFormats } from './measures/leaf-formats.ts';
import { measureMonthlyBill } from './measures/monthly-bill.ts';
import { measurePageCost } from './measures/page-cost.ts';
import { measurePublishing } from './measures/publishing.ts';
import { measureRateLimits } from './measures/rate-limits.ts';
import { measureRealFlow } from './measures/real-flow.ts';
import { measureRosterMemory } from './measures/roster-memory.ts';
import { measureScanMemory } from './measures/scan-memory.ts';
import { measureSlowSource } from './measures/slow-source.ts';
import { measureStorage } from './measures/storage.ts';
import type { Row, Topic } from './row.ts';

/** `--only` selects measures by their topics. */
export interface Measure {
  readonly topics: readonly Topic[];
  /** Takes more than a minute: runs with `--all`, or when its topic is selected. */
  readonly isHeavy: boolean;
  readonly run: (options: { readonly all: boolean }) => Row[] | Promise<Row[]>;
}

/** Measures of time and heap come first, before other measures have filled the heap. */
export const MEASURES: readonly Measure[] = [
  { topics: ['cpu'], isHeavy: false, run: measurePageCost },
  { topics: ['cpu'], isHeavy: false, run: measureChangeCost },
  { topics: ['memory'], isHeavy: false, run: measureScanMemory },
  { topics: ['memory'], isHeavy: true, run: measureRosterMemory },
  { topics: ['bundles'], isHeavy: false, run: measureBundles },
  { topics: ['limits'], isHeavy: false, run: measureRateLimits },
  { topics: ['publishing'], isHeavy: false, run: measurePublishing },
  { topics: ['storage'], isHeavy: false, run: measureLeafFormats },
  { topics: ['storage'], isHeavy: false, run: measureStorage },
  { topics: ['requests', 'delays'], isHeavy: false, run: measureFortnightDelays },
  { topics: ['slow'], isHeavy: false, run: measureSlowSource },
  { topics: ['fortnight'], isHeavy: true, run: measureRealFlow },
  { topics: ['backlog'], isHeavy: false, run: measureBacklog },
  { topics: ['hidden'], isHeavy: false, run: measureHiddenRecords },
  { topics: ['console'], isHeavy: false, run: measureConsolePage },
  { topics: ['console'], isHeavy: false, run: measureConsoleLoad },
  { topics: ['console'], isHeavy: true, run: measureConsoleMemory },
  { topics: ['bill'], isHeavy: true, run: measureMonthlyBill },
];
