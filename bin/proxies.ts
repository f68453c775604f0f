import { setGlobalProxyFromEnv } from 'node:http';
import { readProxies } from '#shared/config/proxies.ts';

/** `fetch` of this process uses the proxies of its environment; what has agents of its own reads them itself. */
export function useProxies(): void {
  const proxies = readProxies(process.env);
  // Loads more of Node, so only where there are any.
  if (proxies !== undefined) setGlobalProxyFromEnv(proxies);
}
