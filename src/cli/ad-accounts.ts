import type { Command } from 'commander'
import type { NewAdAccount } from '../client/index.js'
import { listFor, operator } from './client.js'
import { groupOf } from './command-group.js'
import { addTokenOptions, readPlatformToken, type TokenOptions } from './input.js'
import type { Cli } from './io.js'
import { printList } from './output.js'

export function addAdAccounts(program: Command, cli: Cli): void {
  const { add, print, remove } = groupOf(program, cli, 'ad-accounts', 'the ad accounts of an organization')

  print(
    'create <organization> <ad-account>',
    "create an ad account; the id is the platform's, with or without act_",
    "org_5V3kPq act_23846105 --name 'Café ads' --currency EUR --timezone Europe/Paris",
    (organization: string, id: string, { name, currency, timezone }: Omit<NewAdAccount, 'id'>) =>
      operator(cli).adAccounts.create(organization, { id, name, currency, timezone }),
  )
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--currency <code>', 'ISO 4217, such as EUR')
    .requiredOption('--timezone <zone>', 'IANA, such as Europe/Paris')

  print(
    'update <organization> <ad-account>',
    'correct the name, currency or time zone of an ad account',
    'org_5V3kPq 23846105 --currency EUR',
    (organization: string, id: string, { name, currency, timezone }: Partial<Omit<NewAdAccount, 'id'>>) =>
      operator(cli).adAccounts.update(organization, id, { name, currency, timezone }),
  )
    .option('--name <name>', 'its name')
    .option('--currency <code>', 'ISO 4217, such as EUR')
    .option('--timezone <zone>', 'IANA, such as Europe/Paris')

  remove(
    'delete <organization> <ad-account>',
    'delete an ad account with its access token; its insights stay on the platform',
    'org_5V3kPq 23846105 --yes',
    (_: string, id: string) => [`The ad account ${id} goes, with its access token.`],
    (organization, id) => operator(cli).adAccounts.delete(organization, id),
  )

  const listed = "list the ad accounts of an organization as the operator, or the key's own"
  add('list [organization]', listed, 'org_5V3kPq', async (organization?: string) => {
    const rows = await listFor(cli, 'adAccounts', organization)
    const columns = ['id', 'currency', 'timezone', ...(organization === undefined ? [] : ['connected']), 'name']
    printList(cli, rows, { columns, noun: 'ad accounts' })
  })

  addTokenOptions(
    print(
      'connect <organization> <ad-account>',
      'connect an ad account to the ad platform with its access token, read from stdin or a file',
      'org_5V3kPq 23846105 < token.txt',
      async (organization: string, id: string, options: TokenOptions) =>
        operator(cli).adAccounts.update(organization, id, await readPlatformToken(cli, options)),
    ),
  )

  remove(
    'disconnect <organization> <ad-account>',
    'remove the access token of an ad account',
    'org_5V3kPq 23846105 --yes',
    (_organization: string, id: string) => [`The access token of ${id} goes: without one there are no insights.`],
    (organization, id) => operator(cli).adAccounts.update(organization, id, { accessToken: null }),
  )
}
