/** An AWS that this project did not write. It runs in one process and keeps the account in memory. */
export interface Emulator {
  readonly name: EmulatorName;
  /** With its exact version: `moto 5.2.5`. */
  readonly title: string;
  /** Resource types that its CloudFormation does not create, and what the test does about each. */
  readonly unknownTypes: UnknownTypes;
  /** Types that its CloudFormation makes otherwise than the template says, and that the test puts right. */
  readonly mangles: ReadonlySet<string>;
  /** Services for which its IAM refuses what the policies of a role and of a resource do not allow. */
  readonly decides: ReadonlySet<string>;
  /** Installs it under `.cache` if it is not there yet, and starts it. Throws when it cannot be had. */
  start(logFile: string): Promise<RunningEmulator>;
}

export interface RunningEmulator {
  readonly endpoint: string;
  stop(): Promise<void>;
}

type EmulatorName = 'moto' | 'fakecloud';

/** `applied`: the test makes it through the API of its own service. `left out`: nobody makes it. */
export type UnknownTypes = ReadonlyMap<string, 'applied' | 'left out'>;
