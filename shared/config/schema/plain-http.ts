const HTTP = 'http:';
/** Names and addresses of the host itself, as `URL` writes them (RFC 6761, RFC 1122, RFC 4291). */
const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Whether requests to an address cross a network without TLS, readable with their credential to everyone on the way. */
export function isPlainHttp(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && url.protocol === HTTP && !LOOPBACK.test(url.hostname);
}
