import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#infra/project-root.ts';
import type { Aws } from '../aws.ts';
import { auditUses, checkAudit, renderUses } from './audit.ts';
import { CONSOLE_KIND } from './console-role.ts';

const FILE = join('docs', 'permissions.md');
const BEGIN = '<!-- permissions: begin -->';
const END = '<!-- permissions: end -->';

/**
 * Compares what the functions of these stacks did since the run began with what their roles grant, and writes the table
 * of `docs/permissions.md`. Throws on a difference, and when the document was another.
 */
export function reportPermissions({ gate, emulator }: Aws, stackNames: readonly string[]): string {
  const ignored = new Set(emulator.alsoAsks.values());
  const uses = auditUses(gate.evidence, { stackNames, ignored });
  const path = join(PROJECT_ROOT, FILE);
  const before = readFileSync(path, 'utf8');
  const [head = '', tail = ''] = [before.split(BEGIN)[0], before.split(END)[1]];
  const after = `${head}${BEGIN}\n\n${renderUses(uses)}\n${END}${tail}`;
  // A run may leave the console out.
  const isSame = after === (uses.some(({ kind }) => kind === CONSOLE_KIND) ? before : dropConsole(before));
  if (!isSame) writeFileSync(path, after);
  const said = checkAudit(uses, gate.evidence);
  if (!isSame) throw new Error(`${FILE} was another; it is written anew, to be looked at and committed`);
  return said;
}

function dropConsole(text: string): string {
  return text.replace(new RegExp(`## ${CONSOLE_KIND}\\n[^]*?(?=## )`), '');
}
