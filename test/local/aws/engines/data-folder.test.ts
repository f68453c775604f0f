import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GetItemCommand, ListTablesCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { expect, test, vi } from 'vitest';
import { createDynamoDbClient, createSqsClient } from '#local/aws/engines/clients.ts';
import { findDataFolder, openDataFolder } from '#local/aws/engines/data-folder.ts';
import { startDynamoDb } from '#local/aws/engines/dynamodb-engine.ts';
import { startMessaging } from '#local/aws/engines/messaging-engine.ts';
import { readCommand } from '#local/aws/engines/processes.ts';
import { applyQueue, applyTable } from '#local/aws/template/apply.ts';
import { serveOnLoopback } from '#local/loopback-server.ts';
import { createTemporaryFolder, FIXTURE_TABLE } from '#test/local/aws/fixture-assembly.ts';

const KEY = 'key-of-this-run';
const QUEUE_URL = 'http://sqs.local/000000000000/kept';

test('a folder in use is refused in one line that names the process, and free again after release', async () => {
  const path = createTemporaryFolder('data');
  const folder = await openDataFolder(path);
  await expect(openDataFolder(path)).rejects.toMatchObject({
    code: 'data_folder_locked',
    message: `data folder ${path} is in use by another run (process ${process.pid}); stop that run or name another folder with --data`,
  });
  folder.release();
  (await openDataFolder(path)).release();
});

test('a folder that cannot be created is refused with the reason', async () => {
  const file = join(createTemporaryFolder('data'), 'file');
  writeFileSync(file, '');
  await expect(openDataFolder(join(file, 'below'))).rejects.toMatchObject({ code: 'data_folder_unusable' });
});

test('a folder of another format, or of none, is refused with what to do', async () => {
  const path = createTemporaryFolder('data');
  const folder = await openDataFolder(path);
  folder.release();
  writeFileSync(folder.file('format'), '2');
  await expect(openDataFolder(path)).rejects.toMatchObject({
    code: 'data_folder_format',
    message: `data folder ${path} is of format 2, and this version reads format 1 alone; name a new folder with --data: its baseline is silent`,
  });
  rmSync(folder.file('format'));
  await expect(openDataFolder(path)).rejects.toThrow('names no format, and');
});

