#!/usr/bin/env node
import { App } from 'aws-cdk-lib';
import { NotifierError } from '#shared/core/errors.ts';
import { loadNotifierConfig } from './load-config.ts';
import { NotifierStack } from './notifier-stack.ts';

// Another config: `NOTIFIER_CONFIG=path/to/config.ts npx cdk synth`, or `npx cdk synth -c notifierConfig=...`.
const app = new App({ analyticsReporting: false, autoSynth: false });
const file: string | undefined = process.env.NOTIFIER_CONFIG ?? app.node.tryGetContext('notifierConfig');

try {
  const config = await loadNotifierConfig(file);
  // The CDK sets it when it has credentials, so at the latest when it deploys.
  new NotifierStack(app, { config, account: process.env.CDK_DEFAULT_ACCOUNT });
  app.synth();
} catch (error) {
  if (!(error instanceof NotifierError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
