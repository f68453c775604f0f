import { readdirSync, readFileSync } from 'node:fs';

/** In which Linux counts the time of processes, for all architectures that Node runs on. */
const TICK_MS = 10;
const KILOBYTE = 1_024;

export interface TreeUsage {
  /** Of all processes, also those that ended since and were children of one that is there. */
  readonly cpuMs: number;
  /** What processes share counts once. */
  readonly memoryBytes: number;
}

/** What all processes below one have used so far, without itself. Linux alone. */
export function measureChildren(root: number): TreeUsage {
  const processes = listProcesses();
  const children = Map.groupBy(processes, ({ parent }) => parent);
  const collect = (pid: number): Process[] =>
    (children.get(pid) ?? []).flatMap((child) => [child, ...collect(child.pid)]);
  const tree = collect(root);
  return {
    cpuMs: tree.reduce((sum, { ticks }) => sum + ticks * TICK_MS, 0),
    memoryBytes: tree.reduce((sum, { pid }) => sum + readMemory(pid), 0),
  };
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
}

function listProcesses(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const text = read(`/proc/${name}/stat`);
      // The name of the program may hold spaces, and is in parentheses.
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      return text === '' ? [] : [{ pid: Number(name), parent: Number(fields[1]), ticks }];
    });
}

function readMemory(pid: number): number {
  const [, kilobytes = 0] = /^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`)) ?? [];
  return Number(kilobytes) * KILOBYTE;
}

/** Empty when the process is gone. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
