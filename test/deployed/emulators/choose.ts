import { parseArgs } from 'node:util';
import type { Emulator } from './emulator.ts';
import { createFakecloud } from './fakecloud.ts';
import { createMoto } from './moto.ts';

const EMULATORS = { moto: createMoto, fakecloud: createFakecloud };

/** `--on moto` or `--on fakecloud`; both, one after the other, when nothing is said. Throws on another name. */
export function chooseEmulators(args: readonly string[]): readonly Emulator[] {
  const { values } = parseArgs({ args: [...args], options: { on: { type: 'string', multiple: true } } });
  const names = values.on ?? Object.keys(EMULATORS);
  return names.map((name) => {
    if (!isEmulatorName(name)) {
      throw new Error(`--on ${name}: not one of ${Object.keys(EMULATORS).join(', ')}`);
    }
    return EMULATORS[name]();
  });
}

function isEmulatorName(name: string): name is keyof typeof EMULATORS {
  return Object.hasOwn(EMULATORS, name);
}
