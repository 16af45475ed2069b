/**
 * The service of bench/vip-users.ts as `npm start` runs it, without the publisher. Its log is written as ever, but to nowhere,
 * and its port to standard output. It ends with its standard input.
 */
import { readConfig } from '../../src/config.js'
import { createContext } from '../../src/context.js'
import { openLog } from '../../src/observability/log.js'
import { listen } from '../../src/serve.js'

const config = readConfig({ ...process.env, PORT: '0' })
const context = await createContext(config, { log: openLog(config.logLevel, '/dev/null') })
const server = await listen(context, ['api'])
process.stdout.write(`${new URL(server.url).port}\n`)
process.stdin.resume().on('end', () => void server.close().then(() => process.exit(0)))
