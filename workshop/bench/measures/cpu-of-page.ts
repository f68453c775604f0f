import { bucketSize, planSteps } from '#shared/core/commit/steps.ts';
import { findDiffering } from '#shared/core/compare/compare.ts';
import { type Look, Looking } from '#shared/core/look/look.ts';
import { createHead, type Head } from '#shared/core/snapshot/head.ts';
import type { SourceApi } from '#shared/flow/poll/ports.ts';
import { createFreeStore, createPageReader, detectChanges } from '../baselines/one-item-each.ts';
import { measureInTurn } from '../cpu.ts';
import { createBenchClock, createSocketSource, DATE, START } from '../poll-machine.ts';
import type { Row } from '../row.ts';
import { startSampleSource } from '../sample-source.ts';

/** Records on a page, with the goal of it. */
const PAGES = [
  { size: 200, atMost: 0.85 },
  { size: 1_000, atMost: 0.75 },
];

/** CPU of a page without changes, from the socket until it is known that no bucket of its date differs. */
export async function measureCpuOfPage(): Promise<Row[]> {
  const source = await startSampleSource();
  const reader = createPageReader(source.baseUrl);
  const api = createSocketSource(source.baseUrl, createBenchClock());
  try {
    const rows: Row[] = [];
    for (const { size, atMost } of PAGES) {
      await source.show({ dates: [DATE], perDate: size, every: 2, version: 1 });
      const head = toHead(await lookAt(api, size));
      const ours = async () => {
        const look = await lookAt(api, size);
        if (findDiffering(look, head).length > 0) throw new Error('buckets of an unchanged page differ');
      };
      const store = createFreeStore();
      await detectChanges(await reader.read(DATE, 1, size), store);
      const theirs = async () => {
        const changes = await detectChanges(await reader.read(DATE, 1, size), store);
        if (changes > 0) throw new Error('the baseline found changes in an unchanged page');
      };
      const [reached = 0, value = 0] = await measureInTurn([ours, theirs], {
        ...{ repeats: 10, runs: 15, warmUps: 3 },
      });
      rows.push({
        target: 'P4',
        metric: `of ${size.toLocaleString('en')} records, of the baseline's ${value.toFixed(0)} us`,
        baseline: ['one item per timesheet: zod, stringify, MD5', 1],
        reached: reached / value,
        atMost,
        isTime: true,
      });
    }
    return rows;
  } finally {
    reader.stop();
    source.stop();
  }
}

async function lookAt(api: SourceApi, size: number): Promise<Look> {
  const range = { from: DATE, to: DATE };
  const page = await api.page({ feed: 'timesheets', range, page: 1, size });
  const looking = new Looking('timesheets', range, { timeZone: 'UTC', startedAt: START });
  looking.take(page);
  const [look] = looking.end(START);
  if (look?.problem !== null) throw new Error(`the look is incomplete: ${look?.problem}`);
  return look;
}

/** The head of a date that was seen like this. */
function toHead({ texts }: Look): Head {
  const empty = createHead({ feed: 'timesheets', slice: DATE });
  const rows = [...texts].map(([id, text]) => ({ id, epoch: START, sequence: 0, sent: {}, text }));
  const [step] = planSteps(empty, [{ index: 0, rows, texts: [] }], bucketSize(rows.length));
  return step?.head ?? empty;
}
