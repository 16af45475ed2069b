import type { Command } from 'commander'
import { callOperator, path } from './http.js'
import { readAccessToken } from './input.js'
import { type Cli, example } from './io.js'
import { printList, printObject, type Row } from './output.js'

interface NewAdAccount {
  name: string
  currency: string
  timezone: string
}

export function addAdAccounts(program: Command, cli: Cli): void {
  const adAccounts = program.command('ad-accounts').description('the ad accounts of an organization')
  const setToken = async (organization: string, id: string, accessToken: string | null): Promise<void> =>
    printObject(
      cli,
      await callOperator(cli, 'PATCH', path`/organizations/${organization}/ad-accounts/${id}`, { accessToken }),
    )

  adAccounts
    .command('create <organization> <ad-account>')
    .description("make an ad account; the id is the platform's, with or without act_")
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--currency <code>', 'ISO 4217, such as EUR')
    .requiredOption('--timezone <zone>', 'IANA, such as Europe/Paris')
    .addHelpText(
      'after',
      example(
        "greenroom ad-accounts create org_5V3kPq act_23846105 --name 'Café ads' --currency EUR --timezone Europe/Paris",
      ),
    )
    .action(async (organization: string, id: string, { name, currency, timezone }: NewAdAccount) =>
      printObject(
        cli,
        await callOperator(cli, 'POST', path`/organizations/${organization}/ad-accounts`, {
          id,
          name,
          currency,
          timezone,
        }),
      ),
    )

  adAccounts
    .command('list <organization>')
    .description('list the ad accounts')
    .addHelpText('after', example('greenroom ad-accounts list org_5V3kPq'))
    .action(async (organization: string) => {
      const rows = await callOperator<Row[]>(cli, 'GET', path`/organizations/${organization}/ad-accounts`)
      printList(cli, rows, ['id', 'currency', 'timezone', 'connected', 'name'], 'ad accounts')
    })

  adAccounts
    .command('connect <organization> <ad-account>')
    .description('give an ad account its access token of the platform, read from stdin or a file')
    .option('--token-file <file>', 'read the token from this file')
    .addHelpText('after', example('greenroom ad-accounts connect org_5V3kPq 23846105 < token.txt'))
    .action(async (organization: string, id: string, { tokenFile }: { tokenFile?: string }) =>
      setToken(organization, id, await readAccessToken(cli, tokenFile)),
    )

  adAccounts
    .command('disconnect <organization> <ad-account>')
    .description('forget the access token of an ad account')
    .addHelpText('after', example('greenroom ad-accounts disconnect org_5V3kPq 23846105'))
    .action(async (organization: string, id: string) => setToken(organization, id, null))
}
