import type { Command } from 'commander'
import type { SavedSuperpower } from '../client/index.js'
import { api, operator } from './client.js'
import { groupOf } from './command-group.js'
import { addExplain } from './explain-superpower.js'
import { readJsonObject } from './input.js'
import type { Cli } from './io.js'
import { type ListView, printList, printObject } from './output.js'

export function addSuperpowers(program: Command, cli: Cli): void {
  const about = 'the saved superpowers that posts may name'
  const { add, print, list, remove } = groupOf(program, cli, 'superpowers', about, printSuperpower)

  print(
    'create <organization> <name>',
    'save a superpower',
    "org_5V3kPq 'Raffle' --data @raffle.json",
    async (organization: string, name: string, { data }: { data: string }) => {
      const superpower = await readJsonObject(cli, data, '--data')
      return operator(cli).superpowers.create(organization, { name, superpower })
    },
  ).requiredOption('--data <json>', 'the superpower: JSON, @file, or - for stdin')

  list(
    'list [organization]',
    'list the saved superpowers; as the operator, deactivated ones too',
    'org_5V3kPq',
    VIEW,
    (organization?: string) =>
      organization === undefined ? api(cli).superpowers.listAll() : operator(cli).superpowers.listAll(organization),
  )

  print(
    'rename <organization> <superpower> <name>',
    'give a saved superpower another name; posts that have it keep the one it had',
    "org_5V3kPq template_4Rt8Qs 'Spring raffle'",
    (organization: string, id: string, name: string) => operator(cli).superpowers.update(organization, id, { name }),
  )

  const addSwitch = (verb: string, active: boolean, does: string) =>
    print(
      `${verb} <organization> <superpower>`,
      does,
      'org_5V3kPq template_4Rt8Qs',
      (organization: string, id: string) => operator(cli).superpowers.update(organization, id, { active }),
    )
  addSwitch('activate', true, 'let posts name a saved superpower again')
  addSwitch('deactivate', false, 'deactivate a saved superpower; posts that have it keep it')

  remove(
    'delete <organization> <superpower>',
    'delete a saved superpower for good; posts that have it keep it',
    'org_5V3kPq template_4Rt8Qs --yes',
    (_: string, id: string) => [`The saved superpower ${id} goes; posts that have a copy keep it.`],
    (organization, id) => operator(cli).superpowers.delete(organization, id),
  )

  addExplain({ add }, cli)
}

/** A superpower is too long for a line: its hashtag represents it. */
const VIEW: ListView<SavedSuperpower> = {
  columns: ['creativeTemplateId', 'active', 'hashtag', 'name'],
  noun: 'superpowers',
  toRow: ({ superpower, ...row }) => ({ ...row, hashtag: superpower.hashtag }),
}

function printSuperpower(cli: Cli, saved: SavedSuperpower): void {
  if (cli.format() === 'table') printList(cli, [saved], VIEW)
  else printObject(cli, saved)
}
