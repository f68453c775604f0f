import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { buildNotifierProgram } from '#bin/program.ts';
import { CLI_EXAMPLES } from './cli-samples.ts';

const PAGE = readFileSync('docs/cli.md', 'utf8');
/** A terminal of 24 lines, one of which is the prompt. */
const MAX_LINES = 23;
const MAX_COLUMNS = 80;
const MAX_OPTIONS = 60;

const { commands, helped } = await readHelp();
const COMMAND_LINES = [
  ...`${PAGE}\n${helped.join('\n')}`.matchAll(/\$ (?<line>.*npm run notifier -- .*)$/gm),
].map(({ groups }) => groups?.line ?? '');

describe('the command line', () => {
  it('says what there is on one screen, in four groups, each command on a line', () => {
    const lines = helped[0]?.trimEnd().split('\n') ?? [];
    expect(lines.length).toBeLessThanOrEqual(MAX_LINES);
    expect(lines.filter(({ length }) => length > MAX_COLUMNS)).toEqual([]);
    expect(lines.filter((line) => /^\S.*:$/.test(line))).toEqual(['Look:', 'Send:', 'Set up:', 'Try:']);
    expect(lines.filter((line) => line.startsWith('  '))).toHaveLength(commands.length);
  });

  it('describes every command and every option, and the page shows what it prints', () => {
    const names = commands.map((command) => command.name());
    expect(Object.keys(CLI_EXAMPLES).sort()).toEqual(names.sort());
    const options = commands.flatMap((command) => command.options);
    expect(options.filter(({ description }) => description === '')).toEqual([]);
    for (const command of commands) expect(command.description()).toMatch(/\.$/);
    expect(options.length).toBeLessThanOrEqual(MAX_OPTIONS);
  });

  it('breaks no line of prose on a terminal of 80 columns', () => {
    const lines = helped.flatMap((text) => text.split('\n'));
    expect(lines.filter((line) => line.length > MAX_COLUMNS && !line.startsWith('  $'))).toEqual([]);
  });

  it.each(COMMAND_LINES)('accepts what its help and the page show: %s', async (line) => {
    const program = await buildNotifierProgram();
    const ran: string[] = [];
    for (const command of program.commands) command.action(() => void ran.push(command.name()));
    const args = splitWords(line.slice(line.indexOf(' -- ') + ' -- '.length));
    await program.parseAsync(args, { from: 'user' });
    expect(ran).toEqual([args[0]]);
  });

  it('shows enough of them', () => {
    expect(COMMAND_LINES.length).toBeGreaterThan(20);
  });
});

/** Of the program, then of each command. */
async function readHelp() {
  const program = await buildNotifierProgram();
  const all = [program, ...program.commands].map((command) => {
    let printed = '';
    command.configureOutput({ writeOut: (text) => (printed += text), getOutHelpWidth: () => 80 });
    command.outputHelp();
    return printed;
  });
  return { commands: program.commands, helped: all };
}

/** Words as a shell separates them, as far as the examples quote. */
function splitWords(line: string): string[] {
  return [...line.matchAll(/'(?<quoted>[^']*)'|(?<bare>\S+)/g)].map(
    ({ groups }) => groups?.quoted ?? groups?.bare ?? '',
  );
}
