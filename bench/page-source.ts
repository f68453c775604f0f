import { fork } from 'node:child_process';
import { once } from 'node:events';
import { samplePageText } from './sample-records.ts';

/** A source that answers with the pages it was given, over https and in gzip, from a process of its own. */
export interface PageSource {
  readonly baseUrl: string;
  /** Replaces the pages; answers their texts. */
  serve(pages: readonly (readonly unknown[])[]): Promise<readonly string[]>;
  stop(): void;
}

/** Starts it. Its certificate is vouched for by nobody, so this process checks none until it is stopped. */
export async function startPageSource(): Promise<PageSource> {
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  const child = fork(new URL('./page-server.ts', import.meta.url), { execArgv: [] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    baseUrl: `https://127.0.0.1:${port}`,
    async serve(pages) {
      const totalRecords = pages.reduce((sum, page) => sum + page.length, 0);
      const texts = pages.map((page, index) =>
        samplePageText(page, totalRecords, { page: index + 1, pages: pages.length }),
      );
      child.send(texts);
      await once(child, 'message');
      return texts;
    },
    stop() {
      child.disconnect();
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    },
  };
}
