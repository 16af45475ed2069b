import { extname } from 'node:path'
import { readSecret } from './input.js'
import { printObject } from './output.js'
import { confirmRemoval } from './removal.js'
import { sendFile } from './send-file.js'
import { group, noteSecrets, row, type TableCall } from './table-command.js'

/** META and SHOPIFY provide a secret, which is read from stdin if no file is named. For WOOCOMMERCE it is optional. */
async function readOthersSecret({ cli, body }: TableCall, type: unknown): Promise<void> {
  if (body.secret !== undefined || (type !== 'META' && type !== 'SHOPIFY')) return
  body.secret = await readSecret(cli, undefined, { prompt: 'Secret of the sender', noun: 'secret' })
}

async function rotate(call: TableCall): Promise<void> {
  const { cli, client, ids, body, options, send } = call
  const { type } = await client.call('getSource', ids)
  const isTokenAlone = body.renewVerifyToken === true && body.secret === undefined
  const warning = isTokenAlone
    ? `${ids.sourceId} gets a new verify token; the previous one stops working immediately.`
    : `${ids.sourceId} gets a new secret; the previous one is accepted for one more hour.`
  await confirmRemoval(cli, [warning], options)
  if (!isTokenAlone) await readOthersSecret(call, type)
  const answer = await send()
  printObject(cli, answer)
  noteSecrets(cli, answer)
}

export const SOURCES = group('sources', 'shops, apps and inboxes that send events', [
  row('add <type>', 'createSource', {
    description: 'create a source: META, SHOPIFY, WOOCOMMERCE or EVENTS; keys created with it are shown only once',
    sample: 'SHOPIFY --name "Our shop" < secret.txt',
    async fill(call) {
      const { body } = call
      body.name ??= body.type
      await readOthersSecret(call, body.type)
    },
  }),
  row('list', 'listSources', { columns: 'id type name trust lastDeliveryAt waiting problems refused leftOut' }),
  row('show', 'getSource'),
  row('update', 'updateSource', { sample: "--name 'The shop'" }),
  row('rotate', 'rotateSourceSecret', { warning: null, run: rotate }),
  row('remove', 'deleteSource', {
    warning:
      '{source} will accept no more deliveries, and those that are waiting are deleted, as are its problems. Purchases and links from it stay.',
  }),
  row('problems', 'listSourceProblems', { columns: 'id at topic item reason', noun: 'problems' }),
  row('retry', 'retrySourceProblem'),
  row('dismiss', 'dismissSourceProblem', { warning: 'This deletes {problem} and its delivery.' }),
])

async function importPurchases({ cli, client, ids, given }: TableCall): Promise<void> {
  const isJson = ['.ndjson', '.jsonl'].includes(extname(given.file!).toLowerCase())
  const to = { ...ids, contentType: isJson ? 'application/x-ndjson' : 'text/csv' }
  const send = (body: AsyncIterable<Uint8Array>) => client.call('importPurchases', { ...to, body })
  printObject(cli, await sendFile(cli, given.file!, send, 'The lines imported so far stay. Run the command again.'))
}

export const PURCHASES = group('purchases', 'purchases from before a source was set up', [
  row('import <file>', 'importPurchases', {
    description: "import purchases from an NDJSON file or a shop's CSV export (- for stdin); it is safe to repeat",
    sample: 'orders.csv',
    named: true,
    run: importPurchases,
  }),
])
