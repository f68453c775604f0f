import { App } from 'aws-cdk-lib';
import { NotifierError } from '#shared/core/errors.ts';
import { loadNotifierConfig } from './load-config.ts';
import { NotifierStack } from './notifier-stack.ts';

// Another config: `NOTIFIER_CONFIG=path/to/config.ts npx cdk synth`.
const app = new App({ analyticsReporting: false, autoSynth: false });
try {
  new NotifierStack(app, { config: await loadNotifierConfig(process.env.NOTIFIER_CONFIG) });
  app.synth();
} catch (error) {
  if (!(error instanceof NotifierError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
