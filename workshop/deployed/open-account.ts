import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#infra/project-root.ts';
import { type Aws, createAws } from './aws.ts';
import { createJournal } from './journal.ts';
import { startMoto } from './moto.ts';
import { createAuthorizer } from './permissions/authorize.ts';
import { openGate } from './permissions/gate.ts';

/** An account that nothing is in yet. */
export interface OpenAccount {
  readonly aws: Aws;
  /** Its emulator and its gate. */
  readonly running: readonly { stop(): Promise<void> }[];
}

/** Starts an emulator of its own, which knows nothing of any other. `name`: its folder under `.cache/deployed`. */
export async function openAccount(name: string): Promise<OpenAccount> {
  const path = join(PROJECT_ROOT, '.cache', 'deployed', name);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  const started = await startMoto(join(path, 'emulator.log'));
  const journal = createJournal();
  const gate = await openGate({
    endpoint: started.endpoint,
    authorizer: createAuthorizer(createAws({ endpoint: started.endpoint, folder: path, journal })),
    journal,
  });
  return {
    aws: { ...createAws({ endpoint: gate.endpoint, folder: path, journal }), gate },
    running: [started, gate],
  };
}
