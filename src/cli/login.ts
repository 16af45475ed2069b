import { hostname } from 'node:os'
import type { Command } from 'commander'
import type { Answer } from '../client/answer.js'
import { readClientSettings, SERVER_URL } from '../config/client.js'
import { isServerUrl } from '../config/parsers.js'
import type { DeviceLogin, IssuedPersonalToken, NewDeviceLogin, TokenScope } from '../interface/generated/types.js'
import { TOKEN_SCOPE_NAMES } from '../interface/token-scopes.js'
import { trimEnd } from '../interface/trim.js'
import { parseJson, toRecord } from '../lib/json.js'
import { runtime } from './client.js'
import { send } from './http.js'
import { type Cli, CliError, example } from './io.js'
import { note, printObject } from './output.js'
import { findProfile, type Profile, readProfiles, writeProfiles } from './profile-file.js'
import { checkProfileName, requireFile } from './profiles.js'
import { notGreenroom, refused } from './refusal.js'
import { isSameServer, readTarget } from './settings.js'

interface LoginOptions {
  url?: string
  name: string
  scopes?: string
}

/** The profile that a login creates if no profile is named and none exists. */
const FIRST_PROFILE = 'default'
/** The extra seconds to wait each time the server answers `slow_down` (RFC 8628, 3.5). */
const SLOWER_SECONDS = 5

export function addLogin(program: Command, cli: Cli): void {
  program
    .command('login')
    .description('let this program act as you, after you allow it in a browser')
    .option('--url <url>', 'the address of the server, if the profile has none')
    .option('--name <name>', 'the name of the token in the console', `greenroom on ${hostname()}`)
    .option(
      '--scopes <scopes>',
      'the scopes to ask for, separated by commas; by default you choose them in the browser',
    )
    .addHelpText('after', example('greenroom login --scopes posts:read,posts:write'))
    .action((options: LoginOptions) => login(cli, options))
  program
    .command('logout')
    .description('revoke the token of greenroom login, and remove it from the profile')
    .addHelpText('after', example('greenroom logout'))
    .action(() => logout(cli))
}

async function login(cli: Cli, { url, name, scopes }: LoginOptions): Promise<void> {
  const place = findPlace(cli, url)
  const asked: NewDeviceLogin = { name, ...(scopes === undefined ? {} : { scopes: parseScopes(scopes) }) }
  const begun = await post<DeviceLogin>(place, '/api/sign-in/device', asked)
  const { userCode } = begun
  note(
    cli,
    `Open ${place.url}${begun.path}#code=${userCode} in a browser, and allow the program that shows the code ${userCode}.\nWaiting for at most 10 minutes …`,
  )
  const { token, ...issued } = await poll(cli, place, begun)
  // Another command may have changed the file since.
  const known = readProfiles(place.file)
  const profile: Profile = { ...findProfile(known, place.name), url: place.url, token }
  await writeProfiles(place.file, {
    current: known.current ?? place.name,
    profiles: { ...known.profiles, [place.name]: profile },
  })
  printObject(cli, { profile: place.name, ...issued, scopes: listOf(cli, issued.scopes) })
  if (profile.operatorToken !== undefined) {
    note(cli, `The profile ${place.name} also has an operator token, which is used instead of this one.`)
  }
}

const listOf = (cli: Cli, texts: readonly string[]) => (cli.format() === 'table' ? texts.join(' ') : texts)

/** The server to sign in to, and the profile that will keep its token. */
interface Place {
  file: string
  name: string
  url: string
  /** The source of the address, for messages. */
  urlIsFrom: string
}

function findPlace(cli: Cli, url: string | undefined): Place {
  const file = requireFile(cli)
  const settings = readClientSettings(cli.env)
  const known = readProfiles(file)
  const name = cli.profile() ?? settings.profile ?? known.current ?? FIRST_PROFILE
  checkProfileName(name)
  const profile = findProfile(known, name)
  const given = url ?? settings.url
  if (given !== undefined && !isServerUrl(given)) throw new CliError(2, `--url must be ${SERVER_URL}.`)
  if (given !== undefined && profile !== undefined && !isSameServer(given, profile.url)) {
    throw new CliError(2, `The profile ${name} is for ${profile.url}: choose another one with --profile.`)
  }
  const found =
    profile !== undefined
      ? { url: profile.url, urlIsFrom: `the URL of the profile ${name}` }
      : given !== undefined
        ? { url: trimEnd(given, '/'), urlIsFrom: url === undefined ? 'GREENROOM_URL' : '--url' }
        : readTarget({ ...cli, env: { ...cli.env, GREENROOM_PROFILE: '' }, profile: () => undefined })
  return { file, name, url: found.url, urlIsFrom: found.urlIsFrom }
}

function parseScopes(text: string): TokenScope[] {
  const scopes = text.split(',').map((scope) => scope.trim())
  const unknown = scopes.filter((scope) => !TOKEN_SCOPE_NAMES.some((name) => name === scope))
  if (unknown.length > 0) {
    throw new CliError(2, `There is no scope ${unknown.join(', ')}: choose from ${TOKEN_SCOPE_NAMES.join(', ')}.`)
  }
  return scopes as TokenScope[]
}

/** Polls until the person has answered. The server ends the login after ten minutes. */
async function poll(cli: Cli, place: Place, { deviceCode, interval }: DeviceLogin): Promise<IssuedPersonalToken> {
  for (let seconds = interval; ; ) {
    await runtime(cli).wait(seconds * 1000, undefined)
    const answer = await send(place, '/api/sign-in/device/token', toRequest({ deviceCode }))
    const code = answer.headers.get('x-error-code')
    if (code === 'slow_down') seconds += SLOWER_SECONDS
    else if (code !== 'authorization_pending') return read(place, answer)
  }
}

const toRequest = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const post = async <T>(place: Place, path: string, body: object): Promise<T> =>
  read(place, await send(place, path, toRequest(body)))

function read<T>(place: Place, { status, headers, text }: Answer): T {
  const body = toRecord(parseJson(text))
  if (body === undefined) throw notGreenroom(place, status)
  if (status < 300) return body as T
  const details = Array.isArray(body.error) ? body.error.map(({ message }: { message: string }) => message) : []
  throw refused({
    status,
    code: headers.get('x-error-code') ?? undefined,
    requestId: headers.get('x-request-id') ?? undefined,
    messages: details.length > 0 ? details : [String(body.message)],
  })
}

async function logout(cli: Cli): Promise<void> {
  const file = requireFile(cli)
  const known = readProfiles(file)
  const name = cli.profile() ?? readClientSettings(cli.env).profile ?? known.current
  const profile = name === undefined ? undefined : findProfile(known, name)
  if (name === undefined || profile?.token === undefined) {
    throw new CliError(
      2,
      'This profile has no token of `greenroom login`: `greenroom profiles list` shows which ones do.',
    )
  }
  const { token, ...rest } = profile
  const place = { url: profile.url, urlIsFrom: `the URL of the profile ${name}`, file, name }
  const headers = { authorization: `Bearer ${token}` }
  const answer = await send(place, '/api/me/token', { method: 'DELETE', headers })
  const hasEnded = answer.headers.get('x-error-code') === 'token_wrong'
  if (!hasEnded) read(place, answer)
  await writeProfiles(file, { ...known, profiles: { ...known.profiles, [name]: rest } })
  note(
    cli,
    hasEnded
      ? 'The token had already ended, and is now removed from the profile.'
      : 'The token is revoked and removed from the profile.',
  )
}