test('a new folder is for its user alone', async () => {
  const path = join(createTemporaryFolder('data'), 'new');
  (await openDataFolder(path)).release();
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test.each([0o755, 0o770, 0o701])(
  'a folder of the mode %o is refused, with the command that mends it',
  async (mode) => {
    const path = createTemporaryFolder('data');
    chmodSync(path, mode);
    await expect(openDataFolder(path)).rejects.toMatchObject({
      code: 'data_folder_open',
      message: expect.stringContaining(`; close it with: chmod -R go= ${path}`),
    });
    chmodSync(path, 0o700);
    (await openDataFolder(path)).release();
  },
);

test('a folder of another user is refused, also by a user who could read and write it', async () => {
  const path = createTemporaryFolder('data');
  const user = process.geteuid?.() ?? 0;
  vi.spyOn(process, 'geteuid').mockReturnValue(user + 1);
  const refusal = {
    code: 'data_folder_foreign',
    message: `data folder ${path} belongs to another user of this machine (${user}), who can change what is in it; name a folder of your own with --data`,
  };
  await expect(openDataFolder(path)).rejects.toMatchObject(refusal);
  expect(readdirSync(path)).toEqual([]);
  vi.mocked(process.geteuid ?? expect.fail).mockRestore();
  (await openDataFolder(path)).release();
  vi.spyOn(process, 'geteuid').mockReturnValue(user + 1);
  await expect(openDataFolder(path)).rejects.toMatchObject(refusal);
  expect(() => findDataFolder(path)).toThrow(expect.objectContaining(refusal));
  vi.restoreAllMocks();
});

test.each(['lock', 'format', 'functions.log', 'machine.json.new', 'dynamodb.db', 'messaging/fauxqs.db'])(
  'a folder in which %s is a link is refused, and what it leads to stays as it is',
  async (name) => {
    const path = createTemporaryFolder('data');
    const elsewhere = join(createTemporaryFolder('elsewhere'), 'file');
    mkdirSync(join(path, 'messaging'));
    symlinkSync(elsewhere, join(path, name));
    const refusal = {
      code: 'data_folder_link',
      message: `data folder ${path} holds the link ${basename(name)}, and what is written to a data folder stays in it; remove the link, or name another folder with --data`,
    };
    await expect(openDataFolder(path)).rejects.toMatchObject(refusal);
    expect(existsSync(elsewhere)).toBe(false);
    writeFileSync(elsewhere, 'as it was');
    await expect(openDataFolder(path)).rejects.toMatchObject(refusal);
    expect(readFileSync(elsewhere, 'utf8')).toBe('as it was');
  },
);

test('a data folder may be named by a link', async () => {
  const path = createTemporaryFolder('data');
  const link = join(createTemporaryFolder('links'), 'data');
  symlinkSync(path, link);
  (await openDataFolder(link)).release();
  expect(existsSync(join(path, 'lock'))).toBe(true);
});

test('a process that is not the engine of this folder is not killed', async () => {
  const path = createTemporaryFolder('data');
  const bystander = spawn('sleep', ['60']);
  writeFileSync(join(path, 'engine.pid'), String(bystander.pid));
  (await openDataFolder(path)).release();
  expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
  bystander.kill('SIGKILL');
});

test('after a kill right after the answers, the next run ends the engine and finds every write and message', async () => {
  const path = createTemporaryFolder('data');
  const program = fileURLToPath(new URL('../fixtures/killed-run.ts', import.meta.url));
  const parent = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(parent.stdout, 'data');
  const engine = Number(readFileSync(join(path, 'engine.pid'), 'utf8'));
  // It may be gone by itself soon after the run.
  expect(readCommand(engine)).toContain(path);
  parent.kill('SIGKILL');
  await once(parent, 'exit');

  const folder = await openDataFolder(path);
  expect(readCommand(engine)).toBeNull();
  const [database, messaging] = await Promise.all([
    startDynamoDb(folder, { environment: {}, accessKeyId: KEY }),
    startMessaging(folder, KEY),
  ]);
  const items = createDynamoDbClient({ dynamoDb: database.endpoint, accessKeyId: KEY });
  const { Item } = await items.send(
    new GetItemCommand({ TableName: 'kept', Key: { pk: { S: 'a' }, sk: { S: 'last' } } }),
  );
  expect(Item).toEqual({ pk: { S: 'a' }, sk: { S: 'last' } });
  const queues = createSqsClient({ messaging: messaging.endpoint, accessKeyId: KEY });
  const { Attributes } = await queues.send(
    new GetQueueAttributesCommand({ QueueUrl: QUEUE_URL, AttributeNames: ['All'] }),
  );
  expect(Attributes?.VisibilityTimeout).toBe('600');
  const { Messages = [] } = await queues.send(
    new ReceiveMessageCommand({ QueueUrl: QUEUE_URL, MaxNumberOfMessages: 10 }),
  );
  expect(Messages.map(({ Body }) => Body)).toEqual(['received and not deleted', 'not received']);
  items.destroy();
  queues.destroy();
  await Promise.all([database.stop(), messaging.stop()]);
  folder.release();
});

test('SIGTERM to the engine does not end it; stopping does', async () => {
  const folder = await openDataFolder(createTemporaryFolder('data'));
  const database = await startDynamoDb(folder, { environment: {}, accessKeyId: KEY });
  const pid = Number(readFileSync(folder.file('engine.pid'), 'utf8'));
  process.kill(pid, 'SIGTERM');
  process.kill(pid, 'SIGINT');
  const client = createDynamoDbClient({ dynamoDb: database.endpoint, accessKeyId: KEY });
  await applyTable(client, { name: 'alive', properties: FIXTURE_TABLE.Properties });
  const Item = { pk: { S: 'a' }, sk: { S: 'b' } };
  await client.send(new PutItemCommand({ TableName: 'alive', Item }));
  client.destroy();
  await database.stop();
  expect(readCommand(pid)).toBeNull();
  folder.release();
});

test('another DynamoDB is used when its endpoint is set, and never sees the key of the run', async () => {
  const folder = await openDataFolder(createTemporaryFolder('data'));
  const asked: (string | undefined)[] = [];
  const other = await serveOnLoopback((request, response) => {
    asked.push(request.headers.authorization);
    response
      .writeHead(200, { 'content-type': 'application/x-amz-json-1.0' })
      .end('{"TableNames":["theirs"]}');
  });
  const environment = { AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${other.port}` };
  const database = await startDynamoDb(folder, { environment, accessKeyId: KEY });
  const client = createDynamoDbClient({ dynamoDb: database.endpoint, accessKeyId: KEY });
  expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual(['theirs']);
  // DynamoDB Local keeps a database for each key, and the key of the run is another in every run.
  expect(asked).toEqual([expect.stringContaining('Credential=local/')]);
  client.destroy();
  await database.stop();
  await other.stop();
  folder.release();
});

test('SNS and SQS listen on the loopback interface only', async () => {
  const folder = await openDataFolder(createTemporaryFolder('data'));
  const messaging = await startMessaging(folder, KEY);
  const { port } = new URL(messaging.endpoint);
  const listening = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/)[1])
    .filter((address) => address?.endsWith(`:${Number(port).toString(16).toUpperCase().padStart(4, '0')}`));
  expect(listening).toContain(`0100007F:${Number(port).toString(16).toUpperCase().padStart(4, '0')}`);
  expect(listening.filter((address) => address?.startsWith('00000000'))).toEqual([]);
  const client = createSqsClient({ messaging: messaging.endpoint, accessKeyId: KEY });
  await applyQueue(client, 'kept', {});
  await client.send(new SendMessageCommand({ QueueUrl: QUEUE_URL, MessageBody: 'here' }));
  client.destroy();
  await messaging.stop();
  folder.release();
});
