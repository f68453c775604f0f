import { OPERATORS_PACKAGE } from '../init/render-config.ts';

/** Versions of the packages that a project installs, by name. */
export type Versions = Readonly<Record<string, string>>;

/** The scripts are those of this repository, so that every document holds for both. */
const SCRIPTS = {
  start: 'notifier start',
  notifier: 'notifier',
  synth: 'cdk synth --quiet',
  deploy: 'cdk deploy',
};

export function renderManifest(name: string, versions: Versions): string {
  const manifest = {
    name,
    private: true,
    type: 'module',
    scripts: SCRIPTS,
    dependencies: { [OPERATORS_PACKAGE]: versions[OPERATORS_PACKAGE] },
    // `node` is the one that Lambda runs: scripts and npx use it, whatever the machine has.
    devDependencies: Object.fromEntries(
      Object.entries(versions).filter(([each]) => each !== OPERATORS_PACKAGE),
    ),
    // Of npm versions that ask before a package may run its installation.
    allowScripts: { node: true },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** With the feature flags of this repository's `cdk.json`, so that a project gets the template that was tested. */
export function renderCdkJson(context: unknown): string {
  const settings = { app: 'npx --no-install workforce-notifier-app', versionReporting: false, context };
  return `${JSON.stringify(settings, null, 2)}\n`;
}

export const GIT_IGNORE = ['node_modules/', 'cdk.out/', '.data/', '.cache/', ''].join('\n');

/** Deploys what is on main, with a role that trusts this repository by OIDC: no key is stored. */
export const DEPLOY_WORKFLOW = `name: deploy
on:
  push:
    branches: [main]
  workflow_dispatch:
permissions:
  id-token: write
  contents: read
concurrency: deploy
jobs:
  deploy:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v5
        with:
          node-version: 24
          cache: npm
      - run: npm ci
      - run: npx cdk synth --quiet
      # The role trusts token.actions.githubusercontent.com for this repository and branch; it may assume the roles of
      # the CDK's bootstrap (cdk-*), and nothing else.
      - uses: aws-actions/configure-aws-credentials@v5
        with:
          role-to-assume: \${{ vars.DEPLOY_ROLE_ARN }}
          aws-region: \${{ vars.AWS_REGION }}
      - run: npx cdk deploy --require-approval never
      - run: npx notifier doctor
`;
