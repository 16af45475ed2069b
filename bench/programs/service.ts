/**
 * The service of bench/vip-users.ts as `npm start` runs it, without the publisher. Its log is written as ever, but to nowhere,
 * and its port to standard output. It ends with its standard input.
 */
import { pino } from 'pino'
import { readConfig } from '../../src/config.js'
import { createContext } from '../../src/context.js'
import { listen } from '../../src/serve.js'

const config = readConfig({ ...process.env, PORT: '0' })
const context = await createContext(config, {
  log: pino({ level: config.logLevel }, pino.destination({ dest: '/dev/null', sync: false, minLength: 8_192 })),
})
const server = await listen(context, ['api'])
process.stdout.write(`${new URL(server.url).port}\n`)
process.stdin.resume().on('end', () => void server.close().then(() => process.exit(0)))
