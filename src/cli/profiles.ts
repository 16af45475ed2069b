import type { Command } from 'commander'
import { isVisibleAscii, readClientSettings, SERVER_URL, VISIBLE_ASCII } from '../config/client.js'
import { isServerUrl } from '../config/parsers.js'
import { trimEnd } from '../interface/trim.js'
import { addCommand, groupNamed } from './command.js'
import { readSecrets, type SecretQuestion } from './input.js'
import { type Cli, CliError } from './io.js'
import { note, printList } from './output.js'
import { findProfile, type Profile, type Profiles, readProfiles, writeProfiles } from './profile-file.js'
import { addSureOption, confirmRemoval, type SureOption } from './removal.js'

interface AddOptions {
  url?: string
  key?: string
  operator?: true
}

export function addProfiles(program: Command, cli: Cli): void {
  groupNamed(program, 'profiles').description('servers and their credentials, in a file that only you can read')

  addCommand(
    program,
    'profiles add <name>',
    'add a profile, or change parts of one; secrets are asked for, or read from stdin, one per line',
    'acme --url https://greenroom.example.com --key key_8Zr2Lm',
    (name: string, options: AddOptions) => addProfile(cli, name, options),
  )
    .option('--url <url>', 'the address of the server; required for a new profile')
    .option('--key <id>', 'the id of an API key; its secret is asked for')
    .option('--operator', "ask for the server's OPERATOR_TOKEN")

  const view = { columns: ['name', 'current', 'url', 'key', 'operator', 'token'], noun: 'profiles' }
  addCommand(program, 'profiles list', 'list the profiles, without their secrets', '', async () => {
    const known = readProfiles(requireFile(cli))
    const rows = Object.entries(known.profiles).map(([name, { url, keyId, operatorToken, token }]) => ({
      ...{ name, current: name === known.current, url, key: keyId },
      ...{ operator: operatorToken !== undefined, token: token !== undefined },
    }))
    printList(cli, rows, view)
  })

  addCommand(program, 'profiles use <profile>', 'make a profile the default', 'acme', async (name: string) => {
    const { file, known } = requireProfile(cli, name)
    await writeProfiles(file, { ...known, current: name })
  })

  const removed = 'remove a profile and its secrets; its key stays valid until it is revoked'
  addSureOption(
    addCommand(program, 'profiles remove <profile>', removed, 'acme --yes', (name: string, options: SureOption) =>
      removeProfile(cli, name, options),
    ),
  )
}

async function removeProfile(cli: Cli, name: string, options: SureOption): Promise<void> {
  const { file, known } = requireProfile(cli, name)
  await confirmRemoval(cli, [`This removes the profile ${name} and its secrets.`], options)
  const { [name]: _removed, ...profiles } = known.profiles
  const isCurrent = known.current === name
  await writeProfiles(file, { ...(isCurrent ? {} : { current: known.current }), profiles })
  if (isCurrent) note(cli, 'There is no current profile any longer.')
}

/** Throws if the text cannot be the name of a profile. */
export function checkProfileName(name: string): void {
  if (!/^[a-z0-9][\w.-]{0,63}$/i.test(name)) {
    throw new CliError(
      2,
      'The name of a profile must begin with a letter or digit, followed by letters, digits, dots, dashes or underscores.',
    )
  }
}

async function addProfile(cli: Cli, name: string, options: AddOptions): Promise<void> {
  checkProfileName(name)
  const file = requireFile(cli)
  const known = readProfiles(file)
  const profile = await readProfile(cli, findProfile(known, name), options)
  const current = known.current ?? name
  await writeProfiles(file, { current, profiles: { ...known.profiles, [name]: profile } })
  const isCurrent = `${name} is the current profile.`
  note(cli, current === name ? isCurrent : `\`greenroom profiles use ${name}\` makes it the current one.`)
}

/** Returns the names of the profiles, for completion. */
export const profileNames = (cli: Pick<Cli, 'env'>): string[] =>
  Object.keys(readProfiles(readClientSettings(cli.env).profilesFile).profiles)

async function readProfile(
  cli: Cli,
  before: Profile | undefined,
  { url, key, operator }: AddOptions,
): Promise<Profile> {
  const address = url ?? before?.url
  if (address === undefined)
    throw new CliError(2, 'Add the address of the server, for example --url http://127.0.0.1:8080.')
  if (!isServerUrl(address)) throw new CliError(2, `--url must be ${SERVER_URL}.`)
  if (key !== undefined && !isVisibleAscii(key)) throw new CliError(2, `--key must be ${VISIBLE_ASCII}.`)
  const questions: (SecretQuestion & { field: 'secret' | 'operatorToken' })[] = []
  if (key !== undefined) questions.push({ field: 'secret', prompt: `Secret of ${key}`, noun: 'secret' })
  if (operator) questions.push({ field: 'operatorToken', prompt: 'Operator token', noun: 'operator token' })
  const profile: Profile = { ...before, url: trimEnd(address, '/'), ...(key === undefined ? {} : { keyId: key }) }
  const secrets = await readSecrets(cli, questions)
  for (const [index, { field, noun }] of questions.entries()) {
    if (!isVisibleAscii(secrets[index]!)) throw new CliError(2, `The ${noun} must be ${VISIBLE_ASCII}.`)
    profile[field] = secrets[index]!
  }
  return profile
}

export function requireFile(cli: Cli): string {
  const { profilesFile } = readClientSettings(cli.env)
  if (profilesFile !== undefined) return profilesFile
  throw new CliError(2, 'There is no home directory for the profiles: set GREENROOM_PROFILES_FILE.')
}

function requireProfile(cli: Cli, name: string): { file: string; known: Profiles } {
  const file = requireFile(cli)
  const known = readProfiles(file)
  if (findProfile(known, name) !== undefined) return { file, known }
  throw new CliError(2, `There is no profile ${name}: \`greenroom profiles list\` shows them.`)
}
