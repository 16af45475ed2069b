import { readFileSync } from 'node:fs'
import { readSecrets } from '../cli/input.js'
import { type Cli, CliError, unreadableFile } from '../cli/io.js'
import { PASSPHRASE_CHARS_MIN } from '../lib/passphrase.js'

export interface PassphraseOption {
  passphraseFile?: string
  masterKey: boolean
}

export async function readPassphrase(
  cli: Cli,
  { passphraseFile }: PassphraseOption,
  times: 'once' | 'twice',
): Promise<string> {
  if (passphraseFile !== undefined) return readPassphraseFile(passphraseFile)
  const asksTwice = times === 'twice' && cli.stdin.isTTY === true
  const [passphrase, again] = await readSecrets(cli, [
    { prompt: 'Passphrase of the backup', noun: 'passphrase' },
    ...(asksTwice ? [{ prompt: 'Repeat it', noun: 'passphrase' }] : []),
  ])
  if (asksTwice && passphrase !== again) throw new CliError(2, 'The two passphrases differ.')
  return checkPassphrase(passphrase!)
}

function readPassphraseFile(file: string): string {
  try {
    return checkPassphrase(readFileSync(file, 'utf8').replace(/\r?\n$/, ''))
  } catch (error) {
    throw error instanceof CliError ? error : unreadableFile(file, error)
  }
}

function checkPassphrase(passphrase: string): string {
  if (passphrase.length >= PASSPHRASE_CHARS_MIN) return passphrase
  throw new CliError(2, `The passphrase must have at least ${PASSPHRASE_CHARS_MIN} characters.`)
}
