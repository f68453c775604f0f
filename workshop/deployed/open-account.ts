import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#infra/project-root.ts';
import { type Aws, createAws } from './aws.ts';
import type { Emulator } from './emulators/emulator.ts';
import { createJournal } from './journal.ts';
import { createAuthorizer } from './permissions/authorize.ts';
import { openGate } from './permissions/gate.ts';

/** An account that nothing is in yet. */
export interface OpenAccount {
  readonly aws: Aws;
  /** Its emulator and its gate. */
  readonly running: readonly { stop(): Promise<void> }[];
}

/** Starts an emulator of its own, which knows nothing of any other. `folder`: its name under `.cache/deployed`. */
export async function openAccount(emulator: Emulator, folder: string): Promise<OpenAccount> {
  const path = join(PROJECT_ROOT, '.cache', 'deployed', folder);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  const started = await emulator.start(join(path, 'emulator.log'));
  const journal = createJournal();
  const gate = await openGate({
    endpoint: started.endpoint,
    authorizer: createAuthorizer(createAws({ endpoint: started.endpoint, folder: path, journal })),
    journal,
    oneAtATime: emulator.oneAtATime,
    forgetsTokens: emulator.forgetsTokens,
    decidedByEmulator: emulator.decides,
    correctAnswer: emulator.correctAnswer,
  });
  return {
    aws: { ...createAws({ endpoint: gate.endpoint, folder: path, journal }), emulator, gate },
    running: [started, gate],
  };
}
