import type { Command } from 'commander'
import { operator } from './client.js'
import { type Cli, example } from './io.js'
import { note, printList, printObject } from './output.js'

export function addKeys(program: Command, cli: Cli): void {
  const keys = program.command('keys').description('the API keys of an organization')

  keys
    .command('issue <organization>')
    .description('issue a key; its secret is shown only now')
    .addHelpText('after', example('greenroom keys issue org_5V3kPq'))
    .action(async (organization: string) => {
      printObject(cli, await operator(cli).keys.issue(organization))
      note(cli, 'Keep the secret now: it is not shown again.')
    })

  keys
    .command('list <organization>')
    .description('list the keys, revoked ones too')
    .addHelpText('after', example('greenroom keys list org_5V3kPq'))
    .action(async (organization: string) => {
      const rows = await operator(cli).keys.list(organization)
      printList(cli, rows, { columns: ['id', 'createdAt', 'revokedAt'], noun: 'keys' })
    })

  keys
    .command('revoke <organization> <key>')
    .description('revoke a key at once and for good')
    .addHelpText('after', example('greenroom keys revoke org_5V3kPq key_8Zr2Lm'))
    .action(async (organization: string, key: string) =>
      printObject(cli, await operator(cli).keys.revoke(organization, key)),
    )
}
