import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { SourceState } from './sample-records.ts';

/** A source of samples behind a socket, and an SNS. */
export interface SampleSource {
  readonly baseUrl: string;
  readonly servicesUrl: string;
  /** What it holds from now on. */
  show(state: SourceState): Promise<void>;
  stop(): void;
}

/** Its certificate is self-signed: this process verifies no certificate until `stop`. */
export async function startSampleSource(): Promise<SampleSource> {
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  const child: ChildProcess = fork(new URL('./source-server.ts', import.meta.url), { execArgv: [] });
  const [ports] = (await once(child, 'message')) as [{ source: number; services: number }];
  return {
    baseUrl: `https://127.0.0.1:${ports.source}`,
    servicesUrl: `http://127.0.0.1:${ports.services}`,
    async show(state) {
      child.send(state);
      await once(child, 'message');
    },
    stop() {
      child.disconnect();
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    },
  };
}
