import type { Command } from 'commander'
import type { Answer } from '../client/answer.js'
import { Bearer, Signer } from '../client/signer.js'
import { quoteWord } from '../lib/shell-word.js'
import { runtime } from './client.js'
import { send } from './http.js'
import { readData } from './input.js'
import { type Cli, CliError, example } from './io.js'
import { note, print, printJson, printLine } from './output.js'
import { describeStatus } from './refusal.js'
import { readTarget, type Target } from './settings.js'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const RETRIES_MAX = 3
const RETRY_AFTER_SECONDS_MAX = 60

const isWorthWaiting = ({ status, headers }: Answer): boolean =>
  status === 429 &&
  /^\d+$/.test(headers.get('retry-after') ?? '') &&
  Number(headers.get('retry-after')) <= RETRY_AFTER_SECONDS_MAX

interface CallOptions {
  data?: string
  earlier?: boolean
  printCurl?: boolean
}

const OPERATOR_TOKEN_VARIABLE = 'GREENROOM_OPERATOR_TOKEN'

export function addCall(program: Command, cli: Cli): void {
  program
    .command('call <method> <path>')
    .description(
      'send a signed request to any path; the default prefix is /v1, and /api/… uses the token, or the key if there is no token',
    )
    .option('--data <json>', 'the body: JSON, @file, or - for stdin')
    .option('--earlier', 'use /v0, which has its own date format')
    .option('--print-curl', 'print a signed curl command instead of sending the request')
    .addHelpText(
      'after',
      example("greenroom call GET '/vip-users?workspaceId=ws_2Hc7Yd&mediumId=FB_PAGE_104512883716042'"),
    )
    .action(async (method: string, path: string, options: CallOptions) => {
      const route = parsePath(path, options.earlier === true)
      const target = readTarget(cli)
      const body = options.data === undefined ? undefined : await readData(cli, options.data)
      const call: Call = { method: parseMethod(method, body), path: route.path, body }
      if (options.printCurl) await printCurl(cli, target, route.surface, call)
      else await sendCall(cli, target, route.surface, call)
    })
}

type Surface = 'current' | 'earlier' | 'api'
type Call = { method: string; path: string; body: Buffer | undefined }

function parseMethod(given: string, body: Buffer | undefined): string {
  const method = given.toUpperCase()
  if (!METHODS.includes(method)) throw new CliError(2, 'METHOD must be GET, POST, PUT, PATCH or DELETE.')
  if (method === 'GET' && body !== undefined) throw new CliError(2, 'A GET request has no body: omit --data.')
  return method
}

/** Returns the surface that a path belongs to, and the full path. */
function parsePath(path: string, earlier: boolean): { surface: Surface; path: string } {
  if (!path.startsWith('/')) throw new CliError(2, 'PATH must begin with a slash, for example /workspaces.')
  const prefix = /^\/(v1|v0|api)(?=[/?]|$)/.exec(path)?.[1]
  if (earlier && prefix !== undefined && prefix !== 'v0') {
    throw new CliError(2, `--earlier is for paths of /v0, not for /${prefix}.`)
  }
  if (prefix === 'api') return { surface: 'api', path }
  if (prefix !== undefined) return { surface: prefix === 'v0' ? 'earlier' : 'current', path }
  return earlier ? { surface: 'earlier', path: `/v0${path}` } : { surface: 'current', path: `/v1${path}` }
}

async function sendCall(cli: Cli, target: Target, surface: Surface, { method, path, body }: Call): Promise<void> {
  const attempt = async (): Promise<Answer> =>
    send(target, path, {
      method,
      headers: {
        ...(await authorize(cli, target, surface)),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body ?? null,
    })
  let answer = await attempt()
  // The server did nothing, so the call is repeated after the wait it asked for, if a person would wait that long.
  for (let retries = 0; retries < RETRIES_MAX && isWorthWaiting(answer); retries++) {
    await runtime(cli).wait(Number(answer.headers.get('retry-after')) * 1000, undefined)
    answer = await attempt()
  }
  const { status, headers, text } = answer
  printBody(cli, text)
  if (status >= 200 && status < 300) return
  const header = (name: string): string | undefined => headers.get(name) ?? undefined
  throw new CliError(1, describeStatus({ status, code: header('x-error-code'), requestId: header('x-request-id') }))
}

/** `/api` takes a token, or the signature of a key if there is no token. */
function authorize(cli: Cli, target: Target, surface: Surface): Promise<Record<string, string>> {
  if (surface === 'api') {
    const credential = target.requireCredential()
    if ('token' in credential) return new Bearer(credential.token).headers()
  }
  const { id, secret } = target.requireKey()
  return new Signer(id, secret, surface === 'earlier' ? 'earlier' : 'current', runtime(cli)).headers()
}

/** Prints JSON with indentation on a terminal, and the unchanged body elsewhere. */
function printBody(cli: Cli, text: string): void {
  if (cli.format() !== 'table') {
    print(cli, text)
    return
  }
  try {
    printJson(cli, JSON.parse(text))
  } catch {
    printLine(cli, text)
  }
}

async function printCurl(cli: Cli, target: Target, surface: Surface, { method, path, body }: Call): Promise<void> {
  const url = new URL(target.url + path)
  const { authorization, ...headers } = await authorize(cli, target, surface)
  const parts = [
    // Without this option curl expands brackets and braces in a URL.
    `curl --globoff --request ${method} ${quoteWord(url.href)}`,
    ...Object.entries(headers).map(([name, value]) => `--header ${quoteWord(`${name}: ${value}`)}`),
    // The token does not expire, so the printed command refers to its variable instead of containing it.
    ...(authorization === undefined ? [] : [`--header "authorization: Bearer $${OPERATOR_TOKEN_VARIABLE}"`]),
    ...(body === undefined
      ? []
      : [`--header ${quoteWord('content-type: application/json')}`, `--data-raw ${quoteWord(body.toString())}`]),
  ]
  printLine(cli, parts.join(' \\\n  '))
  note(
    cli,
    authorization !== undefined
      ? `The command takes the token from ${OPERATOR_TOKEN_VARIABLE}.`
      : `Valid for ${surface === 'earlier' ? 60 : 30} seconds from now.`,
  )
}
