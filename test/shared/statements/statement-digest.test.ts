import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { computeStatementDigest, type StatementMember } from '#shared/statements/statement-digest.ts';

const EPOCH = '2026-03-01T00:00:00.000Z';
const ANA: StatementMember = { id: '1001_7', epoch: EPOCH, sequence: 5, hoursToPay: 7.5 };
const BEN: StatementMember = { id: '1002_7', epoch: EPOCH, sequence: 3, hoursToPay: 8 };

test('is the hash of a line for each timesheet, in the order of their ids', () => {
  const text = `1001_7 ${EPOCH} 5 7.5\n1002_7 ${EPOCH} 3 8\n`;
  const due = createHash('sha256').update(text).digest('hex');
  expect(computeStatementDigest([ANA, BEN])).toBe(due);
  expect(computeStatementDigest([BEN, ANA])).toBe(due);
});

test('writes a dash for the epoch of a timesheet that has none', () => {
  const { epoch: _, ...old } = ANA;
  const due = createHash('sha256').update('1001_7 - 5 7.5\n').digest('hex');
  expect(computeStatementDigest([old])).toBe(due);
});

test('orders ids by code point, not by UTF-16 unit', () => {
  const [low, high] = ['\uffee', '\u{1f600}'].map((id) => ({ ...ANA, id }));
  const text = `\uffee ${EPOCH} 5 7.5\n\u{1f600} ${EPOCH} 5 7.5\n`;
  expect(computeStatementDigest([high ?? ANA, low ?? ANA])).toBe(
    createHash('sha256').update(text).digest('hex'),
  );
});

test.each<[string, readonly StatementMember[]]>([
  ['a timesheet is missing', [ANA]],
  ['hours differ', [ANA, { ...BEN, hoursToPay: 8.25 }]],
  ['an event is missing', [ANA, { ...BEN, sequence: 2 }]],
  ['the epoch is another', [ANA, { ...BEN, epoch: '2026-03-02T00:00:00.000Z' }]],
])('is another when %s', (_, members) => {
  expect(computeStatementDigest(members)).not.toBe(computeStatementDigest([ANA, BEN]));
});
