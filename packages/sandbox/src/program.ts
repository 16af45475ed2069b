import { parseArgs } from 'node:util'
import { type Clock, systemClock } from './lib/clock.js'
import { addDays, toBareDate } from './lib/dates.js'
import { makeDemoModel } from './model.js'
import { type Sandbox, startSandbox } from './sandbox.js'

export const HELP = `Usage: greenroom-sandbox [options]

Starts a stand-in for Meta's Graph API, with shops that deliver webhooks, and faults that you can set.

Options:
  --port <number>      the port to listen on; 0 chooses a free one (default: 8090)
  --host <address>     the address to listen on (default: 127.0.0.1, which only this machine can reach)
  --seed <number>      makes different ids, tokens and figures (default: 1)
  --app-secret <text>  requires every call to carry an appsecret_proof made with it
  --version            print the version
  --help               print this help
`

/** A mistake of the caller, with a message for the caller. */
export class UsageError extends Error {}

interface Options {
  port: number
  host: string
  seed: number
  appSecret: string | undefined
}

/** Reads the words of a command line. Throws a UsageError if it does not understand them. */
export function readOptions(argv: string[]): Options | 'help' | 'version' {
  const values = parse(argv)
  if (values.help) return 'help'
  if (values.version) return 'version'
  const { port = '8090', host = '127.0.0.1', seed = '1', 'app-secret': appSecret } = values
  if (host === '') throw new UsageError('--host must be an address, such as 127.0.0.1.')
  if (appSecret === '') throw new UsageError('--app-secret must not be empty.')
  return {
    port: readNumber('--port', port, 65_535),
    seed: readNumber('--seed', seed, 1_000_000_000),
    ...{ host, appSecret },
  }
}

function parse(argv: string[]) {
  try {
    const text = { type: 'string' } as const
    const flag = { type: 'boolean' } as const
    const options = { port: text, host: text, seed: text, 'app-secret': text, help: flag, version: flag }
    return parseArgs({ args: argv, options }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function readNumber(name: string, text: string, max: number): number {
  if (/^\d{1,10}$/.test(text) && Number(text) <= max) return Number(text)
  throw new UsageError(`${name} must be a whole number from 0 to ${max}, not "${text}".`)
}

/** An Instagram account without a page, which has its own login. */
const LOGIN_ACCOUNT = { id: '17841400008460057', platform: 'instagram', name: 'atelier.aurora' } as const

/** Starts the sandbox with the demo model and returns what to print about it. */
export async function startProgram(
  { port, host, seed, appSecret }: Options,
  clock: Clock = systemClock,
): Promise<{ sandbox: Sandbox; text: string }> {
  const today = toBareDate(clock.now())
  // Its campaigns begin in the 200 days after this date.
  const cutoffDate = `${addDays(today, -365).slice(0, 4)}-03-01`
  const { model } = makeDemoModel({ seed, today, cutoffDate })
  model.pages?.push({ ...LOGIN_ACCOUNT, accessToken: `IGAASandboxToken${seed}` })
  const sandbox = await listen({ model: { ...model, appSecret }, host, port })
  return { sandbox, text: describe(sandbox, host) }
}

async function listen(options: { model: Sandbox['model']; host: string; port: number }): Promise<Sandbox> {
  try {
    return await startSandbox(options)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const { host, port } = options
    const reasons: Record<string, string> = {
      EADDRINUSE: `Port ${port} of ${host} is in use. Choose another; --port 0 finds a free one.`,
      EACCES: `This user may not listen on port ${port}. Choose one from 1024 on.`,
      EADDRNOTAVAIL: `This machine does not have the address ${host}.`,
      ENOTFOUND: `The host ${host} is unknown.`,
    }
    throw new UsageError(reasons[code ?? ''] ?? `The sandbox cannot listen on ${host}: ${(error as Error).message}`)
  }
}

const LOCAL = /^(127(?:\.\d{1,3}){3}|::1|localhost)$/

function describe({ url, model }: Sandbox, host: string): string {
  const { pages = [], adAccounts, tokens, appSecret } = model
  const [token = ''] = Object.keys(tokens)
  const lines = [
    ...pages.map(({ id, platform, name, accessToken }) => [
      ...[platform === 'facebook' ? 'Page' : 'Instagram account', id, accessToken, name],
    ]),
    ...adAccounts.map(({ id, name }) => ['Ad account', `act_${id}`, token, name]),
  ]
  const table = [['', 'id', 'access token', 'name'], ...lines].map(
    ([kind, id, accessToken, name]) => `  ${kind!.padEnd(19)}${id!.padEnd(21)}${accessToken!.padEnd(24)}${name}`,
  )
  const page = pages.find(({ platform }) => platform === 'facebook')!
  const proof = appSecret === undefined ? '' : '\nEvery call must carry appsecret_proof, made with the app secret.\n'
  const warning = LOCAL.test(host)
    ? ''
    : `\nIt listens on ${host}: anyone who can reach it can read what was sent to it, and make it call any address.\n`
  return `greenroom-sandbox stands in for Meta's Graph API at ${url}/v27.0

${table.join('\n')}
${proof}${warning}
  Instagram login    ${url}/instagram/v27.0, for tokens that begin with IG
  For people         ${url}/
  For programs       ${url}/sandbox
  Faults             ${url}/sandbox/faults

Try, in another terminal:

  curl '${url}/v27.0/${page.id}/feed' -H 'authorization: Bearer ${page.accessToken}' -d message=Hello
  curl '${url}/sandbox/faults' -H 'content-type: application/json' -d '{ "name": "appLimit" }'

Ctrl-C stops it.`
}
