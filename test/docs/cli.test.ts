import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { buildNotifierProgram } from '#bin/program.ts';
import { CLI_EXAMPLES, generateCliDocument } from '#workshop/documents/cli-page.ts';

const { path, text } = await generateCliDocument();
const COMMAND_LINES = [...text.matchAll(/^\$ (?<line>.*npm run notifier -- .*)$/gm)].map(
  ({ groups }) => groups?.line ?? '',
);

describe('the page about the command line', () => {
  it('is up to date', () => {
    expect(readFileSync(path, 'utf8'), 'run `npm run docs`').toBe(text);
  });

  it('describes every command and every option, and shows what the command prints', async () => {
    const { commands } = await buildNotifierProgram();
    expect(Object.keys(CLI_EXAMPLES).sort()).toEqual(commands.map((command) => command.name()).sort());
    for (const command of commands) {
      const section = text.split(/^## /m).find((part) => part.startsWith(`${command.name()}\n`)) ?? '';
      expect(section).toContain(command.description());
      expect(command.description()).toMatch(/\.$/);
      expect(command.options.length).toBeGreaterThan(1);
      for (const option of command.options) {
        expect(option.description, option.flags).not.toBe('');
        expect(section).toContain(`| \`${option.flags}\` |`);
      }
    }
  });

  it.each(COMMAND_LINES)('shows a command line that is accepted: %s', async (line) => {
    const program = await buildNotifierProgram();
    const ran: string[] = [];
    for (const command of program.commands) command.action(() => void ran.push(command.name()));
    const args = splitWords(line.slice(line.indexOf(' -- ') + ' -- '.length));
    const [first, second] = args;
    if (first === 'help') {
      expect(program.commands.map((command) => command.name())).toContain(second);
      return;
    }
    await program.parseAsync(args, { from: 'user' });
    expect(ran).toEqual([first]);
  });

  it('has enough of them', () => {
    expect(COMMAND_LINES.length).toBeGreaterThan(20);
  });
});

/** Words as a shell separates them, as far as the examples quote. */
function splitWords(line: string): string[] {
  return [...line.matchAll(/'(?<quoted>[^']*)'|(?<bare>\S+)/g)].map(
    ({ groups }) => groups?.quoted ?? groups?.bare ?? '',
  );
}
