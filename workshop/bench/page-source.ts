import { fork } from 'node:child_process';
import { once } from 'node:events';
import { samplePageText } from './sample-records.ts';

/** A source in its own process that answers over HTTPS and gzip with the pages it was given. */
export interface PageSource {
  readonly baseUrl: string;
  /** Replaces the pages; requests get the versions in turn. Returns the texts of the first version. */
  serve(...versions: readonly Pages[]): Promise<readonly string[]>;
  stop(): void;
}

type Pages = readonly (readonly unknown[])[];

/** Its certificate is self-signed: this process verifies no certificate until `stop`. */
export async function startPageSource(): Promise<PageSource> {
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  const child = fork(new URL('./page-server.ts', import.meta.url), { execArgv: [] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    baseUrl: `https://127.0.0.1:${port}`,
    async serve(...versions) {
      const texts = versions.map(renderPages);
      child.send(texts);
      await once(child, 'message');
      return texts[0] ?? [];
    },
    stop() {
      child.disconnect();
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    },
  };
}

function renderPages(pages: Pages): string[] {
  const totalRecords = pages.reduce((sum, page) => sum + page.length, 0);
  return pages.map((page, index) =>
    samplePageText(page, totalRecords, { page: index + 1, pages: pages.length }),
  );
}
