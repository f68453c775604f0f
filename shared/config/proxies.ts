import { NotifierError } from '#shared/core/errors.ts';

/** This machine, in the spellings of all that read `NO_PROXY`: what a run has here is never asked for through a proxy. */
const LOOPBACK = ['localhost', '127.0.0.1', '127.0.0.1-127.255.255.255', '::1'];

type Variables = Readonly<Record<string, string | undefined>>;

/** As Node's agents take them. */
export type Proxies = Readonly<Partial<Record<'HTTP_PROXY' | 'HTTPS_PROXY', string>>> & {
  readonly NO_PROXY: string;
};

/**
 * The proxies that an environment names, for everything that leaves the machine; undefined without any. Throws
 * `NotifierError` `proxy_invalid`, without the address, which may hold a password: Node would ignore it without a word.
 */
export function readProxies(variables: Variables): Proxies | undefined {
  const find = (name: string) => variables[name.toLowerCase()] || variables[name] || undefined;
  const named = (['HTTP_PROXY', 'HTTPS_PROXY'] as const).flatMap((name) => {
    const address = find(name);
    return address === undefined ? [] : [[name, checkAddress(name, address)] as const];
  });
  if (named.length === 0) return undefined;
  const NO_PROXY = [find('NO_PROXY') ?? [], LOOPBACK].flat().join(',');
  return { ...Object.fromEntries(named), NO_PROXY };
}

function checkAddress(name: string, address: string): string {
  if (/^https?:$/.test(URL.parse(address)?.protocol ?? '')) return address;
  throw new NotifierError(
    'proxy_invalid',
    `${name} is no address of an HTTP proxy; write it as http://HOST:PORT, or take it out`,
  );
}
