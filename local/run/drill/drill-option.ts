import { InvalidArgumentError, Option } from 'commander';
import { INCIDENT_NAMES, type IncidentName } from './incident-names.ts';

/** A drill has a company, a folder and receivers of its own. */
const NOT_IN_A_DRILL = ['baseUrl', 'data', 'every', 'once', 'output', 'speed', 'webhook', 'webhookSecret'];

/** The option `--drill`, with or without a list. */
export type DrillChoice = true | readonly IncidentName[];

export function createDrillOption(): Option {
  return new Option(
    '--drill [parts]',
    `break one part after another in simulated time, and show what sounds, what waits and how it recovers; some of them with a list: ${INCIDENT_NAMES.join(',')}`,
  )
    .argParser(parseIncidents)
    .conflicts(NOT_IN_A_DRILL);
}

/** The incidents of a drill in their order. */
export function listIncidents(choice: DrillChoice): readonly IncidentName[] {
  return choice === true ? INCIDENT_NAMES : INCIDENT_NAMES.filter((name) => choice.includes(name));
}

function parseIncidents(text: string): IncidentName[] {
  return text.split(',').map((name) => {
    const known = INCIDENT_NAMES.find((incident) => incident === name.trim());
    if (known !== undefined) return known;
    throw new InvalidArgumentError(
      `there is no ${JSON.stringify(name)}; use some of ${INCIDENT_NAMES.join(', ')}`,
    );
  });
}
