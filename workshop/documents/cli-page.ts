import type { Argument, Command, Help } from 'commander';
import { buildNotifierProgram } from '#bin/program.ts';
import type { GeneratedDocument } from './event-documents.ts';
import { readPage } from './fill-page.ts';

const MAX_LISTED_CHOICES = 10;

const INTRODUCTION = `For operators, and for engineers who connect a system. \`docs/runbook.md\` says which command helps in which trouble. This page is generated from the commands' own help; \`npm run notifier -- help <command>\` prints it. What commands print here is of one run of the sample company, which a test plays and compares again; ids, seconds, digests, ports and tokens are others each time.`;

/** The page about the command line, from the help of its commands. */
export async function generateCliDocument(): Promise<GeneratedDocument> {
  const program = await buildNotifierProgram();
  const help = program.createHelp();
  const { commands } = program;
  const text = [
    '# Command line',
    INTRODUCTION,
    readAdditionalHelp(program),
    toTable(
      ['Command', 'Does'],
      commands.map((command) => [
        `[\`${command.name()}\`](#${command.name()})`,
        capitalize(help.subcommandDescription(command)),
      ]),
    ),
    ...commands.map((command) => renderCommand(command, help)),
  ].join('\n\n');
  return { path: 'docs/cli.md', text: `${text}\n` };
}

function renderCommand(command: Command, help: Help): string {
  const args = help
    .visibleArguments(command)
    .map((argument) => [`\`${argument.name()}\``, describeArgument(argument, help)]);
  const options = help
    .visibleOptions(command)
    .filter((option) => option.long !== '--help')
    .map((option) => [`\`${help.optionTerm(option)}\``, help.optionDescription(option)]);
  const example = CLI_EXAMPLES[command.name()];
  return [
    `## ${command.name()}`,
    help.commandDescription(command),
    `    ${help.commandUsage(command)}`,
    ...(args.length === 0 ? [] : [toTable(['Argument', 'Is'], args)]),
    toTable(['Option', 'Does'], options),
    readAdditionalHelp(command),
    ...(example === undefined ? [] : ['What it prints:', toBlock(example)]),
  ].join('\n\n');
}

/** Without a long list of choices. */
function describeArgument(argument: Argument, help: Help): string {
  const { argChoices = [], description } = argument;
  if (argChoices.length <= MAX_LISTED_CHOICES) return help.argumentDescription(argument);
  return `${description}; \`docs/events.md\` lists them`;
}

/** What follows the options in the help of a command: paragraphs, and examples as a block. */
function readAdditionalHelp(command: Command): string {
  let printed = '';
  command.configureOutput({ writeOut: (text) => (printed += text) });
  command.outputHelp();
  const additional = printed.slice(command.helpInformation().length).trim().split('\n\n');
  return additional
    .map((part) => {
      const [heading = '', ...lines] = part.split('\n');
      if (heading !== 'Examples:') return part.replaceAll('\n', ' ');
      return `Examples:\n\n${toBlock(lines.map((line) => line.trim()).join('\n'))}`;
    })
    .join('\n\n');
}

function toBlock(text: string): string {
  return `\`\`\`console\n${text}\n\`\`\``;
}

function toTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, headings.map(() => '---'), ...rows.map((row) => row.map(escapeCell))];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** A bar would end the cell, a placeholder such as `<name>` vanish as an HTML tag, a star begin emphasis. */
function escapeCell(text: string): string {
  if (text.startsWith('`') || text.startsWith('[`')) return text;
  return text.replaceAll(/[|*<]/g, '\\$&');
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What the commands print with the sample company, by command. */
export const CLI_EXAMPLES: Readonly<Record<string, string>> = Object.fromEntries(
  [...readPage('cli-examples').matchAll(/^## (\S+)\n\n```console\n(.*?)\n```$/gms)].map(
    ([, command = '', printed = '']) => [command, printed],
  ),
);
