import { execFile } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from '#infra/project-root.ts';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '#local/aws/template/local-account.ts';

const run = promisify(execFile);

/** The emulator takes any credentials. None of the functions has this access key. */
export const OPERATOR = 'operator';
/** The longest takes a quarter of a minute on a quiet machine; one that hangs is ended. */
const TIMEOUT_MS = 600_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Of this process's environment. Everything else that begins with AWS_ could reach a real account. */
const WITHHELD = /^(?:AWS_|CDK_|NOTIFIER_)/;

/** Commands as a person would run them, with the emulator as AWS. Each throws when it fails. */
export interface Commands {
  cdk(args: readonly string[], variables?: Readonly<Record<string, string>>): Promise<void>;
  notifier(args: readonly string[]): Promise<void>;
}

interface CommandOptions {
  /** Of the emulator. */
  readonly endpoint: string;
  /** What commands print is added to it. */
  readonly logFile: string;
}

export function createCommands({ endpoint, logFile }: CommandOptions): Commands {
  const inherited = Object.entries(process.env).filter(([name]) => !WITHHELD.test(name));
  const environment = {
    ...Object.fromEntries(inherited),
    AWS_ENDPOINT_URL: endpoint,
    // The template's address is of the service's form: CloudFormation takes no other.
    AWS_ENDPOINT_URL_S3_FOR_CLOUDFORMATION: `https://s3.${LOCAL_REGION}.amazonaws.com`,
    AWS_ACCESS_KEY_ID: OPERATOR,
    AWS_SECRET_ACCESS_KEY: OPERATOR,
    AWS_REGION: LOCAL_REGION,
    AWS_DEFAULT_REGION: LOCAL_REGION,
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DEFAULT_ACCOUNT: LOCAL_ACCOUNT,
    CDK_DEFAULT_REGION: LOCAL_REGION,
    // Unit tests check the template against the CDK's rules, which takes longer than the synthesis.
    CDK_VALIDATION: 'false',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
  };
  const runNode = async (args: readonly string[], variables: Readonly<Record<string, string>> = {}) => {
    const options = { cwd: PROJECT_ROOT, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES };
    const ended = run(process.execPath, args, { ...options, env: { ...environment, ...variables } });
    const { stdout, stderr } = await ended.catch((error: Error) => {
      appendFileSync(logFile, `$ ${args.join(' ')}\n${error}\n\n`);
      throw error;
    });
    appendFileSync(logFile, `$ ${args.join(' ')}\n${stdout}${stderr}\n`);
  };
  const cli = join('node_modules', 'aws-cdk', 'bin', 'cdk');
  return {
    cdk: (args, variables) => runNode([cli, ...args], variables),
    notifier: (args) => runNode([join('bin', 'notifier.ts'), ...args]),
  };
}
