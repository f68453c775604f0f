/**
 * Deploys the stack with the CDK CLI to an AWS that this project did not write, runs the deployed functions there, and
 * prints what was seen. `docs/reliability.md` says what that shows and what it does not.
 */
import { deployTo } from './deploy-to.ts';
import { chooseEmulators } from './emulators/choose.ts';

for (const emulator of chooseEmulators(process.argv.slice(2))) {
  if (!(await deployTo(emulator))) process.exitCode = 1;
}
