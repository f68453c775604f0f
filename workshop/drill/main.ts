#!/usr/bin/env node

import { readAssembly } from '#local/aws/template/assembly.ts';
import type { Deployment } from '#local/aws/template/deployment.ts';
/** Lets the alarms sound on one machine: `npm run drill -- --help`. */
import { synthesize } from '#local/aws/template/synthesize.ts';
import type { ReceiverKind } from '#local/receivers/server.ts';
import type { RunOptions } from '#local/run/options.ts';
import { listenForStop } from '#local/run/run.ts';
import { readSetting } from '#shared/config/environment.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { escapeLines, wantsColour } from '#shared/terminal/output.ts';
import { createDailyWork } from './daily-work.ts';
import { watchDeliveries } from './deliveries.ts';
import { type DrillOptions, HELP, readDrillOptions } from './drill-options.ts';
import type { Incident } from './incidents.ts';
import { openLedger } from './ledger.ts';
import { createPlayer, type IncidentResult, isGood, playIncident, type Scene } from './play-incident.ts';
import { createPrinter, type Printer } from './printer.ts';
import { type DrillStage, startStage } from './stage.ts';

async function main(): Promise<number> {
  // Tables, logs and messages hold hours and names of people: nobody else on this machine reads them.
  process.umask(0o077);
  const options = await readDrillOptions(process.argv.slice(2));
  if (options !== null) return runDrill(options);
  console.log(HELP);
  return 0;
}

function fail(error: unknown): number {
  if (error instanceof NotifierError) console.error(escapeLines(error.message));
  else console.error('unexpected error:', error);
  return 1;
}

/** Until the alarms know that everything works. */
const SETTLING_MINUTES = 12;
const EXIT_INTERRUPTED = 1;
/** Minutes between two incidents. */
const PAUSE_MINUTES = 1;
const RECEIVER_WORDS = { slack: 'channel of Slack', webhooks: 'webhook', 'event-bus': 'event bus' } as const;

/**
 * Breaks one part after another of the whole notifier on one machine, in simulated time, and shows what sounds, what
 * waits and how it recovers. Returns the exit code: 0 when everything sounded that must, and everything was told once; 1
 * otherwise, and when it is interrupted.
 */
async function runDrill({ incidents, run }: DrillOptions): Promise<number> {
  const stream = process.stdout;
  const write = (line: string) => void stream.write(`${line}\n`);
  const startedAt = performance.now();
  const assembly = await synthesize((text) => void process.stderr.write(`${text}\n`));
  const { stackName } = readAssembly(assembly);
  const colour = wantsColour(stream, process.env);
  const printer = createPrinter({ write, colour, timeZone: run.timeZone, stackName });
  const stop = listenForStop(EXIT_INTERRUPTED);
  const stage = await startStage({ run, assembly, environment: process.env });
  try {
    const played = playAll(incidents, { stage, printer, window: readWindow(run) });
    const good = await Promise.race([played, stop.requested.then(() => false)]);
    if (stop.signal.aborted) return EXIT_INTERRUPTED;
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    write(`\n${good ? 'all as it must be' : 'NOT as it must be'}; ${seconds} s of real time`);
    return good ? 0 : 1;
  } finally {
    await stage.stop();
  }
}

function readWindow({ windowBackDays, windowForwardDays }: RunOptions) {
  return { backDays: windowBackDays, forwardDays: windowForwardDays };
}

async function playAll(
  incidents: readonly Incident[],
  {
    stage,
    printer,
    window,
  }: {
    readonly stage: DrillStage;
    readonly printer: Printer;
    readonly window: { readonly backDays: number; readonly forwardDays: number };
  },
): Promise<boolean> {
  printer.head('The sample company works, and the notifier tells what happens. Times are simulated.');
  await stage.pollAll();
  const ledger = openLedger({ company: stage.company, window });
  const work = createDailyWork(stage.company);
  const scene: Scene = { stage, ledger, deliveries: watchDeliveries(), printer, work };
  const silent: Scene = {
    ...scene,
    printer: { ...printer, alarms: () => {}, line: () => {}, messages: () => {} },
  };
  const playQuietly = async (minutes: number) => {
    await createPlayer(silent).playUntil(minutes, () => false);
    stage.adaptSpeed();
  };
  await playQuietly(SETTLING_MINUTES);
  const results: IncidentResult[] = [];
  const { deployment } = stage.machine.aws;
  for (const [index, incident] of incidents.entries()) {
    const { name, needs } = incident;
    if (needs !== undefined && !hasReceiver(deployment, needs)) {
      printer.head(`${index + 1}. ${name} is left out: the config has no ${RECEIVER_WORDS[needs]}`);
      continue;
    }
    printer.head(`${index + 1}. ${name}`);
    results.push(await playIncident(incident, scene));
    await playQuietly(PAUSE_MINUTES);
  }
  printer.table(results);
  if (ledger.invented.length > 0) printer.head(`${ledger.invented.length} events without a change`);
  return results.length > 0 && ledger.invented.length === 0 && results.every(isGood);
}

type Environment = Deployment['functions'][number]['environment'];

/** Whether a deployment delivers to a receiver of this kind. */
function hasReceiver({ functions }: Pick<Deployment, 'functions'>, kind: ReceiverKind): boolean {
  return functions.some(({ environment }) => delivers(environment, kind));
}

function delivers(environment: Environment, kind: ReceiverKind): boolean {
  switch (kind) {
    case 'slack':
      return isSlack(environment[ENVIRONMENT.channel]);
    case 'webhooks':
      return environment[ENVIRONMENT.webhook] !== undefined;
    case 'event-bus':
      return environment[ENVIRONMENT.eventBus] !== undefined;
  }
}

/** A channel without a kind is of Slack. */
function isSlack(channel: string | undefined): boolean {
  if (channel === undefined) return false;
  const { kind = 'slack' } = readSetting(channel) as { readonly kind?: string };
  return kind === 'slack';
}

process.exit(await main().catch(fail));
