import { type Command, Option } from 'commander'
import type { SavedText } from '../client/index.js'
import { SAVED_TEXT_KINDS } from '../interface/saved-texts.js'
import { operator } from './client.js'
import { groupOf } from './command-group.js'
import { definedOnly, readData } from './input.js'
import type { Cli } from './io.js'
import type { ListView } from './output.js'

const TEXT = 'the text: itself, @file, or - for stdin'

export function addSavedTexts(program: Command, cli: Cli): void {
  const about = 'the texts and groups of hashtags that posts take'
  const { print, list, remove } = groupOf<SavedText>(program, cli, 'texts', about)

  print(
    'create <organization> <name>',
    'save a text, or a group of hashtags',
    "org_5V3kPq 'Opening hours' --text 'Open from 8 to 6.'",
    async (organization: string, name: string, { text, kind }: { text: string; kind: SavedText['kind'] }) =>
      operator(cli).savedTexts.create(organization, { kind, name, text: (await readData(cli, text)).toString() }),
  )
    .requiredOption('--text <text>', TEXT)
    .addOption(new Option('--kind <kind>', 'its kind').choices(SAVED_TEXT_KINDS).default('TEXT'))

  list('list <organization>', 'list them, by name', 'org_5V3kPq', VIEW, (organization: string) =>
    operator(cli).savedTexts.list(organization),
  )

  print(
    'update <organization> <text>',
    'rename one, or replace what it says; posts that took it keep what they have',
    "org_5V3kPq text_4Rt8Qs --name 'Hours in summer'",
    async (organization: string, id: string, { name, text }: { name?: string; text?: string }) => {
      const replaced = text === undefined ? undefined : (await readData(cli, text)).toString()
      return operator(cli).savedTexts.update(organization, id, definedOnly({ name, text: replaced }))
    },
  )
    .option('--name <name>', 'its new name')
    .option('--text <text>', TEXT)

  remove(
    'delete <organization> <text>',
    'delete one; posts that took it keep what they have',
    'org_5V3kPq text_4Rt8Qs --yes',
    (_: string, id: string) => [`The saved text ${id} goes.`],
    (organization, id) => operator(cli).savedTexts.delete(organization, id),
  )
}

const VIEW: ListView<SavedText> = { columns: ['id', 'kind', 'name', 'text'], spare: ['kind'], noun: 'saved texts' }
