/**
 * Runs an engine in a network namespace of its own (Linux), where no other process finds its port. Whoever asks over the
 * channel of this process gets a connection to it: a socket stays in the namespace in which it was made. Ends with the
 * process that started it, and the engine with it.
 */
import { spawn } from 'node:child_process';
import { flushCompileCache } from 'node:module';
import { connect } from 'node:net';

const [port = '', binary = '', ...args] = process.argv.slice(2);
const engine = spawn(binary, args, { stdio: ['ignore', 'ignore', 'inherit'] });
engine.once('error', () => process.exit(1));
engine.once('exit', () => process.exit(1));
process.on('exit', () => engine.kill('SIGKILL'));
process.on('disconnect', () => process.exit(0));
process.on('message', () => {
  const socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true });
  socket.once('connect', () => process.send?.('connected', socket));
  socket.once('error', () => process.send?.('failed'));
});
// What is compiled would be kept when the process ends, but that is killed.
flushCompileCache();
