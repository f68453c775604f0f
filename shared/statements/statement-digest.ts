import { hash } from 'node:crypto';

/** A timesheet of a pay period, as its latest event left it. */
export interface StatementMember {
  /** Id of the timesheet. */
  readonly id: string;
  readonly epoch?: string | undefined;
  /** Sequence of its latest event; 0 before the first. */
  readonly sequence: number;
  /** Payable hours. */
  readonly hoursToPay: number;
}

/**
 * A digest that is equal for two parties exactly when they have the same timesheets in the same state: the SHA-256, in
 * hex, of a line `{id} {epoch} {sequence} {hoursToPay}\n` for each, in the order of their ids by code point. An absent
 * epoch is `-`; hours are written as in JSON. In UTF-8.
 */
export function computeStatementDigest(members: Iterable<StatementMember>): string {
  const lines = [...members]
    .map(({ id, ...member }) => ({ key: Buffer.from(id), line: toLine({ id, ...member }) }))
    // The order of UTF-8 bytes is that of code points; the order of JavaScript's texts is not.
    .sort((left, right) => Buffer.compare(left.key, right.key))
    .map(({ line }) => line);
  return hash('sha256', lines.join(''), 'hex');
}

function toLine({ id, epoch = '-', sequence, hoursToPay }: StatementMember): string {
  return `${id} ${epoch} ${sequence} ${JSON.stringify(hoursToPay)}\n`;
}
