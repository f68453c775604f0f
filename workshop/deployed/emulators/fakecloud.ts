import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AlsoAsks, Emulator } from './emulator.ts';
import { ensureInstalled, runInstaller } from './install.ts';
import { startServer } from './server.ts';

const VERSION = '0.51.0';
/** It has some 800 packages: a quarter of an hour on two cores. */
const INSTALL_TIMEOUT_MS = 3_600_000;
/** It names them in its log when it starts. Of those that this project uses, it leaves out Secrets Manager and SSM. */
const DECIDES = new Set(['dynamodb', 'iam', 'kms', 'lambda', 's3', 'scheduler', 'sns', 'sqs', 'sts']);
/** It takes an operation on a batch for an action of its own. */
const ALSO_ASKS: AlsoAsks = new Map([
  ['sns:Publish', 'sns:PublishBatch'],
  ['sqs:SendMessage', 'sqs:SendMessageBatch'],
  ['sqs:DeleteMessage', 'sqs:DeleteMessageBatch'],
]);
/** Unoptimized, since it takes longer to compile than to run. */
const PROFILE = { CARGO_PROFILE_DEV_DEBUG: 'false', CARGO_INCREMENTAL: '0' };

/** https://github.com/faiscadev/fakecloud, compiled from crates.io with the lock file of its release. */
export function createFakecloud(): Emulator {
  return {
    name: 'fakecloud',
    title: `fakecloud ${VERSION}`,
    mangles: new Set(),
    unknownTypes: new Map(),
    comparesTemplates: false,
    continues: true,
    retains: true,
    alsoAsks: ALSO_ASKS,
    sessionIsPrincipal: true,
    nameLimits: new Map([['AWS::Scheduler::Schedule', 64]]),
    decides: DECIDES,
    oneAtATime: new Set(),
    forgetsTokens: false,
    start: (logFile) =>
      startServer({
        command: join(ensureInstalled({ name: 'fakecloud', pinned: VERSION, install }), 'bin', 'fakecloud'),
        args: (port) => ['--addr', `127.0.0.1:${port}`, '--iam', 'strict', '--verify-sigv4'],
        environment: {},
        healthPath: '/_fakecloud/health',
        logFile,
      }),
  };
}

function install(folder: string): void {
  const target = join(folder, 'target');
  runInstaller({
    command: 'cargo',
    args: ['install', 'fakecloud', '--version', VERSION, '--locked', '--debug', '--root', folder],
    timeoutMs: INSTALL_TIMEOUT_MS,
    needs: 'cargo (1.95 was tried), a C compiler, and crates.io',
    environment: { ...PROFILE, CARGO_TARGET_DIR: target },
  });
  rmSync(target, { recursive: true });
}
