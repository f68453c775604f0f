#!/usr/bin/env node
/**
 * Runs the notifier on a real pseudo terminal: `npm run test:terminal`. It needs `script` of util-linux, which `npm test`
 * does not, and fails where that is missing.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startFixtureSource, writePollAssembly } from '#test/local/run/fixture-source.ts';
import { buildEvent } from '#test/local/run/terminal/entries.ts';
import { FakeTerminal } from '#test/local/run/terminal/fake-terminal.ts';

const PROGRAM = fileURLToPath(new URL('../../test/local/run/fixtures/run-fixture.ts', import.meta.url));
const EVENTS = 102;
const ROWS = 24;
const TIMEOUT_MS = 60_000;
const CTRL_C = '\u0003';

const scratch = mkdtempSync(join(tmpdir(), 'terminal-'));
const messages = Array.from({ length: EVENTS }, (_, index) =>
  JSON.stringify(buildEvent({ id: `${index}_1` })),
);

interface Session {
  readonly columns: number;
  readonly args: readonly string[];
  /** Ctrl-C is typed once this was written. */
  readonly interruptAt?: RegExp;
}

/** Returns the exit code of a run, and all that it wrote. */
async function runOn({ columns, args, interruptAt }: Session): Promise<[unknown, string]> {
  const source = await startFixtureSource((times) => (times === 1 ? { messages } : {}));
  const { CI: _, NO_COLOR: __, ...inherited } = process.env;
  const words = [process.execPath, PROGRAM, '--base-url', source.baseUrl, '--data'];
  const command = [...words, mkdtempSync(join(scratch, 'data-')), ...args].join(' ');
  const child = spawn('script', ['-qec', `stty cols ${columns} rows ${ROWS}; ${command}`, '/dev/null'], {
    env: {
      ...inherited,
      TERM: 'xterm-256color',
      WORKFORCE_API_TOKEN: 'a-token',
      FIXTURE_ASSEMBLY: writePollAssembly(),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: TIMEOUT_MS,
  });
  let written = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const seen = interruptAt?.test(written);
    written += text;
    if (seen === false && interruptAt?.test(written) === true) child.stdin.write(CTRL_C);
  });
  const [code] = await once(child, 'close');
  source.close();
  return [code, written];
}

async function checkLive(columns: number): Promise<void> {
  const [code, written] = await runOn({ columns, args: ['--once'] });
  const terminal = new FakeTerminal(columns, ROWS);
  terminal.write(written);
  const lines = terminal.lines();
  assert.equal(code, 0, written);
  assert.deepEqual(
    lines.filter((line) => line.length > columns),
    [],
  );
  const counted = lines.map((line) =>
    Number(/ (?<count>\d+) timesheets approved/.exec(line)?.groups?.count ?? 0),
  );
  const single = lines.filter((line) => /Employee 1001_1.*: approved/.test(line)).length;
  assert.equal(
    counted.reduce((sum, count) => sum + count, single),
    EVENTS,
  );
  assert.ok(lines.includes(`timesheet.approved     ${EVENTS}`), 'the table names the events');
}

async function checkInterrupted(): Promise<void> {
  const [code, written] = await runOn({
    columns: 100,
    args: ['--every', '500ms'],
    interruptAt: /102 events/,
  });
  const terminal = new FakeTerminal(100, ROWS);
  terminal.write(written);
  assert.equal(code, 0, written);
  assert.ok(
    terminal.lines().some((line) => /^102 events, \d+ polls/.test(line)),
    'a table ends the run',
  );
  assert.deepEqual(
    terminal.lines().filter((line) => line.startsWith('──') && !line.endsWith('──')),
    [],
  );
}

try {
  for (const columns of [60, 160]) await checkLive(columns);
  await checkInterrupted();
  process.stdout.write('3 runs on a pseudo terminal, all as they must be\n');
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
