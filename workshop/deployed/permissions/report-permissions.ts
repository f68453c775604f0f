import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#infra/project-root.ts';
import type { Aws } from '../aws.ts';
import { auditUses, checkAudit, renderUses } from './audit.ts';

const FILE = join('docs', 'permissions.md');
const BEGIN = '<!-- permissions: begin -->';
const END = '<!-- permissions: end -->';

export interface PermissionsToReport {
  readonly stackNames: readonly string[];
  /** Every scenario was run: nothing else may be granted. */
  readonly isWhole: boolean;
}

/**
 * Compares what the functions of these stacks did since the run began with what their roles grant, and writes the table
 * of `docs/permissions.md`. Throws on a difference, and when the document was another. A run that left scenarios out
 * has some of its lines.
 */
export function reportPermissions(
  { gate, emulator }: Aws,
  { stackNames, isWhole }: PermissionsToReport,
): string {
  const ignored = new Set(emulator.alsoAsks.values());
  const uses = auditUses(gate.evidence, { stackNames, ignored });
  const path = join(PROJECT_ROOT, FILE);
  const before = readFileSync(path, 'utf8');
  const [head = '', tail = ''] = [before.split(BEGIN)[0], before.split(END)[1]];
  const after = `${head}${BEGIN}\n\n${renderUses(uses)}\n${END}${tail}`;
  const isSame = isWhole ? after === before : hasLines(before, after.split('\n'));
  if (!isSame) writeFileSync(path, after);
  const said = checkAudit(uses, gate.evidence);
  if (!isSame) throw new Error(`${FILE} was another; it is written anew, to be looked at and committed`);
  return said;
}

/** Whether a text has these lines in their order, among others. */
function hasLines(text: string, wanted: readonly string[]): boolean {
  const lines = text.split('\n');
  let next = 0;
  return wanted.every((line) => {
    next = lines.indexOf(line, next) + 1;
    return next > 0;
  });
}
