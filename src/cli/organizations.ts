import type { Command } from 'commander'
import type { OrganizationPatch } from '../client/index.js'
import type { Language } from '../interface/languages.js'
import { operator } from './client.js'
import { groupOf } from './command-group.js'
import type { Cli } from './io.js'
import { collect, printObject } from './output.js'
import { addSureOption, confirmByName, deleteAll, type SureOption } from './removal.js'

export function addOrganizations(program: Command, cli: Cli): void {
  const { add, print, list } = groupOf(program, cli, 'organizations', 'the tenants of the server')

  print('create <name>', 'create an organization', "'Café Lumière'", (name: string) =>
    operator(cli).organizations.create({ name }),
  ).option('--quiet', 'print only its id')

  const view = { columns: ['id', 'active', 'createdAt', 'name'], noun: 'organizations' }
  list('list', 'list all organizations', '', view, () => operator(cli).organizations.listAll())

  const rename = (id: string, name: string) => operator(cli).organizations.update(id, { name })
  print('rename <organization> <name>', 'give an organization another name', "org_5V3kPq 'Café Aurore'", rename)

  print(
    'set-currency <organization> <code>',
    'set the currency in which purchases count, by its code; none: none of them counts',
    'org_5V3kPq EUR',
    (id: string, code: string) =>
      operator(cli).organizations.update(id, { currency: code === 'none' ? null : code.toUpperCase() }),
  )

  print(
    'set-language <organization> <language>',
    'set the language of mails to people outside: en, pt, es or de',
    'org_5V3kPq pt',
    (id: string, language: Language) => operator(cli).organizations.update(id, { language }),
  )

  const addSwitch = (verb: string, change: OrganizationPatch, does: string) =>
    print(`${verb} <organization>`, does, 'org_5V3kPq', (id: string) => operator(cli).organizations.update(id, change))
  addSwitch('activate', { active: true }, 'accept the keys of an organization again')
  addSwitch(
    'deactivate',
    { active: false },
    'refuse every call with a key of an organization (402), and publish none of its posts, until it is activated',
  )
  const required = 'let people in only with a session that has passed a second factor'
  addSwitch('require-second-factor', { requireSecondFactor: true }, required)
  addSwitch('waive-second-factor', { requireSecondFactor: false }, 'let people in without a second factor again')

  addSureOption(
    add(
      'delete <organization>',
      'delete a deactivated organization with everything in it; its audit trail stays',
      "org_5V3kPq --yes --name 'Café Lumière'",
      (id: string, options: SureOption & { name?: string }) => deleteOrganization(cli, id, options),
    ),
  ).option('--name <name>', 'its name, for --yes')
}

async function deleteOrganization(cli: Cli, id: string, options: SureOption & { name?: string }): Promise<void> {
  const client = operator(cli)
  const goes = async (): Promise<string[]> => {
    const found = (await collect(client.organizations.listAll())).find((row) => row.id === id)
    // One whose deletion broke off is in no list.
    if (found === undefined) return [`${id} is not listed: a deletion that broke off is continued.`]
    const workspaces = await client.workspaces.list(id)
    const channels = await client.channels.list(id)
    return [
      `${found.name} (${id}) goes with its keys, ${workspaces.length} workspaces, ${channels.length} channels with their conversations, ad accounts, superpowers and posts.`,
    ]
  }
  const name = await confirmByName(cli, options.yes || !cli.stdin.isTTY ? [] : await goes(), options)
  printObject(cli, await deleteAll(cli, ['conversations', 'posts'], () => client.organizations.delete(id, { name })))
}
