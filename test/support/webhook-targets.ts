import { Random } from '#test/simulation/random.ts';

/** An address as a resolver gives it. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** A special-purpose block by its bounds as numbers; the product checks addresses in another way. */
interface Block {
  readonly family: 4 | 6;
  readonly name: string;
  readonly first: bigint;
  readonly last: bigint;
}

export interface HostileAddress extends ResolvedAddress {
  readonly block: string;
}

/**
 * The IANA registries of special-purpose addresses, and multicast. Copied from the registries, not from the product:
 * iana-ipv4-special-registry, iana-ipv6-special-registry, RFC 5771, RFC 4291.
 */
const BLOCKS = [
  '0.0.0.0/8 0.0.0.0/32 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.0.0/29',
  '192.0.0.8/32 192.0.0.9/32 192.0.0.10/32 192.0.0.170/32 192.0.0.171/32 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24',
  '192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
  '255.255.255.255/32 169.254.169.254/32 127.0.0.1/32',
  '::1/128 ::/128 ::/96 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23',
  '2001::/32 2001:1::1/128 2001:1::2/128 2001:1::3/128 2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28',
  '2001:30::/28 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fd00:ec2::254/128 fe80::/10',
  'fec0::/10 ff00::/8 ff02::1/128',
];
const BITS = { 4: 32n, 6: 128n } as const;
/** Public, unless another address embeds it. */
const PUBLIC = '8.8.8.8';

export const SPECIAL_BLOCKS: readonly Block[] = BLOCKS.flatMap((line) => line.split(' ')).map(parseBlock);

/** First, last and two other addresses of every block. */
export function listHostileAddresses(): HostileAddress[] {
  const random = new Random(11);
  return SPECIAL_BLOCKS.flatMap(({ family, name, first, last }) => {
    const numbers = [first, last, drawBetween(first, last, random), drawBetween(first, last, random)];
    return [...new Set(numbers)].map((number) => ({
      block: name,
      family,
      address: formatAddress(family, number),
    }));
  });
}

/** The same addresses as hosts of a URL, in every notation that some parser accepts. */
export function listHostileHosts(): string[] {
  const hosts = listHostileAddresses().flatMap(({ family, address }) =>
    family === 4 ? [...listIpv4Spellings(address), ...embedIpv4InIpv6(address)] : listIpv6Spellings(address),
  );
  const around = [PUBLIC, '1.1.1.1'].flatMap(embedIpv4InIpv6);
  const names = [
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'hook.local',
    'ip-10-0-0-1.ec2.internal',
    'hook.example.',
    'user@hook.example',
    'user:password@8.8.8.8',
    '127.0.0.1:9001',
  ];
  return [...new Set([...hosts, ...around, ...names])];
}

/** Addresses in no special-purpose block, half of each family, the same ones every time. */
export function drawPublicAddresses(count: number): ResolvedAddress[] {
  const random = new Random(12);
  const found: ResolvedAddress[] = [];
  while (found.length < count) {
    const family = found.length % 2 === 0 ? 4 : 6;
    const number =
      family === 4
        ? drawBetween(0n, (1n << 32n) - 1n, random)
        : drawBetween(1n << 125n, (1n << 126n) - 1n, random);
    if (!isSpecial(family, number)) found.push({ family, address: formatAddress(family, number) });
  }
  return found;
}

function isSpecial(family: 4 | 6, number: bigint): boolean {
  return SPECIAL_BLOCKS.some(
    (block) => block.family === family && block.first <= number && number <= block.last,
  );
}

function listIpv4Spellings(address: string): string[] {
  const parts = address.split('.').map(Number);
  const [a = 0, b = 0, c = 0, d = 0] = parts;
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const octal = (part: number) => `0${part.toString(8)}`;
  const hex = (part: number) => `0x${part.toString(16)}`;
  return [
    address,
    `${address}.`,
    String(number),
    hex(number),
    `0X${number.toString(16).toUpperCase()}`,
    octal(number),
    parts.map(octal).join('.'),
    parts.map((part) => `000${octal(part)}`).join('.'),
    parts.map(hex).join('.'),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${hex(a)}.${octal(b)}.${c * 256 + d}`,
    toFullWidth(address),
    address.replace('.', '%2e'),
    address.replaceAll('.', '\u3002'),
    `user@${address}`,
    `${address}:443`,
    `${address}:8443`,
  ];
}

/** IPv6 addresses that embed an IPv4 address, or look like it. */
function embedIpv4InIpv6(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const high = (a * 256 + b).toString(16);
  const low = (c * 256 + d).toString(16);
  const inverse = (value: string) => (0xffff ^ Number.parseInt(value, 16)).toString(16);
  return [
    `::ffff:${address}`,
    `::ffff:${high}:${low}`,
    `0:0:0:0:0:FFFF:${address}`,
    `::${address}`,
    `::ffff:0:${high}:${low}`,
    `64:ff9b::${address}`,
    `64:ff9b:1::${high}:${low}`,
    `2002:${high}:${low}::1`,
    `2001:0:${high}:${low}:0:0:${inverse(high)}:${inverse(low)}`,
  ].map((each) => `[${each}]`);
}

function listIpv6Spellings(address: string): string[] {
  const long = address.split(':').map((part) => part.padStart(4, '0'));
  return [`[${address}]`, `[${long.join(':')}]`, `[${address.toUpperCase()}]`, `[${address}]:8443`];
}

function toFullWidth(text: string): string {
  return text.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0));
}

function parseBlock(name: string): Block {
  const [network = '', prefix = '0'] = name.split('/');
  const family = network.includes(':') ? 6 : 4;
  const first = parseAddress(network);
  const size = 1n << (BITS[family] - BigInt(prefix));
  return { family, name, first, last: first + size - 1n };
}

function parseAddress(address: string): bigint {
  const [parts, base] = address.includes(':')
    ? [parseGroups(address), 65_536n]
    : [address.split('.').map(Number), 256n];
  return parts.reduce((sum, part) => sum * base + BigInt(part), 0n);
}

function parseGroups(address: string): number[] {
  const [left = '', right = ''] = address.split('::');
  const read = (text: string) =>
    text === '' ? [] : text.split(':').map((part) => Number.parseInt(part, 16));
  const missing = 8 - read(left).length - read(right).length;
  return [...read(left), ...Array.from({ length: missing }, () => 0), ...read(right)];
}

function formatAddress(family: 4 | 6, number: bigint): string {
  const [count, base] = family === 4 ? [4, 256n] : [8, 65_536n];
  const parts: bigint[] = [];
  for (let rest = number; parts.length < count; rest /= base) parts.unshift(rest % base);
  return family === 4 ? parts.join('.') : parts.map((part) => part.toString(16)).join(':');
}

function drawBetween(first: bigint, last: bigint, random: Random): bigint {
  let number = 0n;
  for (let words = 0; words < 4; words += 1)
    number = (number << 32n) | BigInt(random.between(0, 0xffff_ffff));
  return first + (number % (last - first + 1n));
}
