#!/usr/bin/env node
import { App } from 'aws-cdk-lib';
import { chooseStage, STAGE_VARIABLE } from '#shared/config/schema/stages.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { loadNotifierStages } from './load-config.ts';
import { NotifierStack } from './notifier-stack.ts';

// Another config: `NOTIFIER_CONFIG=path/to/config.ts npx cdk synth`, or `npx cdk synth -c notifierConfig=...`.
// Of several stages, `npx cdk deploy` takes the name of the stack.
const app = new App({ analyticsReporting: false, autoSynth: false });
const file: string | undefined = process.env.NOTIFIER_CONFIG ?? app.node.tryGetContext('notifierConfig');

try {
  const stages = await loadNotifierStages(file);
  const wanted = process.env[STAGE_VARIABLE];
  const configs = wanted === undefined ? stages.map(({ config }) => config) : [chooseStage(stages, wanted)];
  // The CDK sets it when it has credentials, so at the latest when it deploys.
  for (const config of configs) new NotifierStack(app, { config, account: process.env.CDK_DEFAULT_ACCOUNT });
  app.synth();
} catch (error) {
  if (!(error instanceof NotifierError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
