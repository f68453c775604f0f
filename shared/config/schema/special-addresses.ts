import { BlockList, isIP } from 'node:net';

/**
 * Addresses that are not servers on the public internet: the IANA registries of special-purpose addresses (RFC 6890 and
 * its updates), including those that are reachable but serve the network itself, and multicast.
 */
const SPECIAL_IPV4: readonly (readonly [network: string, prefix: number, what: string])[] = [
  ['0.0.0.0', 8, 'this network, RFC 791; connects to the local host'],
  ['10.0.0.0', 8, 'private, RFC 1918'],
  ['100.64.0.0', 10, 'shared address space of carriers, RFC 6598'],
  ['127.0.0.0', 8, 'loopback, RFC 1122; the runtime API of Lambda is on 127.0.0.1:9001'],
  ['169.254.0.0', 16, 'link-local, RFC 3927; cloud metadata and credentials are on 169.254.169.254'],
  ['172.16.0.0', 12, 'private, RFC 1918'],
  ['192.0.0.0', 24, 'protocol assignments, RFC 6890'],
  ['192.0.2.0', 24, 'documentation, RFC 5737'],
  ['192.31.196.0', 24, 'AS112, RFC 7535'],
  ['192.52.193.0', 24, 'automatic multicast tunneling, RFC 7450'],
  ['192.88.99.0', 24, '6to4 relays, RFC 7526'],
  ['192.168.0.0', 16, 'private, RFC 1918'],
  ['192.175.48.0', 24, 'AS112, RFC 7534'],
  ['198.18.0.0', 15, 'benchmarking, RFC 2544'],
  ['198.51.100.0', 24, 'documentation, RFC 5737'],
  ['203.0.113.0', 24, 'documentation, RFC 5737'],
  ['224.0.0.0', 4, 'multicast, RFC 5771'],
  ['240.0.0.0', 4, 'reserved, RFC 1112; with the broadcast address'],
];

/**
 * The only block that public addresses are assigned from. Everything else is refused, known or not: loopback,
 * IPv4-mapped and -compatible, NAT64 (`64:ff9b::/96`, `64:ff9b:1::/48`), discard, segment routing, unique local,
 * link-local, multicast.
 */
const GLOBAL_UNICAST_IPV6 = ['2000::', 3] as const;

/** Special addresses inside `2000::/3`. */
const SPECIAL_IPV6: readonly (readonly [network: string, prefix: number, what: string])[] = [
  ['2001::', 23, 'protocol assignments, RFC 2928: Teredo, benchmarking, ORCHID, drone ids'],
  ['2001:db8::', 32, 'documentation, RFC 3849'],
  ['2002::', 16, '6to4, RFC 3056; embeds any IPv4 address'],
  ['2620:4f:8000::', 48, 'AS112, RFC 7534'],
  ['3fff::', 20, 'documentation, RFC 9637'],
];

const SPECIAL = new BlockList();
for (const [network, prefix] of SPECIAL_IPV4) SPECIAL.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of SPECIAL_IPV6) SPECIAL.addSubnet(network, prefix, 'ipv6');
const GLOBAL_UNICAST = new BlockList();
GLOBAL_UNICAST.addSubnet(...GLOBAL_UNICAST_IPV6, 'ipv6');

/** Whether a text is a public IP address, in any of the usual spellings. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !SPECIAL.check(address, 'ipv4');
    case 6:
      // An address with a zone is link-local.
      if (address.includes('%')) return false;
      return GLOBAL_UNICAST.check(address, 'ipv6') && !SPECIAL.check(address, 'ipv6');
    default:
      return false;
  }
}
