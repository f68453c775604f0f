import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type RunOptions, readOptions } from '#local/run/options.ts';
import { run } from '#local/run/run.ts';
import { createTemporaryFolder } from '../aws/fixture-assembly.ts';
import { type FixtureSource, type Planner, startFixtureSource, writePollAssembly } from './fixture-source.ts';
import { openFixtureConsole } from './fixtures/open-console.ts';
import { openStream } from './output/open-stream.ts';

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
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, ...withData(args)], {
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

/** The same in this process, which has loaded the runner: for what is not about the end of a process. */
export function runHere(args: readonly string[], assembly = writePollAssembly()) {
  const [stdout, stderr] = [openStream(), openStream()];
  const { promise: requested, resolve } = Promise.withResolvers<void>();
  const aborter = new AbortController();
  const stop = () => {
    aborter.abort();
    resolve();
  };
  cleanups.push(stop);
  const environment = { ...process.env, WORKFORCE_API_TOKEN: TOKEN };
  const runWith = (options: RunOptions | null) => {
    if (options === null) throw new Error(`${args.join(' ')} asks for help`);
    return run({
      ...{ options, environment, openConsole: openFixtureConsole, synthesize: async () => assembly },
      streams: { stdout: stdout.stream, stderr: stderr.stream },
      listen: () => ({ signal: aborter.signal, requested }),
    });
  };
  const ended = readOptions(withData(args), environment)
    .then(runWith)
    .catch((error: unknown) => {
      stderr.write(`${error instanceof Error ? error.message : error}\n`);
      return 1;
    });
  return { stop, ended, lines: stdout.lines, stderr: stderr.written };
}

function withData(args: readonly string[]): readonly string[] {
  return args.includes('--data') ? args : [...args, '--data', createTemporaryFolder('data')];
}
