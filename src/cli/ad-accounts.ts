import type { Command } from 'commander'
import type { NewAdAccount, PlatformToken } from '../client/index.js'
import { api, operator } from './client.js'
import { NO_CHECK, readPlatformToken, type TokenOptions } from './input.js'
import { type Cli, example } from './io.js'
import { printList, printObject } from './output.js'

export function addAdAccounts(program: Command, cli: Cli): void {
  const adAccounts = program.command('ad-accounts').description('the ad accounts of an organization')
  const setToken = async (organization: string, id: string, token: PlatformToken): Promise<void> =>
    printObject(cli, await operator(cli).adAccounts.connect(organization, id, token))

  adAccounts
    .command('create <organization> <ad-account>')
    .description("create an ad account; the id is the platform's, with or without act_")
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--currency <code>', 'ISO 4217, such as EUR')
    .requiredOption('--timezone <zone>', 'IANA, such as Europe/Paris')
    .addHelpText(
      'after',
      example(
        "greenroom ad-accounts create org_5V3kPq act_23846105 --name 'Café ads' --currency EUR --timezone Europe/Paris",
      ),
    )
    .action(async (organization: string, id: string, { name, currency, timezone }: Omit<NewAdAccount, 'id'>) =>
      printObject(cli, await operator(cli).adAccounts.create(organization, { id, name, currency, timezone })),
    )

  adAccounts
    .command('list [organization]')
    .description("list the ad accounts of an organization as the operator, or the key's own")
    .addHelpText('after', example('greenroom ad-accounts list org_5V3kPq'))
    .action(async (organization?: string) => {
      if (organization === undefined) {
        const rows = await api(cli).adAccounts.list()
        printList(cli, rows, { columns: ['id', 'currency', 'timezone', 'name'], noun: 'ad accounts' })
      } else {
        const rows = await operator(cli).adAccounts.list(organization)
        printList(cli, rows, { columns: ['id', 'currency', 'timezone', 'connected', 'name'], noun: 'ad accounts' })
      }
    })

  adAccounts
    .command('connect <organization> <ad-account>')
    .description('connect an ad account to the ad platform with its access token, read from stdin or a file')
    .option('--token-file <file>', 'read the token from this file')
    .option('--no-check', NO_CHECK)
    .addHelpText('after', example('greenroom ad-accounts connect org_5V3kPq 23846105 < token.txt'))
    .action(async (organization: string, id: string, options: TokenOptions) =>
      setToken(organization, id, await readPlatformToken(cli, options)),
    )

  adAccounts
    .command('disconnect <organization> <ad-account>')
    .description('remove the access token of an ad account')
    .addHelpText('after', example('greenroom ad-accounts disconnect org_5V3kPq 23846105'))
    .action(async (organization: string, id: string) => setToken(organization, id, { accessToken: null }))
}
