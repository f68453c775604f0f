import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createTemporaryFolder } from '../aws/fixture-assembly.ts';
import { type FixtureSource, type Planner, startFixtureSource, writePollAssembly } from './fixture-source.ts';

const PROGRAM = fileURLToPath(new URL('./fixtures/run-fixture.ts', import.meta.url));
/** The token of every fixture run: no output may contain it. */
export const TOKEN = 'a-very-secret-token';

const cleanups: (() => void)[] = [];

/** Ends everything the tests of a file started; for `afterEach`. */
export function cleanUp(): void {
  for (const cleanup of cleanups.splice(0)) cleanup();
}

/** A fixture source that is closed after the test. */
export async function openSource(plan: Planner): Promise<FixtureSource> {
  const source = await startFixtureSource(plan);
  cleanups.push(() => source.close());
  return source;
}

/** Starts the runner as leader of its own process group; without an assembly, with polls only. */
export function startRun(args: readonly string[], assembly = writePollAssembly()) {
  const data = args.includes('--data') ? [] : ['--data', createTemporaryFolder('data')];
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, ...args, ...data], {
    env: { ...process.env, WORKFORCE_API_TOKEN: TOKEN, FIXTURE_ASSEMBLY: assembly },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const signal = (name: NodeJS.Signals) => process.kill(-(child.pid ?? Number.NaN), name);
  cleanups.push(() => {
    if (child.exitCode === null && child.signalCode === null) signal('SIGKILL');
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return {
    child,
    signal,
    // Complete lines only: a kill may truncate the last one.
    lines: () => stdout.split('\n').slice(0, -1),
    stderr: () => stderr,
    ended: once(child, 'close').then(([code]) => code as number | null),
  };
}
