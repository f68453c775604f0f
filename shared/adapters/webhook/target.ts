import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type AllowedTargets, LOCAL_NAMES } from '#shared/config/schema/allowed-targets.ts';
import { isPublicAddress } from '#shared/config/schema/special-addresses.ts';

/** Resolves a name to all its addresses. Fails as `dns.lookup` does. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

/** A target that must not be connected to. The message has no path and no query. */
export class ForbiddenTarget extends Error {
  override readonly name = 'ForbiddenTarget';
}

/**
 * The address of a request, checked as far as possible without a resolver. Throws `ForbiddenTarget`. Hosts in odd forms
 * (octal, hexadecimal, short, full-width) are read as `URL` reads them.
 */
export function parseTarget(text: string, allow: AllowedTargets): URL {
  const url = URL.parse(text);
  if (url === null) throw new ForbiddenTarget('the address cannot be read');
  const { protocol, hostname, username, password } = url;
  if (protocol !== 'https:' && !(protocol === 'http:' && allow.http))
    throw new ForbiddenTarget(`${protocol} is not allowed`);
  if (username !== '' || password !== '') throw new ForbiddenTarget('a user in the address is not allowed');
  if (!isAllowedHost(hostname, allow)) throw new ForbiddenTarget(`the host ${hostname} is not allowed`);
  return url;
}

/**
 * A lookup for a socket that returns only checked addresses, so that the socket connects to what was checked, whatever
 * the name resolves to a moment later. All addresses of a name must be allowed: a public name with a private address
 * among them is an attack or a mistake, and which one a socket picks is chance.
 */
export function createGuardedLookup(resolve: Resolve, allow: AllowedTargets): LookupFunction {
  return (name, options, callback) => {
    void resolve(name).then(
      (addresses) => {
        const [first] = addresses;
        const bad = addresses.find(({ address }) => !isAllowedAddress(address, allow));
        if (first === undefined) callback(noAddressError(name), []);
        else if (bad !== undefined) callback(new ForbiddenTarget(`${name} resolves to ${bad.address}`), []);
        else if (options.all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (cause: NodeJS.ErrnoException) => callback(cause, []),
    );
  };
}

function isAllowedHost(hostname: string, allow: AllowedTargets): boolean {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(literal) !== 0) return isAllowedAddress(literal, allow);
  // With a trailing dot it is the same name for a resolver, and another one for a certificate.
  if (hostname === '' || hostname.endsWith('.')) return false;
  return allow.privateAddresses || !LOCAL_NAMES.test(hostname);
}

function isAllowedAddress(address: string, allow: AllowedTargets): boolean {
  return isPublicAddress(address) || (allow.privateAddresses && isIP(address) !== 0);
}

function noAddressError(name: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${name} has no address`), { code: 'ENOTFOUND' });
}
