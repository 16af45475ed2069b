/**
 * The service of the benches as `npm start` runs it. It has a publisher only if BENCH_PUBLISHER is set. It writes its log
 * to nowhere and its port to standard output, and ends when its standard input closes.
 */
import { openSync } from 'node:fs'
import { importBuilt } from './built.js'

const { readConfig } = await importBuilt<typeof import('../../src/config/index.js')>('config/index.js')
const { createContext } = await importBuilt<typeof import('../../src/context.js')>('context.js')
const { openLog } = await importBuilt<typeof import('../../src/observability/log.js')>('observability/log.js')
const { listen } = await importBuilt<typeof import('../../src/serve.js')>('serve.js')

const config = readConfig({ ...process.env, PORT: '0' })
const context = await createContext(config, { log: openLog(config.log.level, { fd: openSync('/dev/null', 'w') }) })
const server = await listen(context, process.env.BENCH_PUBLISHER ? ['api', 'publisher'] : ['api'])
process.stdout.write(`${new URL(server.url).port}\n`)
process.stdin.resume().on('end', () => void server.close().then(() => process.exit(0)))
