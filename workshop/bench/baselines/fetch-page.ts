import { Agent, get } from 'node:https';
import { gunzipSync } from 'node:zlib';

/** The least code from a socket to a parsed page; the baselines read pages with it. */
export function createPageReader(baseUrl: string) {
  const agent = new Agent({ keepAlive: true });
  return {
    read: async (page: number): Promise<unknown> => {
      const url = new URL(`/api/v1/timesheets?page=${page}`, baseUrl);
      return JSON.parse(gunzipSync(await fetchBody(url, agent)).toString());
    },
    stop: () => agent.destroy(),
  };
}

function fetchBody(url: URL, agent: Agent): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, headers: { 'accept-encoding': 'gzip' } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks)));
      response.on('error', reject);
    });
    request.on('error', reject);
  });
}
